/// A reason for which we refuse bytes that NIO accepts, the section with the rule, and an example.
///
/// An unlisted reason fails the run: a refusal is intended, or it is a defect.
struct StricterRule: Sendable {
    let reason: String
    let section: String
    let example: Stream

    private init(_ reason: String, _ section: String, _ example: Stream) {
        self.reason = reason
        self.section = section
        self.example = example
    }

    static func of(_ reason: String) -> StricterRule? { byReason[reason] }

    private static let byReason = Dictionary(uniqueKeysWithValues: all.map { ($0.reason, $0) })

    static let all = firstLines + hosts + framing + chunks + statusLines + bounds
}

extension StricterRule {
    private static let firstLines = [
        StricterRule(
            "method is not a token before a space", "RFC 9112 section 2.2",
            .requests("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")),
        StricterRule("empty request target", "RFC 9112 section 3", get(target: " /")),
        StricterRule("invalid HTTP version", "RFC 9112 section 3", get(target: "/ ")),
        StricterRule(
            "invalid byte in the request target, or no version after it", "RFC 9112 section 3.2", get(target: "/#a")),
        StricterRule(
            "request target is neither a path nor an http or https URI", "RFC 9112 section 3.2",
            get(target: "ftp://a/")),
        StricterRule("the target * is for OPTIONS only", "RFC 9112 section 3.2.4", get(target: "*")),
        StricterRule("invalid authority in the request target", "RFC 9112 section 3.2.2", get(target: "http://b@a/")),
        StricterRule("the target's authority differs from Host", "RFC 9112 section 3.2.2", get(target: "http://b/")),
        StricterRule(
            "the target of CONNECT has no port", "RFC 9112 section 3.2.3",
            .requests("CONNECT a HTTP/1.1\r\nHost: a\r\n\r\n")),
    ]

    private static let hosts = [
        StricterRule("no Host", "RFC 9112 section 3.2", .requests("GET / HTTP/1.1\r\n\r\n")),
        StricterRule("more than one Host", "RFC 9112 section 3.2", get("Host: a")),
        StricterRule("invalid Host", "RFC 9112 section 3.2", .requests("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n")),
    ]

    private static let framing = [
        StricterRule("invalid Content-Length", "RFC 9110 section 8.6", get("Content-Length: 9223372036854775808")),
        StricterRule(
            "Transfer-Encoding in HTTP/1.0", "RFC 9112 section 6.1",
            .requests("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")),
        StricterRule(
            "Transfer-Encoding is not exactly: chunked", "RFC 9112 section 6.1", get("Transfer-Encoding: gzip, chunked")
        ),
        StricterRule(
            "more than one Transfer-Encoding", "RFC 9112 section 6.1",
            get("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked")),
        StricterRule(
            "both Transfer-Encoding and Content-Length", "RFC 9112 section 6.3",
            get("Transfer-Encoding:\r\nContent-Length: 0")),
        StricterRule(
            "Transfer-Encoding is not chunked", "RFC 9112 section 6.1",
            .responses(to: .get, text: "HTTP/1.1 200 x\r\nTransfer-Encoding: gzip\r\n\r\n")),
        StricterRule(
            "1xx response with a body", "RFC 9110 section 8.6",
            .responses(to: .get, text: "HTTP/1.1 100 x\r\nContent-Length: 5\r\n\r\n")),
        StricterRule("invalid Connection option", "RFC 9110 section 7.6.1", get("Connection: host")),
        StricterRule("unknown expectation", "RFC 9110 section 10.1.1", get("Expect: x")),
    ]

    private static let chunks = [
        StricterRule("chunk: invalidSize", "RFC 9112 section 7.1", chunked("00000000000000005\r\nhello\r\n0\r\n\r\n")),
        StricterRule("chunk: sizeTooLarge", "RFC 9112 section 7.1", chunked("8000000000000000\r\n")),
        StricterRule("chunk: invalidExtension", "RFC 9112 section 7.1.1", chunked("0;a=\r\n\r\n")),
        StricterRule("chunk: extensionTooLong", "RFC 9112 section 7.1.1", chunked("0;\(long(256))\r\n\r\n")),
        StricterRule("chunk: trailersTooLarge", "RFC 9112 section 7.1.2", chunked("0\r\nA: \(long(8_200))\r\n\r\n")),
        StricterRule(
            "trailers: the head has too many fields", "RFC 9112 section 7.1.2",
            chunked("0\r\n\(lines("A: b", 65))\r\n\r\n")),
    ]

    private static let statusLines = [
        StricterRule(
            "control byte in the reason phrase", "RFC 9112 section 4",
            .responses(to: .get, text: "HTTP/1.1 204 \u{1}\r\n\r\n")),
        StricterRule(
            "status is not three digits", "RFC 9110 section 15",
            .responses(to: .get, text: "HTTP/1.1 099 x\r\n\r\n")),
        StricterRule("head ends within its first line", "RFC 9112 section 4", .responses(to: .get, text: "\r\n\r\n")),
    ]

    private static let bounds = [
        StricterRule("the head is too large", "RFC 9110 section 5.4", get("A: \(long(66_000))")),
        StricterRule("the head has too many fields", "RFC 9110 section 5.4", get(lines("A: b", 128))),
        StricterRule("too many Connection options", "RFC 9110 section 5.4", get("Connection: \(long(65, "a,"))")),
        StricterRule("Connection fields are too long", "RFC 9110 section 5.4", get("Connection: \(long(4097, ","))")),
    ]

    private static func get(target: String = "/", _ line: String = "A: b") -> Stream {
        .requests("GET \(target) HTTP/1.1\r\nHost: a\r\n\(line)\r\n\r\n")
    }

    private static func chunked(_ body: String) -> Stream {
        .requests("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(body)")
    }

    private static func long(_ count: Int, _ text: String = "a") -> String { String(repeating: text, count: count) }

    private static func lines(_ line: String, _ count: Int) -> String {
        Array(repeating: line, count: count).joined(separator: "\r\n")
    }
}
