/// The strict parser of response heads: RFC 9110 and RFC 9112 without what they let a recipient tolerate.
public enum ResponseParser {
    /// Parses `head`, exactly one head up to and with its empty line as ``HeadScan`` finds it, of a response to a
    /// request with `requestMethod`, and fills `fields`.
    ///
    /// Allocates nothing. The result's ranges, like the table's, are offsets in `head`.
    public static func parse(
        _ head: UnsafeRawBufferPointer, requestMethod: Method, fields: FieldTable, limits: HeadLimits = HeadLimits()
    ) throws(HeadError) -> ResponseHead {
        fields.removeAll()
        let input = try HeadInput(head, limits)
        let line = try StatusLine(input)
        let end = try FieldLines.parse(input, from: line.end, into: fields, limit: limits.fields)
        guard end == input.count else { throw .malformed(reason: "bytes after the head") }
        let options = try ConnectionOptions.read(input, fields)
        let framing = try BodyFraming.ofResponse(input, fields, line, to: requestMethod)
        return ResponseHead(
            length: input.count, status: line.status, reason: line.reason, minorVersion: line.minorVersion,
            framing: framing,
            keepAlive: mayReuse(input, line, options, framing, fields, requestMethod),
            hasConnectionOptions: options.namesFields,
            hasUpgrade: options.upgrade && fields.contains(.upgrade))
    }

    /// Whether the connection is in a known state after the response: not after a body that ends with it, a malformed
    /// `Connection`, a tunnel, or an answer without a body that frames one (to HEAD, 204, 304): some senders then send
    /// it, and whoever has the connection next would take it for an answer.
    @inline(__always)
    private static func mayReuse(
        _ input: HeadInput, _ line: StatusLine, _ options: ConnectionOptions, _ framing: BodyFraming,
        _ fields: FieldTable, _ method: Method
    ) -> Bool {
        guard options.allowsReuse(minorVersion: line.minorVersion), !options.hasMalformed else { return false }
        if line.status == 101 || framing == .untilClose || method == .connect { return false }
        guard line.status == 204 || line.status == 304 || method == .head else { return true }
        let isEmpty = fields.first(.contentLength).map { input.bytes($0.value).allSatisfy { $0 == 0x30 } } ?? true
        return isEmpty && !fields.contains(.transferEncoding)
    }
}
