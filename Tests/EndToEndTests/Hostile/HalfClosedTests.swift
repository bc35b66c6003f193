import DevelopmentIdentity
import IdentityFixtures
import Testing

@testable import SystemFixtures

/// Clients that close their sending direction.
@Suite(.sharedScenario { $0["limits"] = "{ idle_timeout: \(Allowance.setting(milliseconds: 700)) }" })
struct HalfClosedClientTests: SharedScenarioSuite {
    private func halfClosed(after text: String) throws -> RawClient {
        let client = try RawClient(port: scenario.gateway.port, receiveBuffer: 4096)
        try client.send(text)
        client.finishSending()
        return client
    }

    @Test(arguments: ["", "GE", "GET /public/x HTTP/1.1\r\nHost: a\r\n"])
    func `an incomplete head gets no response`(text: String) async throws {
        #expect(try halfClosed(after: text).readToEnd() == [])
        try await scenario.untilQuiet()
    }

    @Test(arguments: [
        "Content-Length: 100\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "Transfer-Encoding: chunked\r\n\r\n64\r\nhello", "Transfer-Encoding: chunked\r\n\r\n0\r\n",
    ])
    func `a truncated body is never forwarded as complete`(rest: String) async throws {
        let path = "/public/cut/\(rest.utf8.count)"
        #expect(try halfClosed(after: "POST \(path) HTTP/1.1\r\nHost: a\r\n\(rest)").readToEnd() == [])
        try await scenario.untilQuiet()
        #expect(!scenario.echo.received.contains { $0.path == path && $0.isComplete })
    }

    @Test func `a waiting request still gets its response`() async throws {
        let heads = scenario.echo.requestCount
        let client = try halfClosed(after: "GET /public/wait?hold=half HTTP/1.1\r\nHost: a\r\n\r\n")
        await scenario.echo.waitForRequests(heads + 1)
        scenario.echo.release("half")
        #expect(EchoReport(try client.response())?.path.hasPrefix("/public/wait") == true)
        #expect(try client.readToEnd() == [])
    }

    @Test func `a client that does not read its response is closed`() async throws {
        let client = try halfClosed(after: "GET /public/x?bytes=100000000 HTTP/1.1\r\nHost: a\r\n\r\n")
        try await scenario.untilQuiet()
        #expect(((try? client.readToEnd()) ?? []).count < 100_000_000)
    }
}
