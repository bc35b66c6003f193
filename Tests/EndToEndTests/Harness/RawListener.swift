import Foundation

@testable import SystemFixtures

/// A listening socket on loopback. The test accepts its connections one by one, as an upstream under its control.
final class RawListener: Sendable {
    let port: Int
    private let descriptor: Int32

    /// - Parameter backlog: The number of connections that the kernel completes before they are accepted.
    init(backlog: Int32 = 128) throws {
        (descriptor, port) = try Ports.listener(backlog: backlog)
    }

    deinit {
        close(descriptor)
    }

    var url: String { "http://127.0.0.1:\(port)" }

    /// Waits for the next connection and returns it.
    func take() throws -> RawClient {
        guard isWaited(Int32(Allowance.hangSeconds) * 1000) else { throw Impatience("nobody connected") }
        let connection = uninterrupted { accept(descriptor, nil, nil) }
        guard connection >= 0 else { throw RawClient.Failure(call: "accept", number: errno) }
        // Gateways that other tests start meanwhile must not inherit the socket, because they would keep it open.
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        return RawClient(descriptor: connection)
    }

    /// Returns whether a client connects within `milliseconds`.
    func isWaited(_ milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return uninterrupted { poll(&entry, 1, milliseconds) } > 0
    }
}
