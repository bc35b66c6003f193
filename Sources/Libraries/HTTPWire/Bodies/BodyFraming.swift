/// How the end of a message's body is known (RFC 9112 section 6.3).
public enum BodyFraming: Sendable, Hashable {
    /// There is no body.
    case none
    /// The body has this many bytes, at most `Int64.max`; zero where `Content-Length: 0` says so.
    case length(UInt64)
    /// The body is chunks, with trailers after them.
    case chunked
    /// The body is what comes until the connection closes; responses only.
    case untilClose

    /// Whether there are body bytes to read: a body of unknown length, or of a length above zero.
    public var hasBody: Bool {
        switch self {
        case .none, .length(0): false
        case .length, .chunked, .untilClose: true
        }
    }
}

extension BodyFraming {
    /// How the body of a request ends. Anything that two readers could understand differently is refused: RFC 9112
    /// section 6.3, without its tolerances.
    @inline(__always)
    static func ofRequest(
        _ input: HeadInput, _ fields: FieldTable, _ line: RequestLine
    ) throws(HeadError) -> BodyFraming {
        guard fields.contains(.transferEncoding) || fields.contains(.contentLength) else { return .none }
        let framing = try declared(input, fields, line.minorVersion)
        // RFC 9110 section 9.3.6: CONNECT has no content; what follows would be the tunnel's, whatever the fields say.
        return line.method == .connect ? .none : framing
    }

    private static func declared(
        _ input: HeadInput, _ fields: FieldTable, _ minorVersion: UInt8
    ) throws(HeadError) -> BodyFraming {
        fields.contains(.transferEncoding)
            ? try encoded(input, fields, minorVersion) : try measured(input, fields)
    }

    private static func encoded(
        _ input: HeadInput, _ fields: FieldTable, _ minorVersion: UInt8
    ) throws(HeadError) -> BodyFraming {
        guard minorVersion == 1 else { throw .malformed(reason: "Transfer-Encoding in HTTP/1.0") }
        guard !fields.contains(.contentLength) else {
            throw .malformed(reason: "both Transfer-Encoding and Content-Length")
        }
        guard let field = fields.first(.transferEncoding), fields.count(of: .transferEncoding) == 1 else {
            throw .malformed(reason: "more than one Transfer-Encoding")
        }
        guard isPlainlyChunked(input, field) else {
            throw .malformed(reason: "Transfer-Encoding is not exactly: chunked")
        }
        return .chunked
    }

    /// Whether the value is `chunked` in lower case without a tab around it. RFC 9112 would allow both; nobody writes
    /// either but to hide the coding from one of two readers.
    private static func isPlainlyChunked(_ input: HeadInput, _ field: Field) -> Bool {
        let value = input.bytes(field.value)
        guard ASCII.equals(value, "chunked"), !value.contains(where: ByteClass.isUppercase) else { return false }
        return !input.bytes(field.line).contains(0x09)
    }

    /// The one `Content-Length`; equal ones twice are refused too.
    static func measured(_ input: HeadInput, _ fields: FieldTable) throws(HeadError) -> BodyFraming {
        guard let field = fields.first(.contentLength), fields.count(of: .contentLength) == 1 else {
            throw .malformed(reason: "more than one Content-Length")
        }
        guard let length = ContentLength.parse(input.bytes(field.value)) else {
            throw .malformed(reason: "invalid Content-Length")
        }
        return .length(length)
    }

    /// How the body of a response ends (RFC 9112 section 6.3). An upstream that frames a body in two ways is refused.
    @inline(__always)
    static func ofResponse(
        _ input: HeadInput, _ fields: FieldTable, _ line: StatusLine, to method: Method
    ) throws(HeadError) -> BodyFraming {
        let declared = try declared(input, fields, line)
        if line.status < 200 {
            guard !declared.isBody else { throw .malformed(reason: "1xx response with a body") }
            return .none
        }
        if method == .head || line.status == 204 || line.status == 304 { return .none }
        return method == .connect && line.status < 300 ? .none : declared
    }

    /// What the fields say, whether or not this response may have a body.
    private static func declared(
        _ input: HeadInput, _ fields: FieldTable, _ line: StatusLine
    ) throws(HeadError) -> BodyFraming {
        guard let field = fields.first(.transferEncoding) else {
            return fields.contains(.contentLength) ? try measured(input, fields) : .untilClose
        }
        guard line.minorVersion == 1 else { throw .malformed(reason: "Transfer-Encoding in HTTP/1.0") }
        guard !fields.contains(.contentLength) else {
            throw .malformed(reason: "both Transfer-Encoding and Content-Length")
        }
        guard fields.count(of: .transferEncoding) == 1, isChunked(input, field) else {
            throw .malformed(reason: "Transfer-Encoding is not chunked")
        }
        return .chunked
    }

    /// Whether the value is `chunked` without a tab around it: with one, some read the body up to the connection's end.
    private static func isChunked(_ input: HeadInput, _ field: Field) -> Bool {
        ASCII.equals(input.bytes(field.value), "chunked") && !input.bytes(field.line).contains(0x09)
    }

    /// Whether a response that may have no body says by its fields that one follows.
    private var isBody: Bool {
        switch self {
        case .chunked: true
        case .length(let length): length > 0
        case .none, .untilClose: false
        }
    }
}

/// The value of a `Content-Length`: digits alone, so neither a sign, nor a list, nor whitespace within.
enum ContentLength {
    /// The number, or nil when it is not one or is above `Int64.max`.
    static func parse(_ bytes: UnsafeRawBufferPointer) -> UInt64? {
        // 19 digits cannot overflow 64 bits; leading zeros beyond them are refused with what is too large.
        guard bytes.count > 0, bytes.count <= 19 else { return nil }
        var number: UInt64 = 0
        for byte in bytes {
            guard ByteClass.isDigit(byte) else { return nil }
            number = number &* 10 &+ UInt64(byte &- 0x30)
        }
        return number <= UInt64(Int64.max) ? number : nil
    }
}
