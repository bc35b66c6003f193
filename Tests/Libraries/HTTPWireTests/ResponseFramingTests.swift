import HTTPWire
import Testing

struct ResponseFramingTests {
    @Test func `the fields determine the end of the body`() throws {
        #expect(try ParsedResponse(response(200, "Content-Length: 5")).head.framing == .length(5))
        #expect(try ParsedResponse(response(200, "Transfer-Encoding: chunked")).head.framing == .chunked)
        #expect(try ParsedResponse(response(200, "Transfer-Encoding: Chunked")).head.framing == .chunked)
        let untilClose = try ParsedResponse(response(200)).head
        #expect(untilClose.framing == .untilClose && !untilClose.keepAlive)
    }

    @Test(arguments: [204, 304]) func `204 and 304 have no body`(status: Int) throws {
        #expect(try ParsedResponse(response(status)).head.framing == .none)
        #expect(try ParsedResponse(response(status, "Content-Length: 5")).head.framing == .none)
        #expect(try ParsedResponse(response(status, "Transfer-Encoding: chunked")).head.framing == .none)
    }

    @Test func `the response to HEAD has no body`() throws {
        #expect(try ParsedResponse(response(200, "Content-Length: 5"), to: .head).head.framing == .none)
        #expect(try ParsedResponse(response(404, "Transfer-Encoding: chunked"), to: .head).head.framing == .none)
        #expect(try ParsedResponse(response(200), to: .head).head.keepAlive)
    }

    @Test func `an interim response has no body and no framing fields`() throws {
        #expect(try ParsedResponse(response(103, "Link: </x>")).head.framing == .none)
        #expect(try ParsedResponse(response(101, "Content-Length: 0")).head.framing == .none)
        #expect(responseRefusal(response(100, "Content-Length: 5")) == .malformed(reason: "1xx response with a body"))
        #expect(responseRefusal(response(101, "Transfer-Encoding: chunked")) != nil)
    }

    @Test(arguments: [
        ["Content-Length: 5", "Transfer-Encoding: chunked"], ["Content-Length: 5", "Content-Length: 5"],
        ["Content-Length: 5", "Content-Length: 6"], ["Content-Length: 5, 5", "A: b"], ["Content-Length: +5", "A: b"],
        ["Content-Length:", "A: b"], ["Transfer-Encoding: gzip, chunked", "A: b"], ["Transfer-Encoding: gzip", "A: b"],
        ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], ["Transfer-Encoding: xchunked", "A: b"],
        ["Transfer-Encoding: chunked\t", "A: b"], ["Transfer-Encoding:\tchunked", "A: b"],
    ])
    func `K-01: a response with ambiguous or invalid framing is rejected`(lines: [String]) {
        #expect(responseRefusal(response(200, lines[0], lines[1])) != nil)
        #expect(responseRefusal(response(200, lines[0], lines[1]), to: .head) != nil)
    }

    @Test func `chunks in HTTP/1.0 are rejected`() {
        #expect(responseRefusal("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n") != nil)
    }

    /// Otherwise the client would read the body as the next response.
    @Test(arguments: [(304, Method.get), (204, .get), (200, .head)])
    func `a bodiless response with framing fields ends the connection`(status: Int, method: Method) throws {
        for (line, isKept) in [
            ("ETag: a", true), ("Content-Length: 0", true), ("Content-Length: 5", false),
            ("Transfer-Encoding: chunked", false),
        ] {
            #expect(try ParsedResponse(response(status, line), to: method).head.keepAlive == isKept)
        }
    }

    @Test func `a tunnel has no body and is not reused`() throws {
        let tunnel = try ParsedResponse(response(200, "Content-Length: 5"), to: .connect).head
        #expect(tunnel.framing == .none && !tunnel.keepAlive)
        #expect(try ParsedResponse(response(407, "Content-Length: 5"), to: .connect).head.framing == .length(5))
        #expect(try !ParsedResponse(response(101)).head.keepAlive)
    }
}
