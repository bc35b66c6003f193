import DevelopmentIdentity
import IdentityFixtures
import Testing

@testable import SystemFixtures

/// Slow clients and clients that left affect only their own connections.
///
/// The limits grow with the allowance: a machine that stands still for 600 ms would otherwise end a connection before its request.
@Suite(
    .sharedScenario {
        let (head, idle) = (Allowance.setting(milliseconds: 400), Allowance.setting(milliseconds: 600))
        $0["limits"] = "{ head_timeout: \(head), idle_timeout: \(idle), request_timeout: 3s }"
    })
struct TimeLimitTests {
    let scenario: Scenario

    init() throws { scenario = try Scenario.current }

    private func connect() throws -> RawClient { try RawClient(port: scenario.gateway.port) }

    @Test func k07AHeadThatDoesNotEndIsToldSo() throws {
        let client = try connect()
        try client.send("GET /public/x HTTP/1.1\r\nHost: a\r\nX-")
        expectDenial(try client.response(), 408, "request/timeout")
        client.finishSending()
        #expect(try client.readToEnd() == [])
    }

    @Test func k07ABodyThatDoesNotComeIsToldSo() throws {
        let client = try connect()
        try client.send("POST /public/x HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999999\r\n\r\nhello")
        expectDenial(try client.response(), 408, "request/timeout")
    }

    @Test func k07AnIdleConnectionIsClosedWithoutAWord() throws {
        let client = try connect()
        #expect(try client.exchange(.get("/public/x")).status == 200)
        #expect(try client.readToEnd() == [])
    }

    @Test func aConnectionThatSaysNothingIsClosed() throws {
        #expect(try connect().readToEnd() == [])
    }

    @Test func aRequestHasATimeForEverything() throws {
        expectDenial(try scenario.send(.get("/public/x?delay=20000")), 504, "upstream/timeout")
    }
}

struct AbandonedRequestTests {
    @Test func j07AClientThatGoesAwayEndsItsRequestAtTheUpstream() async throws {
        try await Scenario.run { scenario in
            var client: RawClient? = try RawClient(port: scenario.gateway.port)
            try client?.send("POST /public/abandoned HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhello")
            await scenario.echo.waitForHeads(1)
            client = nil
            await scenario.echo.waitForRequests(1)
            #expect(scenario.echo.received.first?.isComplete == false)
            #expect(try scenario.send(.get("/public/x")).status == 200)
        }
    }

    @Test func f21AClientThatGoesAwayWhileKeysAreFetchedHarmsNobody() async throws {
        let gate = Gate()
        try await Scenario.run(
            waits: false, arrange: { provider, _, _ in provider.misbehave(.held(gate), at: .idTokenJWKSet) }
        ) { scenario in
            let token = try scenario.token()
            let patient = try RawClient(port: scenario.gateway.port)
            try patient.send(WireRequest.bearer(token, "/me/patient").bytes)
            for _ in 0..<20 {
                try RawClient(port: scenario.gateway.port).send(WireRequest.bearer(token, "/me/gone").bytes)
            }
            await scenario.provider.waitForCalls(1, to: .idTokenJWKSet)
            gate.open()
            #expect(EchoReport(try patient.response())?.path == "/me/patient")
            #expect(try scenario.send(.bearer(token, "/me/after")).status == 200)
        }
    }
}
