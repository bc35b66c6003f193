import Foundation
import NIOCore

/// A listening socket on loopback whose connections the test takes one by one: an upstream, played by the test.
final class LoopbackListener {
    let port: Int
    private let descriptor: Int32
    private var isOpen = true

    init() throws {
        descriptor = socket(AF_INET, Self.stream, 0)
        let descriptor = descriptor
        let bound = try Self.address(port: 0).withSockAddr { bind(descriptor, $0, socklen_t($1)) }
        guard bound == 0, listen(descriptor, 1024) == 0, let port = Self.port(of: descriptor) else {
            throw LoopbackSocket.Problem.system("listen", errno)
        }
        self.port = port
    }

    deinit { close() }

    /// From here on connecting to the port is refused.
    func close() {
        guard isOpen else { return }
        isOpen = false
        Foundation.close(descriptor)
    }

    /// The next connection; waits for it.
    func accept() throws -> LoopbackSocket {
        guard waits(5000 * Int32(Allowance.factor)) else {
            throw LoopbackSocket.Problem.timeout(received: "no connection")
        }
        return LoopbackSocket(descriptor: uninterrupted { Foundation.accept(descriptor, nil, nil) })
    }

    /// Whether somebody has connected who was not taken yet.
    var hasConnection: Bool { waits(0) }

    private func waits(_ milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return uninterrupted { poll(&entry, 1, milliseconds) } > 0
    }

    #if os(Linux)
        static let stream = Int32(SOCK_STREAM.rawValue)
    #else
        static let stream = SOCK_STREAM
    #endif

    /// - Parameter host: the last byte of 127.0.0.N.
    static func address(port: Int, host: UInt8 = 1) throws -> SocketAddress {
        try SocketAddress(ipAddress: "127.0.0.\(host)", port: port)
    }

    /// Read at its place in `sockaddr_in`: which module the type's members belong to depends on what is compiled together.
    private static func port(of descriptor: Int32) -> Int? {
        var bytes = [UInt8](repeating: 0, count: 128)
        var size = socklen_t(bytes.count)
        let result = bytes.withUnsafeMutableBytes {
            getsockname(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress!, &size)
        }
        return result == 0 ? Int(bytes[2]) << 8 | Int(bytes[3]) : nil
    }
}
