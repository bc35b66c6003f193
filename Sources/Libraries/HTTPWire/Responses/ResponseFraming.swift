extension BodyFraming {
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
