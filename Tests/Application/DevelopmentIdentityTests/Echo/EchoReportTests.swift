import DevelopmentIdentity
import JOSE
import Testing

@Suite(.echo) struct EchoReportTests {
    private let echo: EchoUpstream

    init() throws { echo = try #require(EchoUpstream.current) }

    private func report(_ request: String) async throws -> JSONValue {
        try #require(try await response(to: request, port: echo.port).json).root
    }

    private func pairs(_ value: JSONValue?) -> [[String?]] {
        value?.elements.map { $0.elements.map(\.string) } ?? []
    }

    @Test func `method, target and version are reported`() async throws {
        let report = try await report("PURGE /a%2Fb/../c?x=%20&y HTTP/1.0\r\nHost: a\r\n\r\n")
        #expect(report["method"]?.string == "PURGE")
        #expect(report["path"]?.string == "/a%2Fb/../c?x=%20&y")
        #expect(report["version"]?.string == "HTTP/1.0")
    }

    @Test func `fields are reported in order with their names as received`() async throws {
        let report = try await report("GET / HTTP/1.0\r\nHOST: a\r\nx-A:  1 \r\nAccept: */*\r\nX-a: 2\r\n\r\n")
        #expect(pairs(report["fields"]) == [["HOST", "a"], ["x-A", "1"], ["Accept", "*/*"], ["X-a", "2"]])
    }

    @Test func `body and trailers are reported`() async throws {
        let report = try await report(
            "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "5\r\nhello\r\n1\r\n!\r\n0\r\nX-T: 1\r\n\r\n")
        #expect(report["body"]?.string == "hello!")
        #expect(report["body_length"]?.integer == 6)
        #expect(report["body_checksum"]?.string == String(FNV1a.checksum(Array("hello!".utf8)), radix: 16))
        #expect(pairs(report["trailers"]) == [["X-T", "1"]])
    }

    @Test func `a long body is only measured`() async throws {
        let body = String(repeating: "a", count: 20_000)
        let report = try await report("POST / HTTP/1.0\r\nHost: a\r\nContent-Length: 20000\r\n\r\n\(body)")
        #expect(report["body"] == nil)
        #expect(report["body_length"]?.integer == 20_000)
        #expect(report["body_checksum"]?.string == String(FNV1a.checksum(Array(body.utf8)), radix: 16))
    }

    @Test func `the auth variable is decoded, unchanged if invalid, or null`() async throws {
        let variable = #"{"uid":"ada","provider":"google.com","token":{"sub":"ada"}}"#
        let encoded = Base64URL.encode(Array(variable.utf8))
        let report = try await report("GET / HTTP/1.0\r\nHost: a\r\nX-Auth: \(encoded)\r\n\r\n")
        #expect(report["auth"]?["token"]?["sub"]?.string == "ada")
        let undecodable = try await self.report("GET / HTTP/1.0\r\nHost: a\r\nX-Auth: a+b\r\n\r\n")
        #expect(undecodable["auth"]?["undecodable"]?.string == "a+b")
        #expect(try await self.report("GET / HTTP/1.0\r\nHost: a\r\n\r\n")["auth"]?.kind == .null)
    }

    @Test func `connections and their requests are numbered`() async throws {
        _ = try await exchange(echo.port, "/")
        let client = try await SocketClient(port: echo.port)
        try await client.transmit("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let text = try await client.read(until: #""connection":2,"request":2"#)
        #expect(text.contains(#""connection":2,"request":1"#))
        #expect(echo.connectionCount == 2)
        #expect(echo.requestCount == 3)
    }
}
