/// A smuggling technique found in the field, and how our parsers and NIO's read it.
struct Classic: Sendable {
    /// How a parser reads the first message of a stream and the bytes after it.
    enum Verdict: Equatable, Sendable {
        case refused
        /// This many messages, to the stream's end.
        case messages(Int)
    }

    let name: String
    let section: String
    let stream: Stream
    let own: Verdict
    let nio: Verdict

    /// A request head with these lines after its `Host`, and the bytes after the head.
    fileprivate init(
        _ name: String, _ section: String, _ lines: String, _ rest: String = "", own: Verdict = .refused,
        nio: Verdict = .refused
    ) {
        let text = "POST / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n\(rest)"
        self.init(name, section, stream: .requests(text), own: own, nio: nio)
    }

    fileprivate init(
        _ name: String, _ section: String, stream: Stream, own: Verdict = .refused, nio: Verdict = .refused
    ) {
        (self.name, self.section, self.stream, self.own, self.nio) = (name, section, stream, own, nio)
    }
}

extension Classic {
    private static let hidden = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let chunked = "Transfer-Encoding: chunked"

    static let all = lengths + codings + chunks + lines + responses

    private static let lengths = [
        Classic("CL.TE", "RFC 9112 6.3", "Content-Length: 6\r\n\(chunked)", "0\r\n\r\nG"),
        Classic("TE.CL", "RFC 9112 6.3", "\(chunked)\r\nContent-Length: 4", "0\r\n\r\n"),
        Classic(
            "CL with an empty TE", "RFC 9112 6.3", "Transfer-Encoding:\r\nContent-Length: 5", "hello", nio: .messages(1)
        ),
        Classic("CL.CL, different", "RFC 9112 6.3", "Content-Length: 5\r\nContent-Length: 0", "hello"),
        Classic("CL.CL, equal", "RFC 9112 6.3", "Content-Length: 5\r\nContent-Length: 5", "hello"),
        Classic("a list of lengths", "RFC 9112 6.3", "Content-Length: 5, 5", "hello"),
        Classic("a length with a sign", "RFC 9110 8.6", "Content-Length: +5", "hello"),
        Classic("a length in hexadecimal", "RFC 9110 8.6", "Content-Length: 0x5", "hello"),
        Classic("a length beyond 64 bits", "RFC 9110 8.6", "Content-Length: 18446744073709551621", "hello"),
        Classic("a length beyond 63 bits", "RFC 9110 8.6", "Content-Length: 9223372036854775808", nio: .messages(1)),
        Classic("an empty length", "RFC 9110 8.6", "Content-Length:", hidden),
        Classic("CL.0", "RFC 9112 6.3", "Content-Length: 34", hidden, own: .messages(1), nio: .messages(1)),
        Classic(
            "a length with GET", "RFC 9112 6",
            stream: .requests("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 34\r\n\r\n\(hidden)"),
            own: .messages(1), nio: .messages(1)),
    ]

    private static let codings = [
        Classic("TE.TE, twice", "RFC 9112 6.1", "\(chunked)\r\nTransfer-Encoding: cow", "0\r\n\r\n"),
        Classic("TE, identity after chunked", "RFC 9112 6.1", "Transfer-Encoding: chunked, identity", "0\r\n\r\n"),
        Classic(
            "TE, chunked twice", "RFC 9112 6.1", "Transfer-Encoding: chunked, chunked", "0\r\n\r\n"),
        Classic(
            "TE, gzip and chunked", "RFC 9112 6.1", "Transfer-Encoding: gzip, chunked", "0\r\n\r\n", nio: .messages(1)),
        Classic("TE, a lookalike", "RFC 9112 6.1", "Transfer-Encoding: xchunked", "0\r\n\r\n"),
        Classic("TE, in quotes", "RFC 9112 6.1", "Transfer-Encoding: \"chunked\"", "0\r\n\r\n"),
        Classic("TE, a vertical tab", "RFC 9110 5.5", "Transfer-Encoding: \u{b}chunked", "0\r\n\r\n"),
        Classic("TE, folded", "RFC 9112 5.2", "Transfer-Encoding:\r\n chunked", "0\r\n\r\n"),
        Classic("TE, a space before the colon", "RFC 9112 5.1", "Transfer-Encoding : chunked", "0\r\n\r\n"),
        Classic("TE, a tab after it", "RFC 9112 6.1", "\(chunked)\t", "0\r\n\r\n"),
        Classic("TE, a tab before it", "RFC 9112 6.1", "Transfer-Encoding:\tchunked", "0\r\n\r\n", nio: .messages(1)),
        Classic("TE, upper case", "RFC 9112 7", "Transfer-Encoding: CHUNKED", "0\r\n\r\n", nio: .messages(1)),
        Classic(
            "TE in HTTP/1.0", "RFC 9112 6.1",
            stream: .requests("POST / HTTP/1.0\r\n\(chunked)\r\n\r\n0\r\n\r\n"), nio: .messages(1)),
        Classic(
            "TE with underscore", "RFC 9110 5.1", "Transfer_Encoding: chunked", hidden,
            own: .messages(2), nio: .messages(2)),
        Classic(
            "framing taken out by Connection", "RFC 9110 7.6.1", "Connection: content-length\r\nContent-Length: 5",
            "hello", nio: .messages(1)),
    ]

