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
}
