import HTTPWire
import Testing

@Suite struct ResponseFramingTests {
    @Test func theBodyEndsAsTheFieldsSay() throws {
        #expect(try ParsedResponse(answer(200, "Content-Length: 5")).head.framing == .length(5))
        #expect(try ParsedResponse(answer(200, "Transfer-Encoding: chunked")).head.framing == .chunked)
        #expect(try ParsedResponse(answer(200, "Transfer-Encoding: Chunked")).head.framing == .chunked)
        #expect(try ParsedResponse(answer(200)).head.framing == .untilClose)
    }

    @Test(arguments: [204, 304])
    func statusesWithoutABodyHaveNone(status: Int) throws {
        #expect(try ParsedResponse(answer(status)).head.framing == .none)
        #expect(try ParsedResponse(answer(status, "Content-Length: 5")).head.framing == .none)
        #expect(try ParsedResponse(answer(status, "Transfer-Encoding: chunked")).head.framing == .none)
    }

    @Test func theAnswerToHEADHasNoBody() throws {
        #expect(try ParsedResponse(answer(200, "Content-Length: 5"), to: .head).head.framing == .none)
        #expect(try ParsedResponse(answer(404, "Transfer-Encoding: chunked"), to: .head).head.framing == .none)
        #expect(try ParsedResponse(answer(200), to: .head).head.keepAlive)
    }

    @Test func anInterimResponseHasNoBodyAndMayNotClaimOne() throws {
        #expect(try ParsedResponse(answer(103, "Link: </x>")).head.framing == .none)
        #expect(try ParsedResponse(answer(101, "Content-Length: 0")).head.framing == .none)
        #expect(responseRefusal(answer(100, "Content-Length: 5")) == .malformed(reason: "1xx response with a body"))
        #expect(responseRefusal(answer(101, "Transfer-Encoding: chunked")) != nil)
    }

    @Test(
        "K-01: an upstream that frames its body in two ways or oddly is refused",
        arguments: [
            ["Content-Length: 5", "Transfer-Encoding: chunked"], ["Content-Length: 5", "Content-Length: 5"],
            ["Content-Length: 5", "Content-Length: 6"], ["Content-Length: 5, 5", "A: b"],
            ["Content-Length: +5", "A: b"],
            ["Content-Length:", "A: b"], ["Transfer-Encoding: gzip, chunked", "A: b"],
            ["Transfer-Encoding: gzip", "A: b"],
            ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], ["Transfer-Encoding: xchunked", "A: b"],
            ["Transfer-Encoding: chunked\t", "A: b"], ["Transfer-Encoding:\tchunked", "A: b"],
        ])
    func oddFramingIsRefused(lines: [String]) {
        #expect(responseRefusal(answer(200, lines[0], lines[1])) != nil)
        #expect(responseRefusal(answer(200, lines[0], lines[1]), to: .head) != nil)
    }

    @Test func chunksOfHTTP10AreRefused() {
        #expect(responseRefusal("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n") != nil)
    }

    @Test func aBodyUntilCloseEndsTheConnection() throws {
        #expect(try !ParsedResponse(answer(200)).head.keepAlive)
    }

    @Test("What is sent after an answer without a body reaches nobody else", arguments: [304, 200])
    func anAnswerWithoutABodyThatFramesOneEndsTheConnection(status: Int) throws {
        func keepsAlive(_ lines: String...) throws -> Bool {
            let text = (["HTTP/1.1 \(status) X"] + lines).joined(separator: "\r\n") + "\r\n\r\n"
            return try ParsedResponse(text, to: status == 304 ? .get : .head).head.keepAlive
        }
        #expect(try keepsAlive("ETag: a"))
        #expect(try keepsAlive("Content-Length: 0"))
        #expect(try !keepsAlive("Content-Length: 5"))
        #expect(try !keepsAlive("Transfer-Encoding: chunked"))
    }

    @Test func a204ThatFramesABodyEndsTheConnection() throws {
        #expect(try ParsedResponse(answer(204)).head.keepAlive)
        #expect(try ParsedResponse(answer(204, "Content-Length: 0")).head.keepAlive)
        #expect(try !ParsedResponse(answer(204, "Content-Length: 5")).head.keepAlive)
        #expect(try !ParsedResponse(answer(204, "Transfer-Encoding: chunked")).head.keepAlive)
    }

    @Test func aTunnelHasNoBodyAndIsNotReused() throws {
        let response = try ParsedResponse(answer(200, "Content-Length: 5"), to: .connect)
        #expect(response.head.framing == .none)
        #expect(!response.head.keepAlive)
        #expect(try ParsedResponse(answer(407, "Content-Length: 5"), to: .connect).head.framing == .length(5))
        #expect(try !ParsedResponse(answer(101)).head.keepAlive)
    }
}
