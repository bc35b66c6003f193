import Foundation

@testable import SystemFixtures

/// A listening socket on loopback whose connections the test accepts one by one, as an upstream under its control.
final class RawListener: Sendable {
    let port: Int
    private let descriptor: Int32

    /// - Parameter backlog: the number of connections that the kernel makes before they are accepted.
    init(backlog: Int32 = 128) throws {
        (descriptor, port) = try Ports.listener(backlog: backlog)
    }

    deinit {
        close(descriptor)
    }

    var url: String { "http://127.0.0.1:\(port)" }

    /// The next connection; waits for it.
    func take() throws -> RawClient {
        guard isWaited(15_000 * Int32(Allowance.factor)) else { throw Impatience("nobody connected") }
        let connection = uninterrupted { accept(descriptor, nil, nil) }
        guard connection >= 0 else { throw RawClient.Failure(call: "accept", number: errno) }
        // Not for the gateways that other tests start meanwhile: they would keep it open.
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        return RawClient(descriptor: connection)
    }

    /// Whether a client connects within so many milliseconds.
    func isWaited(_ milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return uninterrupted { poll(&entry, 1, milliseconds) } > 0
    }
}
