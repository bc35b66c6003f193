import Foundation
import Synchronization

/// Ports of loopback.
enum Ports {
    /// Below the ports that systems give to sockets without a port of their own: no connection and no listener takes
    /// a port of this range by chance.
    private static let range = 10_000..<32_000

    private static let next = Mutex<(port: Int, lock: Int32)?>(nil)

    /// Returns a free port that no other caller gets, in any test process of this machine.
    static func free() throws -> Int {
        try next.withLock { next in
            // The locks end with the process, or when it closes any descriptor of this file.
            let name = "/tmp/gatehouse-test-ports-\(getuid())"
            var (port, lock) = next ?? (Int.random(in: range), open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0o600))
            for _ in range {
                port = port + 1 < range.upperBound ? port + 1 : range.lowerBound
                next = (port, lock)
                guard isLocked(port, lock), let probe = try? bound(to: port) else { continue }
                close(probe)
                return port
            }
            throw Impatience("a free port")
        }
    }

    /// Locks the byte of a port. False if another process has it.
    private static func isLocked(_ port: Int, _ file: Int32) -> Bool {
        var byte = flock()
        byte.l_type = Int16(F_WRLCK)
        byte.l_whence = Int16(SEEK_SET)
        byte.l_start = off_t(port)
        byte.l_len = 1
        return fcntl(file, F_SETLK, &byte) == 0
    }

    /// Creates a socket that listens on a free port.
    static func listener(backlog: Int32 = 128) throws -> (descriptor: Int32, port: Int) {
        let port = try free()
        return (try listener(on: port, backlog: backlog), port)
    }

    /// Creates a socket that listens on a port.
    static func listener(on port: Int, backlog: Int32 = 128) throws -> Int32 {
        let descriptor = try bound(to: port)
        guard listen(descriptor, backlog) == 0 else {
            let reason = errno
            close(descriptor)
            throw Impatience("a socket that listens on \(port): errno \(reason)")
        }
        return descriptor
    }

    /// Creates a socket that is bound to a port on which no other socket listens.
    ///
    /// A program that another thread is just starting holds a copy until it runs. The option `SO_REUSEADDR` permits
    /// others to use the port meanwhile, because the copy does not listen.
    private static func bound(to port: Int) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var (reuse, address) = (Int32(1), sockaddr_in())
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isBound else {
            let reason = errno
            close(descriptor)
            throw Impatience("a socket that is bound to \(port): errno \(reason)")
        }
        return descriptor
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
