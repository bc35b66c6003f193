import DevelopmentIdentity
import Testing

/// A request whose end could be seen differently by somebody behind us.
struct AmbiguousRequest: Sendable, CustomTestStringConvertible {
    let what: String
    let text: String
    var testDescription: String { what }

    init(_ what: String, _ text: String) {
        self.what = what
        self.text = text.replacing("\n", with: "\r\n").replacing("LF", with: "\n").replacing("CR", with: "\r")
    }

    /// Field lines of a POST with a smuggled request for a body.
    static func post(_ what: String, _ lines: String) -> Self {
        Self(what, "POST /public/x HTTP/1.1\nHost: a\n\(lines)\n\nGET /smuggled HTTP/1.1\nHost: a\n\n")
    }

    /// Field lines of a GET.
    static func get(_ what: String, _ lines: String) -> Self {
        Self(what, "GET /public/x HTTP/1.1\nHost: a\n\(lines)\n\n")
    }

    static let framing: [Self] = [
        .post("both length and coding", "Content-Length: 4\nTransfer-Encoding: chunked"),
        .post("both, the other way", "Transfer-Encoding: chunked\nContent-Length: 4"),
        .post("two lengths", "Content-Length: 4\nContent-Length: 5"),
        .post("one length twice", "Content-Length: 4\nContent-Length: 4"),
        .post("a list of lengths", "Content-Length: 4, 4"),
        .post("a length with a sign", "Content-Length: +5"),
        .post("a negative length", "Content-Length: -5"),
        .post("an empty length", "Content-Length:"),
        .post("a hexadecimal length", "Content-Length: 0x4"),
        .post("a length beyond 64 bits", "Content-Length: 99999999999999999999"),
        .post("a length with a space", "Content-Length: 1 2"),
        .post("xchunked", "Transfer-Encoding: xchunked"),
        .post("gzip, chunked", "Transfer-Encoding: gzip, chunked"),
        .post("chunked, identity", "Transfer-Encoding: chunked, identity"),
        .post("chunked twice", "Transfer-Encoding: chunked\nTransfer-Encoding: chunked"),
        .post("an empty coding", "Transfer-Encoding:"),
        .post("upper case", "Transfer-Encoding: Chunked"),
        .post("a tab", "Transfer-Encoding:\tchunked"),
        .post("a vertical tab before chunked", "Transfer-Encoding: \u{0B}chunked"),
        .post("chunked in quotes", "Transfer-Encoding: \"chunked\""),
        .post("space before the colon", "Transfer-Encoding : chunked"),
        .post("space before the colon of a length", "Content-Length : 4"),
        .post("a folded field", "X-A: b\n Content-Length: 4"),
        .init("a coding in HTTP/1.0", "POST /public/x HTTP/1.0\nHost: a\nTransfer-Encoding: chunked\n\n0\n\n"),
    ]

    static let lines: [Self] = [
        .get("an empty name", ": x"), .get("no colon", "X-A"), .get("a name with a space", "X A: b"),
        .get("a space at the beginning", " X-A: b"), .get("a bare LF", "X-A: bLFX-B: c"),
        .get("a bare CR", "X-A: bCRX-B: c"),
        .get("a NUL", "X-A: b\u{0}c"), .get("a control", "X-A: b\u{1}c"), .get("a name beyond ASCII", "X-\u{e4}: b"),
        .get("two hosts", "Host: b"), .init("no host", "GET /public/x HTTP/1.1\n\n"),
        .init("B-19 an empty host", "GET /public/x HTTP/1.1\nHost:\n\n"),
        .init("B-19 a host with a path", "GET /public/x HTTP/1.1\nHost: a/b\n\n"),
        .init("B-19 a host with a user", "GET /public/x HTTP/1.1\nHost: u@a\n\n"),
        .init("no version", "GET /public/x\nHost: a\n\n"), .init("HTTP/2.0", "GET /public/x HTTP/2.0\nHost: a\n\n"),
        .init("HTTP/1.2 in lower case", "GET /public/x http/1.1\nHost: a\n\n"),
        .init("two spaces", "GET  /public/x HTTP/1.1\nHost: a\n\n"),
        .init("C-04 a method with a space", "GET /public/x HTTP/1.1 /y HTTP/1.1\nHost: a\n\n"),
        .init("B-13 no slash", "GET public/x HTTP/1.1\nHost: a\n\n"),
        .init("B-13 GET *", "GET * HTTP/1.1\nHost: a\n\n"),
        .init("bytes beyond ASCII in the target", "GET /public/\u{e4} HTTP/1.1\nHost: a\n\n"),
        .init("TLS", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\n\n"),
    ]
}

@Suite(.sharedScenario) struct FramingTests {
    let scenario: Scenario

    init() throws { scenario = try Scenario.current }

    @Test(arguments: AmbiguousRequest.framing + AmbiguousRequest.lines)
    func k01AnAmbiguousRequestIsRefusedAndItsConnectionClosed(_ request: AmbiguousRequest) throws {
        let before = scenario.echo.requestCount
        let client = try RawClient(port: scenario.gateway.port)
        try client.send(request.text)
        let response = try client.response()
        expectDenial(response, 400, "request/malformed", request.what)
        #expect(response["Connection"] == "close")
        client.finishSending()
        #expect(try client.readToEnd() == [])
        #expect(scenario.echo.requestCount == before)
    }

    @Test(arguments: [
        "z\r\nhi\r\n", "-1\r\n", "\r\n", "2\r\nhiX\r\n", "2\nhi\n", "fffffffffffffffff\r\n", " 2\r\nhi\r\n",
        "0x2\r\nhi\r\n",
    ])
    func k01ABadChunkEndsTheRequest(chunks: String) throws {
        let client = try RawClient(port: scenario.gateway.port)
        try client.send("POST /public/chunk HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)")
        expectDenial(try client.response(), 400, "request/malformed")
        #expect(!scenario.echo.received.contains { $0.path == "/public/chunk" && $0.isComplete })
    }
}
