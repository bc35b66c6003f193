/// The framing of a message body (RFC 9112 section 6.3).
public enum BodyFraming: Sendable, Hashable {
    /// No body.
    case none
    /// A body of this many bytes, at most `Int64.max`; zero for `Content-Length: 0`.
    case length(UInt64)
    /// A chunked body, followed by trailers.
    case chunked
    /// A body that ends with the connection; responses only.
    case untilClose

    /// Whether there may be body bytes: a body of unknown length or of a length above zero.
    public var hasBody: Bool {
        switch self {
        case .none, .length(0): false
        case .length, .chunked, .untilClose: true
        }
    }
}

extension BodyFraming {
    /// Determines the framing of a request. Ambiguous framing is rejected: RFC 9112 section 6.3 without its tolerances.
    @inline(__always)
    static func ofRequest(
        _ input: HeadInput, _ fields: FieldTable, _ line: RequestLine
    ) throws(HeadError) -> BodyFraming {
        guard fields.contains(.transferEncoding) || fields.contains(.contentLength) else { return .none }
        let framing = try declared(input, fields, line.minorVersion)
        // CONNECT has no content (RFC 9110 section 9.3.6). Any bytes after the head would belong to the tunnel.
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

    /// Returns whether the value is `chunked` in lower case without a tab around it. RFC 9112 permits both variants,
    /// but in practice they only hide the coding from one of two parsers.
    private static func isPlainlyChunked(_ input: HeadInput, _ field: Field) -> Bool {
        let value = input.bytes(field.value)
        guard ASCII.equals(value, "chunked"), !value.contains(where: ByteClass.isUppercase) else { return false }
        return !input.bytes(field.line).contains(0x09)
    }

    /// Parses the only `Content-Length`. Repeated equal ones are also rejected.
    static func measured(_ input: HeadInput, _ fields: FieldTable) throws(HeadError) -> BodyFraming {
        guard let field = fields.first(.contentLength), fields.count(of: .contentLength) == 1 else {
            throw .malformed(reason: "more than one Content-Length")
        }
        guard let length = ContentLength.parse(input.bytes(field.value)) else {
            throw .malformed(reason: "invalid Content-Length")
        }
        return .length(length)
    }

    /// Determines the framing of a response (RFC 9112 section 6.3). A response with two framings is rejected.
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

    /// Returns the framing that the fields declare, regardless of whether this response can have a body.
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

    /// Returns whether the value is `chunked` without a tab around it. With a tab, some parsers read until the
    /// connection closes.
    private static func isChunked(_ input: HeadInput, _ field: Field) -> Bool {
        ASCII.equals(input.bytes(field.value), "chunked") && !input.bytes(field.line).contains(0x09)
    }

    /// Whether the fields of a response without a body declare one.
    private var isBody: Bool {
        switch self {
        case .chunked: true
        case .length(let length): length > 0
        case .none, .untilClose: false
        }
    }
}

/// The value of a `Content-Length`: only digits, without a sign, a list or inner whitespace.
enum ContentLength {
    /// Parses the number. `nil` if it is malformed or above `Int64.max`.
    static func parse(_ bytes: UnsafeRawBufferPointer) -> UInt64? {
        // 19 digits cannot overflow 64 bits. Longer values are rejected, even with leading zeros.
        guard bytes.count > 0, bytes.count <= 19 else { return nil }
        var number: UInt64 = 0
        for byte in bytes {
            guard ByteClass.isDigit(byte) else { return nil }
            number = number &* 10 &+ UInt64(byte &- 0x30)
        }
        return number <= UInt64(Int64.max) ? number : nil
    }
}
