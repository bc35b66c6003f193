import Foundation

/// A listening socket on loopback whose connections the test takes one by one: an upstream, played by the test.
final class LoopbackListener {
    let port: Int
    private let descriptor: Int32
    private var isOpen = true

    init() throws {
        descriptor = socket(AF_INET, Self.stream, 0)
        var address = Self.address(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 1024) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard result else { throw LoopbackSocket.Problem.system("listen", errno) }
        port = Int(UInt16(bigEndian: address.sin_port))
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
        return LoopbackSocket(descriptor: Foundation.accept(descriptor, nil, nil))
    }

    /// Whether somebody has connected who was not taken yet.
    var hasConnection: Bool { waits(0) }

    private func waits(_ milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }

    #if os(Linux)
        static let stream = Int32(SOCK_STREAM.rawValue)
    #else
        static let stream = SOCK_STREAM
    #endif

    static func address(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }
}
