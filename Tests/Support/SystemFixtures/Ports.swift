import Foundation

/// Ports of loopback.
enum Ports {
    /// A free port. Another process may bind it before its use.
    static func free() throws -> Int {
        let (descriptor, port) = try listener()
        close(descriptor)
        return port
    }

    /// Creates a socket that listens on a port. 0 for a free port.
    static func listener(on port: Int = 0, backlog: Int32 = 128) throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listens = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, backlog) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard listens else { throw Impatience("a socket that listens: errno \(errno)") }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }
}

/// A thread that releases its body when it returns. Foundation's threads release it later, unnoticed by sanitizers.
enum PlainThread {
    private final class Body {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs `body` on a new thread.
    static func start(_ body: @escaping @Sendable () -> Void) {
        let argument = Unmanaged.passRetained(Body(body)).toOpaque()
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let failure = pthread_create(
            &thread, nil,
            { argument in
                #if canImport(Darwin)
                    let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                #else
                    // pthread_create passes on its argument, which is not nil.
                    let body = Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue()
                #endif
                body.run()
                return nil
            }, argument)
        precondition(failure == 0, "the thread could not be created")
        #if canImport(Darwin)
            if let thread { pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
    }
}