    private static let chunks = [
        chunk("a size with a prefix", "0x5\r\nhello\r\n0\r\n\r\n"),
        chunk("a size with a sign", "+5\r\nhello\r\n0\r\n\r\n"),
        chunk("a size beyond 64 bits", "10000000000000005\r\nhello\r\n0\r\n\r\n"),
        chunk("a space after the size", "5 \r\nhello\r\n0\r\n\r\n"),
        chunk("LF alone after the size", "5\nhello\r\n0\r\n\r\n"),
        chunk("LF alone in an extension (CVE-2025-22871)", "5;a\nhello\r\n0\r\n\r\n"),
        chunk("CR alone in an extension", "5;a\rb\r\nhello\r\n0\r\n\r\n"),
        chunk("a quote that is not closed", "5;a=\"\r\nhello\r\n0\r\n\r\n"),
        chunk("an extension without a name", "5;\r\nhello\r\n0\r\n\r\n"),
        chunk("LF alone after the payload", "5\r\nhello\n0\r\n\r\n"),
        chunk("no line end after the payload", "5\r\nhello0\r\n\r\n"),
        chunk("LF alone at the end", "0\r\n\n\(hidden)"),
        chunk("a folded trailer", "0\r\nA: b\r\n c\r\n\r\n"),
        Classic(
            "a length in the trailers", "RFC 9110 6.5.1", chunked, "0\r\nContent-Length: 34\r\n\r\n\(hidden)",
            own: .messages(2)),
        Classic(
            "a Host in the trailers", "RFC 9110 6.5.1", chunked, "0\r\nHost: b\r\n\r\n\(hidden)", own: .messages(2),
            nio: .messages(2)),
    ]

    private static func chunk(_ name: String, _ body: String) -> Classic {
        Classic("chunks: \(name)", "RFC 9112 7.1", chunked, body)
    }

    private static let lines = [
        Classic("LF alone ends a line", "RFC 9112 2.2", "A: b\nContent-Length: 5", "hello"),
        Classic("CR alone in a value", "RFC 9112 2.2", "A: b\rContent-Length: 5", "hello"),
        Classic("NUL in a value", "RFC 9110 5.5", "A: \u{0}", hidden),
        Classic("a folded line", "RFC 9112 5.2", "A: b\r\n Content-Length: 5", "hello"),
        Classic("no colon", "RFC 9112 5", "Content-Length", hidden),
        Classic("an empty name", "RFC 9112 5", ": b", hidden),
        Classic("high bytes in a name", "RFC 9110 5.1", "A\u{e9}: b", hidden),
        Classic(
            "a space before the first field", "RFC 9112 2.2",
            stream: .requests("GET / HTTP/1.1\r\n Host: a\r\nHost: b\r\n\r\n")),
        Classic("two hosts", "RFC 9112 3.2", "Host: b", nio: .messages(1)),
        Classic(
            "a target of another host", "RFC 9112 3.2.2",
            stream: .requests("GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n"), nio: .messages(1)),
        Classic(
            "a fragment in the target", "RFC 9112 3.2",
            stream: .requests("GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n"), nio: .messages(1)),
        Classic("HTTP/0.9", "RFC 9112 2.3", stream: .requests("GET /\r\n\r\n")),
        Classic("the preface of HTTP/2", "RFC 9113 3.4", stream: .requests("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")),
        Classic(
            "a tunnel's first bytes as content", "RFC 9110 9.3.6",
            stream: .requests("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\nContent-Length: 5\r\n\r\nhello"),
            own: .messages(1), nio: .messages(1)),
    ]

    private static let responses = [
        Classic("responses: CL.TE", "RFC 9112 6.3", response: "Content-Length: 5\r\n\(chunked)", "0\r\n\r\n"),
        Classic("responses: CL.CL", "RFC 9112 6.3", response: "Content-Length: 5\r\nContent-Length: 5", "hello"),
        Classic(
            "responses: TE that is not chunked", "RFC 9112 6.1", response: "Transfer-Encoding: gzip", "x",
            nio: .messages(1)),
        Classic(
            "responses: a tab after chunked", "RFC 9112 6.1", response: "\(chunked)\t", "0\r\n\r\n", nio: .messages(1)),
        Classic("responses: LF alone", "RFC 9112 2.2", response: "A: b\nContent-Length: 0"),
        Classic(
            "responses: CR alone ends the status line", "RFC 9112 2.2",
            stream: .responses(to: .get, .get, text: "HTTP/1.1 204 x\r\r\r\nHTTP/1.1 204 x\r\n\r\n"),
            nio: .messages(2)),
        Classic("responses: a folded line", "RFC 9112 5.2", response: "A: b\r\n c"),
        Classic(
            "responses: content after HEAD", "RFC 9112 6.3",
            stream: .responses(
                to: .head, .get, text: "HTTP/1.1 200 x\r\nContent-Length: 5\r\n\r\nHTTP/1.1 204 x\r\n\r\n"),
            own: .messages(1), nio: .messages(2)),
        Classic(
            "responses: one without a request", "RFC 9112 9.2",
            stream: .responses(to: .get, text: "HTTP/1.1 204 x\r\n\r\nHTTP/1.1 200 x\r\nContent-Length: 0\r\n\r\n"),
            own: .messages(1), nio: .messages(1)),
    ]

    private init(
        _ name: String, _ section: String, response lines: String, _ rest: String = "", nio: Verdict = .refused
    ) {
        let text = "HTTP/1.1 200 OK\r\n\(lines)\r\n\r\n\(rest)"
        self.init(name, section, stream: .responses(to: .get, text: text), nio: nio)
    }
}
