/// The strict parser of request heads: RFC 9110 and RFC 9112 without what they let a recipient tolerate.
public enum RequestParser {
    /// Parses `head`, exactly one head up to and with its empty line as ``HeadScan`` finds it, and fills `fields`.
    ///
    /// Allocates nothing. The result's ranges, like the table's, are offsets in `head`.
    public static func parse(
        _ head: UnsafeRawBufferPointer, fields: FieldTable, limits: HeadLimits = HeadLimits()
    ) throws(HeadError) -> RequestHead {
        fields.removeAll()
        let input = try HeadInput(head, limits)
        let line = try RequestLine(input)
        let end = try FieldLines.parse(input, from: line.end, into: fields, limit: limits.fields)
        guard end == input.count else { throw .malformed(reason: "bytes after the head") }
        return try assemble(input, line, fields)
    }

    @inline(__always)
    private static func assemble(
        _ input: HeadInput, _ line: RequestLine, _ fields: FieldTable
    ) throws(HeadError) -> RequestHead {
        let minor = line.minorVersion
        let options = try ConnectionOptions.read(input, fields)
        guard !options.hasMalformed else { throw .malformed(reason: "invalid Connection option") }
        let target = try RequestTarget(input, line)
        let host = try RequestHost(input, fields, target, minorVersion: minor)
        let framing = try BodyFraming.ofRequest(input, fields, line)
        let expects = try Expectation.wantsContinue(input, fields, minorVersion: minor)
        return RequestHead(
            length: input.count, method: line.method, methodRange: line.methodRange,
            target: line.target, targetForm: target.form, path: target.path, query: target.query,
            minorVersion: minor, host: host.value, hostName: host.name, authority: target.authority,
            framing: framing, keepAlive: options.allowsReuse(minorVersion: minor),
            expectsContinue: expects && framing.hasBody,
            hasUpgrade: minor == 1 && options.upgrade && fields.contains(.upgrade),
            authorizationCount: fields.count(of: .authorization),
            authorizationIndex: fields.firstIndex(of: .authorization),
            hasConnectionOptions: options.namesFields)
    }
}

extension ConnectionOptions {
    /// Whether the connection may be used again (RFC 9112 section 9.3): HTTP/1.1 unless `close`, HTTP/1.0 with
    /// `keep-alive`; `close` wins.
    @inline(__always)
    func allowsReuse(minorVersion: UInt8) -> Bool { !close && (minorVersion == 1 || keepAlive) }
}
