/// Invalid responses, and two valid ones that are rare.
package enum RawResponse: String, Sendable, CaseIterable {
    /// Bytes that are not HTTP.
    case garbage
    /// A status line without a status.
    case badStatus = "bad-status"
    /// A body without a head, as before HTTP/1.0.
    case headless
    /// A truncated status line.
    case partialHead = "partial-head"
    /// Both Content-Length and Transfer-Encoding.
    case lengthAndChunked = "cl-te"
    /// Two Content-Length fields with the same value.
    case repeatedLength = "repeated-cl"
    /// Two Content-Length fields with different values.
    case conflictingLengths = "conflicting-cl"
    /// A negative Content-Length.
    case negativeLength = "negative-cl"
    /// An unknown transfer coding.
    case unknownCoding = "unknown-te"
    /// A body that ends before its Content-Length.
    case shortBody = "short-body"
    /// A body that is longer than its Content-Length. The rest has the form of a second response.
    case secondResponse = "second-response"
    /// An invalid chunk size.
    case badChunk = "bad-chunk"
    /// A chunk that is shorter than its size.
    case shortChunk = "short-chunk"
    /// Lines that end in LF without CR.
    case bareLF = "bare-lf"
    /// A field that continues on the next line.
    case foldedField = "obs-fold"
    /// A zero byte in a field.
    case zeroByte = "nul"
    /// A space between a field name and the colon.
    case spaceBeforeColon = "space-colon"
    /// A head of 1 MiB.
    case hugeHead = "huge-head"
    /// A head of 10,000 fields.
    case manyFields = "many-fields"
    /// Thousands of interim responses without a final one.
    case endlessInterim = "endless-interim"
    /// An unsolicited 101 response.
    case switching
    /// Valid: a body that ends with the connection.
    case untilClose = "until-close"
    /// Valid: HTTP/1.0 with a Content-Length.
    case oldVersion = "http-1.0"
}

extension RawResponse {
    /// The bytes that are sent.
    package var bytes: [UInt8] { Array(text.utf8) }

    /// Whether the connection stays open afterwards.
    package var keepsOpen: Bool {
        switch self {
        case .secondResponse, .lengthAndChunked, .repeatedLength, .conflictingLengths, .switching: true
        default: false
        }
    }

    private var text: String {
        switch self {
        case .garbage: "\u{0}\u{1}\u{2} this is no HTTP \u{7F}\r\n\r\n"
        case .badStatus: "HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n"
        case .headless: "<html>hello</html>\n"
        case .partialHead: "HTTP/1.1 20"
        case .endlessInterim: String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", count: 10_000)
        case .switching: "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"
        case .untilClose: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil the end"
        case .oldVersion: "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello"
        case .shortBody, .secondResponse, .shortChunk, .badChunk: brokenBody
        default: "HTTP/1.1 200 OK\r\n" + brokenFields
        }
    }

    private var brokenBody: String {
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        return switch self {
        case .shortBody: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello"
        case .shortChunk: chunked + "5\r\nhello\r\n64\r\nhel"
        case .badChunk: chunked + "5\r\nhello\r\nxyz\r\nhello\r\n0\r\n\r\n"
        default:
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
                + "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison"
        }
    }

    private var brokenFields: String {
        let length = "Content-Length: 5\r\n"
        return switch self {
        case .lengthAndChunked: length + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
        case .repeatedLength: length + length + "\r\nhello"
        case .conflictingLengths: length + "Content-Length: 6\r\n\r\nhello!"
        case .negativeLength: "Content-Length: -5\r\n\r\nhello"
        case .unknownCoding: "Transfer-Encoding: gzip, x\r\n\r\nhello"
        case .bareLF: "X-A: b\n" + length + "\nhello"
        case .foldedField: "X-A: b\r\n c\r\n" + length + "\r\nhello"
        case .zeroByte: "X-A: b\u{0}c\r\n" + length + "\r\nhello"
        case .spaceBeforeColon: "X-A : b\r\n" + length + "\r\nhello"
        case .hugeHead: "X-A: \(String(repeating: "a", count: 1_048_576))\r\n" + length + "\r\nhello"
        default: (0..<10_000).map { "X-\($0): a\r\n" }.joined() + length + "\r\nhello"
        }
    }
}
