import DevelopmentIdentity
import IdentityFixtures
import Testing

@testable import SystemFixtures

/// Short, but sufficient for an ordinary client on a slow machine.
private let limits = """
    { head_timeout: \(400 * Allowance.factor)ms, idle_timeout: \(700 * Allowance.factor)ms,
      request_timeout: \(2 * Allowance.factor)s }
    """

/// Clients that send and read as slowly as the timeouts permit.
@Suite(.sharedScenario { $0["limits"] = limits })
struct SlowClientTests: SharedScenarioSuite {
    /// Runs `body` with a bystander. `body` must leave no connection.
    private func bounded(_ body: () async throws -> Void) async throws {
        try await scenario.unharmed { try await body() }
        try await scenario.untilQuiet()
    }

    @Test func `K-07: single bytes do not extend the timeout of a head`() async throws {
        try await bounded {
            let client = try scenario.client(sending: "GET /public/x HTTP/1.1\r\nHost: a\r\nX-Drip: ")
            try client.drip(repeatElement(UInt8(ascii: "a"), count: 1000), pause: 20)
            expectDenial(try client.response(), 408, "request/timeout")
        }
    }

    @Test func `a slow body is forwarded as long as it arrives`() async throws {
        try await bounded {
            let client = try scenario.client(
                sending: "POST /public/slow HTTP/1.1\r\nHost: a\r\nContent-Length: 40\r\n\r\n")
            try client.drip(BodyPattern.bytes(40), pause: 25)
            #expect(EchoReport(try client.response())?.body.utf8.count == 40)
        }
    }

    @Test(arguments: ["Content-Length: 100000", "Transfer-Encoding: chunked"])
    func `a body that does not end is limited by the request timeout`(framing: String) async throws {
        try await bounded {
            let client = try scenario.client(
                sending: "POST /public/drip HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n10000\r\n")
            try client.drip(repeatElement(UInt8(ascii: "a"), count: 1000), pause: 20)
            expectDenial(try client.response(), 408, "request/timeout")
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

    @Test func `a client that stops reading is closed and its upstream connection released`() async throws {
        try await bounded {
            let client = try scenario.connect(receiveBuffer: 4096)
            try client.send(WireRequest.get("/public/unread?bytes=100000000").bytes)
            _ = try client.readHead()
            _ = try await eventually("a moment without requests") {
                try scenario.gateway.metric("gatehouse_requests_in_flight") == 0 ? true : nil
            }
            #expect(((try? client.readToEnd()) ?? []).count < 100_000_000)
        }
    }
}
