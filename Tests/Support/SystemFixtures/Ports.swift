import Foundation

/// Ports of loopback.
enum Ports {
    /// One that nobody listens on. Another process may take it before its use.
    static func free() throws -> Int {
        let (descriptor, port) = try listener()
        close(descriptor)
        return port
    }

    /// A socket that listens on a free port.
    static func listener(backlog: Int32 = 128) throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
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
