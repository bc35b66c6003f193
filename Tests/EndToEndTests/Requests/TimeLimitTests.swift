import DevelopmentIdentity
import IdentityFixtures
import Testing

@testable import SystemFixtures

/// Slow clients and disconnected clients affect only their own connections.
///
/// The timeouts grow with the allowance. Otherwise a stalled machine would close a connection before its request.
@Suite(
    .sharedScenario {
        let (head, idle) = (Allowance.setting(milliseconds: 400), Allowance.setting(milliseconds: 600))
        $0["limits"] = "{ head_timeout: \(head), idle_timeout: \(idle) }"
    })
struct TimeLimitTests: SharedScenarioSuite {
    @Test func `K-07: an incomplete head is 408`() throws {
        let client = try scenario.client(sending: "GET /public/x HTTP/1.1\r\nHost: a\r\nX-")
        expectDenial(try client.response(), 408, "request/timeout")
        client.finishSending()
        #expect(try client.readToEnd() == [])
    }

    @Test func `K-07: single bytes do not extend the timeout of a head`() throws {
        let client = try scenario.client(sending: "GET /public/x HTTP/1.1\r\nHost: a\r\nX-Drip: ")
        try client.drip(repeatElement(UInt8(ascii: "a"), count: 1000), pause: 20)
        expectDenial(try client.response(), 408, "request/timeout")
    }

    @Test func `K-07: an incomplete body is 408`() throws {
        let client = try scenario.client(
            sending: "POST /public/x HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999999\r\n\r\nhello")
        expectDenial(try client.response(), 408, "request/timeout")
    }

    @Test func `K-07: an idle connection is closed without a response`() async throws {
        // On a busy machine, the timeout can pass before the first request.
        let client = try await eventually("a response") {
            let client = try scenario.connect()
            return (try? client.exchange(.get("/public/x")))?.status == 200 ? client : nil
        }
        #expect(try client.readToEnd() == [])
    }

    @Test func `a client that stops reading is closed and its upstream connection released`() async throws {
        let client = try scenario.connect(receiveBuffer: 4096)
        try client.send(WireRequest.get("/public/unread?bytes=100000000").bytes)
        _ = try client.readHead()
        _ = try await eventually("a moment without requests") {
            try scenario.gateway.metric("gatehouse_requests_in_flight") == 0 ? true : nil
        }
        #expect(((try? client.readToEnd()) ?? []).count < 100_000_000)
        try await scenario.untilQuiet()
    }
}

/// The timeout of a whole request, with long timeouts of its parts.
@Suite(.sharedScenario { $0["limits"] = "{ request_timeout: 2s }" })
struct RequestTimeoutTests: SharedScenarioSuite {
    @Test(arguments: ["Content-Length: 100000", "Transfer-Encoding: chunked"])
    func `a body that does not end is limited by the request timeout`(framing: String) async throws {
        let client = try scenario.client(
            sending: "POST /public/drip HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n10000\r\n")
        try client.drip(repeatElement(UInt8(ascii: "a"), count: 1000), pause: 20)
        expectDenial(try client.response(), 408, "request/timeout")
    }

    @Test func `the request timeout includes the response of the upstream`() throws {
        expectDenial(try scenario.send(.get("/public/x?delay=20000")), 504, "upstream/timeout")
    }
}

struct AbandonedRequestTests {
    @Test func `J-07: a client that disconnects ends its request at the upstream`() async throws {
        try await Scenario.run { scenario in
            var client: RawClient? = try scenario.connect()
            try client?.send("POST /public/abandoned HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhello")
            await scenario.echo.waitForHeads(1)
            client = nil
            await scenario.echo.waitForRequests(1)
            #expect(scenario.echo.received.first?.isComplete == false)
            #expect(try scenario.send(.get("/public/x")).status == 200)
        }
    }

    @Test func `F-21: a client that disconnects during a key fetch affects no other request`() async throws {
        let gate = Gate()
        try await Scenario.run(
            waits: false, arrange: { provider, _, _ in provider.misbehave(.held(gate), at: .idTokenJWKSet) }
        ) { scenario in
            let token = try scenario.token()
            let patient = try scenario.client(sending: WireRequest.bearer(token, "/me/patient"))
            for _ in 0..<20 {
                try scenario.connect().send(WireRequest.bearer(token, "/me/gone").bytes)
            }
            await scenario.provider.waitForCalls(1, to: .idTokenJWKSet)
            gate.open()
            #expect(EchoReport(try patient.response())?.path == "/me/patient")
            #expect(try scenario.send(.bearer(token, "/me/after")).status == 200)
        }
    }
}
