import DevelopmentIdentity
import Foundation
import IdentityFixtures
import Testing

@testable import SystemFixtures

/// The gateway and its upstream agree on the end of each request.
@Suite(.sharedScenario) struct FramingCaseTests: SharedScenarioSuite {
    /// Field lines that another server could interpret as framing, before a request that must not be forwarded.
    static let framings: [String] = [
        "Content-Length: 0\nTransfer-Encoding: chunked",
        "Content-Length: 6\nTransfer-Encoding: chunked\nContent-Length: 6",
        "Transfer-Encoding: chunked\nTransfer-Encoding: identity", "Transfer-Encoding: identity",
        "Transfer-Encoding: chunked, chunked", "Transfer-Encoding: chunked;q=1", "Transfer-Encoding: ,chunked",
        "Transfer-Encoding: chunked,", "Transfer-Encoding: deflate", "Transfer-Encoding: xchunked",
        "Transfer-Encoding: chunkedx",
        "Transfer-Encoding: CHUNKED, x", "Transfer-Encoding: \"chunked\"", "Transfer-Encoding: chunked\u{B}",
        "Transfer-Encoding: \u{A0}chunked", "Transfer-Encoding\t: chunked", "Transfer-Encoding\u{0}: chunked",
        "Transfer-Encoding\u{A0}: chunked", "X: a\u{D}Transfer-Encoding: chunked", "X: a␊Transfer-Encoding: chunked",
        "Foo: bar\n Transfer-Encoding: chunked", "Foo: bar\n\tContent-Length: 30", "\tContent-Length: 30",
        " Transfer-Encoding: chunked", ": Content-Length", ":", ":0", "Content-Length", "Content-Length 30",
        "Content-Length: +30", "Content-Length: -0", "Content-Length: 30 ,30", "Content-Length: 30, 30",
        "Content-Length: 3 0",
        "Content-Length: 0x1e", "Content-Length: 30.0", "Content-Length: 3e1", "Content-Length: 30;",
        "Content-Length: \"30\"",
        "Content-Length: ", "Content-Length: a", "Content-Length: 18446744073709551616",
        "Content-Length: 9223372036854775808",
        "Content-Length: 30\nContent-Length: 0", "content-length: 0\nCONTENT-LENGTH: 30",
        "Content-Length: 30\ncontent-length: 30",
        "Content-Length:\u{FF}30", "Content_Length: 30\nContent-Length: +1", "Content-Length : 4",
        "Transfer-Encoding : chunked", "Transfer-Encoding: gzip, chunked", "Transfer-Encoding:",
        "Transfer-Encoding: chunked\nTransfer-Encoding: chunked", "Transfer-Encoding: Chunked",
        "Transfer-Encoding:\tchunked", "X A: b", "X-A: b\u{0}c", "X-A: b\u{1}c", "X-\u{E4}: b", "Host: b",
    ]

    @Test(.tags(.k01), arguments: framings, ["POST", "GET", "DELETE"])
    func `no framing hides a request`(lines: String, method: String) throws {
        let before = scenario.echo.requestCount
        let text: RawRequest = """
            \(method) /public/k01 HTTP/1.1\nHost: a\n\(lines)\n\nGET /public/smuggled HTTP/1.1\nHost: a\n\n
            """
        let client = try scenario.connect()
        try client.send(text.bytes(scenario))
        let response = try client.response()
        expectDenial(response, 400, "request/malformed", "\(method) \(lines)")
        #expect(response["Connection"] == "close")
        client.finishSending()
        #expect(try client.readToEnd() == [])
        #expect(scenario.echo.requestCount == before)
    }

    /// Fields that resemble framing fields. They can be forwarded, but do not frame a body.
    @Test(arguments: [
        "Content_Length: 30", "Transfer_Encoding: chunked", "X-Content-Length: 30", "Content-Lengthy: 30",
        "Transfer.Encoding: chunked",
    ])
    func `K-01: fields that resemble framing do not frame a body`(line: String) throws {
        let client = try scenario.client(
            sending:
                "GET /public/first HTTP/1.1\r\nHost: a\r\n\(line)\r\n\r\nGET /public/second HTTP/1.1\r\nHost: a\r\n\r\n"
        )
        #expect(EchoReport(try client.response())?.path == "/public/first")
        let second = try #require(EchoReport(try client.response()))
        #expect(second.path == "/public/second" && second.body == "")
    }

