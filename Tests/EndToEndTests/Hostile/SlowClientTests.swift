import IdentityFixtures
import Testing

@testable import SystemFixtures

/// Clients that send and read slowly, but within the timeouts. Other clients are not delayed.
@Suite(.sharedScenario)
struct SlowClientTests: SharedScenarioSuite {
    /// Runs `body` with a bystander. `body` must leave no connection.
    private func bounded(_ body: () async throws -> Void) async throws {
        try await scenario.unharmed { try await body() }
        try await scenario.untilQuiet()
    }

    @Test func `a slow body is forwarded as long as it arrives`() async throws {
        try await bounded {
            let client = try scenario.client(
                sending: "POST /public/slow HTTP/1.1\r\nHost: a\r\nContent-Length: 40\r\n\r\n")
            try client.drip(BodyPattern.bytes(40), pause: 25)
            #expect(EchoReport(try client.response())?.body.utf8.count == 40)
        }
    }

    @Test func `a response is sent as long as it is read`() async throws {
        try await bounded {
            let client = try scenario.connect(receiveBuffer: 65_536)
            try client.send(WireRequest.get("/public/long?bytes=4000000", "Connection: close").bytes)
            _ = try client.readHead()
            var received = 0
            while case let part = try client.readSome(), !part.isEmpty { received += part.count }
            #expect(received == 4_000_000)
        }
    }
}
