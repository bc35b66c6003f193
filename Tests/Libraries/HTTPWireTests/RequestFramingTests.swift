import HTTPWire
import Testing

struct RequestFramingTests {
    @Test func `a request without framing fields has no body`() throws {
        #expect(try ParsedRequest(get()).head.framing == .none)
        #expect(try ParsedRequest("POST / HTTP/1.1\r\nHost: a\r\n\r\n").head.framing == .none)
    }

    @Test(arguments: ["0": 0, "1": 1, "0042": 42, "9223372036854775807": UInt64(Int64.max)])
    func `digits are a length`(value: String, length: UInt64) throws {
        #expect(try ParsedRequest(get("Content-Length: \(value)")).head.framing == .length(length))
        #expect(try ParsedRequest(get("content-LENGTH:\t\(value) ")).head.framing == .length(length))
    }

    @Test(arguments: [
        "", "+5", "-5", "5,5", "5, 5", "5 5", "0x5", "5.0", "5;", "\u{0665}", "9223372036854775808",
        "18446744073709551616", "99999999999999999999", "00000000000000000005", "five", "\"5\"",
    ])
    func `K-01: any other Content-Length is malformed`(value: String) {
        #expect(refusal(get("Content-Length: \(value)")) == .malformed(reason: "invalid Content-Length"))
    }

    @Test(arguments: ["5", "6"]) func `K-01: two Content-Lengths are malformed even if they are equal`(other: String) {
        let text = get("Content-Length: 5", "X: y", "content-length: \(other)")
        #expect(refusal(text) == .malformed(reason: "more than one Content-Length"))
    }

    @Test func `the chunked coding is known in any case of the field name`() throws {
        #expect(try ParsedRequest(get("Transfer-Encoding: chunked")).head.framing == .chunked)
        #expect(try ParsedRequest(get("tRANSFER-eNCODING:chunked  ")).head.framing == .chunked)
    }

    @Test(arguments: [
        "", "xchunked", "chunkedx", "gzip", "identity", "gzip, chunked", "chunked, gzip", "chunked, chunked",
        "chunked;q=1", "chunked,", ", chunked", "\"chunked\"", "\tchunked", "chunked\t", " \tchunked", "Chunked",
        "CHUNKED", "chun ked", "chunked identity",
    ])
    func `K-01: any other Transfer-Encoding is malformed`(value: String) {
        let reason = HeadError.malformed(reason: "Transfer-Encoding is not exactly: chunked")
        #expect(refusal(get("Transfer-Encoding: \(value)")) == reason)
    }

    @Test func `K-01: two Transfer-Encodings are malformed`() {
        let reason = HeadError.malformed(reason: "more than one Transfer-Encoding")
        #expect(refusal(get("Transfer-Encoding: chunked", "Transfer-Encoding: chunked")) == reason)
        #expect(refusal(get("Transfer-Encoding: gzip", "Transfer-Encoding: chunked")) == reason)
    }

    @Test(arguments: [
        ["Content-Length: 5", "Transfer-Encoding: chunked"], ["Transfer-Encoding: chunked", "Content-Length: 5"],
        ["Transfer-Encoding: x", "Content-Length: 0"], ["Content-Length: 5", "Transfer-Encoding:\tCHUNKED"],
    ])
    func `K-01: Content-Length with Transfer-Encoding is malformed in either order`(lines: [String]) {
        let text = get(lines[0], lines[1])
        #expect(refusal(text) == .malformed(reason: "both Transfer-Encoding and Content-Length"))
    }

    @Test(arguments: ["Content-Length: 5", "Transfer-Encoding: chunked", "Content-Length: 0"])
    func `C-06: CONNECT has no content, whatever its fields are`(line: String) throws {
        let text = "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\(line)\r\n\r\n"
        #expect(try ParsedRequest(text).head.framing == .none)
    }

    @Test func `K-01: Transfer-Encoding in HTTP/1.0 is malformed`() {
        let text = "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(refusal(text) == .malformed(reason: "Transfer-Encoding in HTTP/1.0"))
    }

    @Test(arguments: [
        "Content_Length: 5", "Transfer_Encoding: chunked", "Content-Lengthx: 5", "XTransfer-Encoding: chunked",
    ])
    func `K-01: a field with a similar name frames nothing`(line: String) throws {
        #expect(try ParsedRequest(get(line)).head.framing == .none)
    }

    @Test(arguments: ["100-continue", "100-Continue", "100-CONTINUE"])
    func `a request with a body can expect 100-continue`(value: String) throws {
        #expect(try ParsedRequest(get("Expect: \(value)", "Content-Length: 5")).head.expectsContinue)
    }

    @Test func `100-continue is ignored without a body and in HTTP/1.0`() throws {
        #expect(try !ParsedRequest(get("Expect: 100-continue")).head.expectsContinue)
        #expect(try !ParsedRequest(get("Expect: 100-continue", "Content-Length: 0")).head.expectsContinue)
        #expect(
            try !ParsedRequest("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n").head
                .expectsContinue)
    }

    @Test(arguments: ["", "200-ok", "100-continue, x", "100-continue;x", "100 continue"])
    func `any other expectation is malformed`(value: String) {
        let reason = HeadError.malformed(reason: "unknown expectation")
        #expect(refusal(get("Expect: \(value)", "Content-Length: 5")) == reason)
        #expect(refusal(get("Expect: 100-continue", "Expect: \(value)", "Content-Length: 5")) == reason)
    }
}