    static let chunks: [String] = [
        "5 \nhello\n0\n\n", "5\u{9}\nhello\n0\n\n", "+5\nhello\n0\n\n", "-5\nhello\n0\n\n", "0x5\nhello\n0\n\n",
        "5;\u{0}\nhello\n0\n\n",
        "5;a=␊\nhello\n0\n\n", "5␊hello\n0\n\n", "5\u{D}hello\n0\n\n", "5\nhelloX\n0\n\n", "5\nhello␊0\n\n",
        "5\nhello0\n\n",
        "5,5\nhello\n0\n\n", "\n5\nhello\n0\n\n", "g\nhello\n0\n\n", "\u{FF}\nhello\n0\n\n",
        "10000000000000005\nhello\n0\n\n",
        "5\nhello\n0\nX-A : b\n\n", "5\nhello\n0\n X-A: b\n\n", "5\nhello\n0\nX\u{0}A: b\n\n",
        "5\nhello\n0\nno colon\n\n",
        "5\nhello\n00000000000000000000\nX-A: b␊X-B: c\n\n", " 5\nhello\n0\n\n",
    ]

    @Test(.tags(.k01), arguments: chunks)
    func `a body with an invalid chunk is not forwarded as complete`(chunks: String) throws {
        let text: RawRequest =
            "POST /public/chunks HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n\(chunks)GET /public/smuggled HTTP/1.1\nHost: a\n\n"
        let client = try scenario.connect()
        try client.send(text.bytes(scenario))
        expectDenial(try client.response(), 400, "request/malformed", chunks)
        client.finishSending()
        #expect(try client.readToEnd() == [])
        #expect(!scenario.echo.received.contains { $0.path == "/public/smuggled" })
        #expect(!scenario.echo.received.contains { $0.path == "/public/chunks" && $0.isComplete })
    }

    @Test(
        arguments: [
            "POST /public/old HTTP/1.0\nHost: a\nTransfer-Encoding: chunked\n\n0\n\nGET /public/smuggled HTTP/1.1\nHost: a\n\n",
            "POST /public/old HTTP/1.0\nHost: a\nConnection: keep-alive\nTransfer-Encoding: chunked\n\n0\n\n",
            "POST /public/old HTTP/1.0\nHost: a\nContent-Length: 0\nTransfer-Encoding: chunked\n\n0\n\n",
            "POST /public/old HTTP/0.9\nHost: a\n\n", "POST /public/old HTTP/1.1 \nHost: a\n\n",
            "POST /public/old HTTP/01.1\nHost: a\n\n",
            "POST /public/old HTTP/1.1x\nHost: a\n\n", "POST /public/old HTTP/3\nHost: a\n\n",
            "POST /public/old  HTTP/1.1\nHost: a\n\n",
            "POST /public/old HTTP/1.\u{B2}\nHost: a\n\n", "POST /public/old\nHost: a\n\n",
            "\u{16}\u{3}\u{1}\u{0}\u{A5}\u{1}\n\n", "GET /public/old http/1.1\nHost: a\n\n",
            "GET /public/\u{E4} HTTP/1.1\nHost: a\n\n",
        ] as [RawRequest])
    func `K-01: a request line of another form is rejected`(request: RawRequest) throws {
        let before = scenario.echo.requestCount
        let client = try scenario.connect()
        try client.send(request.bytes(scenario))
        expectDenial(try client.response(), 400, "request/malformed", request.text)
        client.finishSending()
        #expect(try client.readToEnd() == [])
        #expect(scenario.echo.requestCount == before)
    }

    /// gzip of "hello" repeated. The gateway does not interpret the encoding of a body.
    private static let gzip: [UInt8] =
        [0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 0x03] + [0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0] + [
            0x86, 0xA6, 0x10, 0x36, 5, 0, 0, 0,
        ]

