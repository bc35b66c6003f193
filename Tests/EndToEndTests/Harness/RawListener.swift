import Foundation
import func RedisFixtures.uninterrupted

/// A listening socket on loopback whose connections the test takes one by one: an upstream that does exactly what a test says.
final class RawListener: Sendable {
    let port: Int
    private let descriptor: Int32

    /// - Parameter backlog: how many connections the kernel makes before somebody takes them.
    init(backlog: Int32 = 128) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listens = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, backlog) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard listens else { throw RawClient.Failure(call: "listen", number: errno) }
        descriptor = listener
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit {
        close(descriptor)
    }

    var url: String { "http://127.0.0.1:\(port)" }

    /// The next connection; waits for it.
    func take() throws -> RawClient {
        guard isWaited(15_000 * Int32(Allowance.factor)) else { throw Impatience(description: "nobody connected") }
        let connection = uninterrupted { accept(descriptor, nil, nil) }
        guard connection >= 0 else { throw RawClient.Failure(call: "accept", number: errno) }
        // Not for the gateways that other tests start meanwhile: they would keep it open.
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        return RawClient(descriptor: connection)
    }

    /// Whether somebody connects within so many milliseconds.
    func isWaited(_ milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return uninterrupted { poll(&entry, 1, milliseconds) } > 0
    }
}
