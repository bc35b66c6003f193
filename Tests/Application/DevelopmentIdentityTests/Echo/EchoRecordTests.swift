import DevelopmentIdentity
import JOSE
import Testing

@Suite(.echo) struct EchoRecordTests {
    private let echo: EchoUpstream

    init() throws { echo = try #require(EchoUpstream.current) }

    @Test func `received requests are recorded`() async throws {
        _ = try await exchange(echo.port, "POST", "/a?b", fields: "X-A: 1\r\nx-a: 2\r\n", body: "hi")
        let request = try #require(echo.received.first)
        #expect(request.method == "POST" && request.target == "/a?b" && request.path == "/a")
        #expect(request.values(of: "X-a") == ["1", "2"])
        #expect(request.bodyText == "hi")
        #expect(request.isComplete)
    }

    @Test func `only the latest requests are kept`() async throws {
        for number in 1...20 { _ = try await exchange(echo.port, "/\(number)") }
        #expect(echo.received.map(\.target) == (5...20).map { "/\($0)" })
        #expect(echo.requestCount == 20)
    }

    @Test func `a request that breaks off is recorded as incomplete`() async throws {
        let client = try await SocketClient(port: echo.port)
        try await client.transmit("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello")
        client.shutDown()
        await echo.waitForRequests(1)
        let request = try #require(echo.received.first)
        #expect(!request.isComplete)
        #expect(request.bodyLength == 5)
    }

    @Test func `a malformed request gets 400 and is not recorded`() async throws {
        let request = "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n"
        #expect(try await response(to: request, port: echo.port).status == 400)
        #expect(echo.received.isEmpty)
    }

    @Test func `requests ahead of their responses are bounded`() async throws {
        let client = try await SocketClient(port: echo.port)
        try await client.transmit(
            "GET /?hold=never HTTP/1.1\r\nHost: a\r\n\r\n"
                + String(repeating: "GET /?status=204 HTTP/1.1\r\nHost: a\r\n\r\n", count: 5000))
        let received = try? await client.readToEnd()
        #expect(received ?? [] == [])
    }

    @Test func `waiting ends with the task`() async throws {
        let waiting = Task { await echo.waitForRequests(1) }
        waiting.cancel()
        await waiting.value
        #expect(echo.requestCount == 0)
    }
}