    @Test(.tags(.k09)) func `a body is never decompressed`() throws {
        let client = try scenario.connect()
        let request = WireRequest.post(
            "/public/k09", "Content-Encoding: gzip", "Accept-Encoding: gzip, br", body: Self.gzip)
        let report = try #require(EchoReport(try client.exchange(request)))
        #expect(report.bodyChecksum == String(FNV1a.checksum(Self.gzip), radix: 16))
        #expect(report["Content-Encoding"] == "gzip" && report["Accept-Encoding"] == "gzip, br")
        #expect(report["Content-Length"] == "\(Self.gzip.count)")
        // 1 MiB that is declared as compressed but is not. A decoder would fail, and a proxy forwards it unchanged.
        let answer = try client.exchange(.get("/public/k09?bytes=1048576&field=Content-Encoding:gzip"))
        #expect(answer["Content-Encoding"] == "gzip" && answer.body == BodyPattern.bytes(1_048_576))
    }

    @Test(
        .tags(.k11),
        arguments: ["hasty=1", "hasty=1&status=401", "hasty=1&bytes=100000", "hasty=1&chunked=1&bytes=1000"])
    func `the rest of a body is not read as the next request`(how: String) throws {
        for framing in ["Content-Length: 100000", "Transfer-Encoding: chunked"] {
            let client = try scenario.client(
                sending: "POST /public/owed?\(how) HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n")
            let response = try client.response()
            #expect(response.status == 200 || response.status == 401)
            // These bytes are still part of the body.
            try? client.send("GET /public/smuggled HTTP/1.1\r\nHost: a\r\n\r\n")
            for _ in 0..<3 { #expect(try scenario.passes(.get("/public/next")).path == "/public/next") }
        }
        #expect(!scenario.echo.received.contains { $0.path == "/public/smuggled" })
    }

    static let upgrades: [[String]] = [
        [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ],
        ["Connection: upgrade, keep-alive", "Upgrade: WebSocket"], ["Connection: Upgrade", "Upgrade: h2c, websocket"],
        ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"],
        ["Upgrade: websocket"], ["Connection: Upgrade"], ["Connection: Upgrade", "Upgrade: TLS/1.0"],
    ]

    @Test(.tags(.k13), arguments: upgrades, ["/public/k13", "/me/k13"])
    func `a request is forwarded without an upgrade that its route does not allow`(lines: [String], target: String)
        throws
    {
        let client = try scenario.connect()
        let head = lines + ["Authorization: Bearer \(try scenario.token())"]
        // The data that a client sends if it expects a tunnel. The gateway reads it as one more request.
        let frames = "GET \(target)/second HTTP/1.1\r\nHost: a\r\n\r\n"
        try client.send(WireRequest(target: target, fields: head).bytes + Array(frames.utf8))
        let first = try client.response()
        #expect(first.status == 200)
        let report = try #require(EchoReport(first))
        #expect(report["Upgrade"] == nil && report["HTTP2-Settings"] == nil)
        #expect(!report.lines.contains { $0.hasPrefix("connection") && $0.contains("upgrade") })
        #expect(try client.response().status == (target == "/me/k13" ? 401 : 200))
    }

    /// The upstream sends 101 although the forwarded request has no upgrade.
    @Test(.tags(.k13), arguments: upgrades)
    func `an unexpected 101 response opens no tunnel`(lines: [String]) throws {
        let before = scenario.echo.received.filter { $0.path == "/public/behind" }.count
        let client = try scenario.client(sending: WireRequest(target: "/public/k13?raw=switching", fields: lines))
        expectDenial(try client.response(), 502, "upstream/invalid-response")
        try? client.send("GET /public/behind HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try? client.response()
        // If the request was forwarded, it passed all checks and used a connection that is not a tunnel.
        let seen = scenario.echo.received.filter { $0.path == "/public/behind" }
        #expect(seen.count - before <= 1)
        for request in seen { #expect(request.values(of: "X-Forwarded-For") == ["127.0.0.1"]) }
    }
}
