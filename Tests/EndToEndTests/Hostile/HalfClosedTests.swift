import DevelopmentIdentity
import IdentityFixtures
import Testing

@testable import SystemFixtures

/// Clients that have nothing more to say.
@Suite(.sharedScenario { $0["limits"] = "{ idle_timeout: \(Allowance.setting(milliseconds: 700)) }" })
struct HalfClosedClientTests {
    let scenario: Scenario

    init() throws { scenario = try Scenario.current }

    private func halfClosed(after text: String) throws -> RawClient {
        let client = try RawClient(port: scenario.gateway.port, receiveBuffer: 4096)
        try client.send(text)
        client.finishSending()
        return client
    }

    @Test(arguments: ["", "GE", "GET /public/x HTTP/1.1\r\nHost: a\r\n"])
    func withoutAWholeHeadThereIsNothingToAnswer(text: String) async throws {
        #expect(try halfClosed(after: text).readToEnd() == [])
        try await scenario.untilQuiet()
    }

    @Test(arguments: [
        "Content-Length: 100\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "Transfer-Encoding: chunked\r\n\r\n64\r\nhello", "Transfer-Encoding: chunked\r\n\r\n0\r\n",
    ])
    func aBodyThatIsCutShortNeverLooksWhole(rest: String) async throws {
        let path = "/public/cut/\(rest.utf8.count)"
        #expect(try halfClosed(after: "POST \(path) HTTP/1.1\r\nHost: a\r\n\(rest)").readToEnd() == [])
        try await scenario.untilQuiet()
        #expect(!scenario.echo.received.contains { $0.path == path && $0.isComplete })
    }

    @Test func aRequestThatWaitsIsStillAnswered() async throws {
        let heads = scenario.echo.requestCount
        let client = try halfClosed(after: "GET /public/wait?hold=half HTTP/1.1\r\nHost: a\r\n\r\n")
        await scenario.echo.waitForRequests(heads + 1)
        scenario.echo.release("half")
        #expect(EchoReport(try client.response())?.path.hasPrefix("/public/wait") == true)
        #expect(try client.readToEnd() == [])
    }

    @Test func whoDoesNotReadTheAnswerIsGivenUp() async throws {
        let client = try halfClosed(after: "GET /public/x?bytes=100000000 HTTP/1.1\r\nHost: a\r\n\r\n")
        try await scenario.untilQuiet()
        #expect(((try? client.readToEnd()) ?? []).count < 100_000_000)
    }
}

/// Upstreams that have nothing more to say.
struct HalfClosedUpstreamTests {
    private func exchange(
        _ part: String, _ body: (Scenario, RawListener, RawClient, RawClient) async throws -> Void
    ) async throws {
        try await Scenario.runWithRawUpstream { scenario, listener in
            let client = try RawClient(port: scenario.gateway.port)
            try client.send(WireRequest.get("/raw/x").bytes)
            let server = try listener.take()
            _ = try server.readHead()
            try server.send(part)
            server.finishSending()
            try await body(scenario, listener, client, server)
        }
    }

    @Test(arguments: AnswerPart.allCases.filter { !$0.endsWithItsConnection })
    func anAnswerThatItCutsShortIsNotPassedOffAsWhole(part: AnswerPart) async throws {
        try await exchange(part.rawValue) { scenario, _, client, _ in
            if part.hasHead {
                #expect(throws: (any Error).self) { try client.response() }
            } else {
                let code = part == .nothing ? "upstream/unreachable" : "upstream/invalid-response"
                expectDenial(try client.response(), 502, code)
            }
            try await scenario.untilQuiet()
        }
    }

    @Test func anAnswerThatItEndsSoIsWhole() async throws {
        try await exchange(AnswerPart.partUntilTheEnd.rawValue) { _, _, client, _ in
            let response = try client.response()
            #expect(response.text == "hello")
        }
    }

    @Test func itsConnectionIsNotUsedAgain() async throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
        try await exchange(answer) { _, listener, client, first in
            #expect(try client.response().text == "hello")
            #expect(try first.readToEnd() == [])
            try client.send(WireRequest.get("/raw/y").bytes)
            let second = try listener.take()
            _ = try second.readHead()
            try second.send(answer)
            #expect(try client.response().text == "hello")
        }
    }
}
