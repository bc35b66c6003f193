/// The form of a request target (RFC 9112 section 3.2).
public enum TargetForm: UInt8, Sendable {
    /// A path and perhaps a query: `/where?q=now`.
    case origin
    /// A whole `http` or `https` URI.
    case absolute
    /// `*`, of OPTIONS only.
    case asterisk
    /// A host and a port, of CONNECT only.
    case authority
}

/// A request's head, checked and taken apart. Ranges are of the head's bytes, which it does not hold.
public struct RequestHead: Sendable {
    /// The bytes of the head: an empty line before it and the one that ends it among them.
    public var length: Int
    /// The method.
    public var method: Method
    /// The method's bytes.
    public var methodRange: ByteRange
    /// The request target as it was sent: visible ASCII without `#`.
    public var target: ByteRange
    /// The target's form.
    public var targetForm: TargetForm
    /// The path as it was sent, from its `/` up to the query. `*` in asterisk form, empty in authority form. In
    /// absolute form without a path, one `/` of the target that stands for it.
    public var path: ByteRange
    /// What follows the first `?` of the target; it may be empty. Nil without a `?`.
    public var query: ByteRange?
    /// 0 or 1: HTTP/1.0 or HTTP/1.1.
    public var minorVersion: UInt8
    /// The value of the one `Host` field. A request of HTTP/1.0 may have none: then the target's authority, or empty.
    public var host: ByteRange
    /// The same taken apart; its name is empty where `host` is.
    public var hostName: Authority
    /// The authority of a target in absolute or authority form. It agrees with `host`.
    public var authority: ByteRange?
    /// How the body ends: `none`, `length` or `chunked`.
    public var framing: BodyFraming
    /// Whether the connection may serve another request after this one.
    public var keepAlive: Bool
    /// Whether the client waits for `100 Continue` before it sends its body.
    public var expectsContinue: Bool
    /// Whether the client asks to change the protocol: HTTP/1.1, with an `Upgrade` field that `Connection` names.
    public var hasUpgrade: Bool
    /// How many `Authorization` fields there are.
    public var authorizationCount: Int
    /// The index of the first of them in the table.
    public var authorizationIndex: Int?
    /// Whether `Connection` names fields besides those that are hop-by-hop by their kind: only then are any
    /// ``Field/isNamedByConnection``.
    public var hasConnectionOptions: Bool
}

/// The first line of a request: `method SP target SP HTTP/1.x CRLF`, each space exactly one.
struct RequestLine {
    var method: Method
    var methodRange: ByteRange
    var target: ByteRange
    var minorVersion: UInt8
    /// The offset after the line.
    var end: Int

    @inline(__always)
    init(_ input: HeadInput) throws(HeadError) {
        // RFC 9112 section 2.2: one empty line before a request is ignored.
        let start = input.isLineEnd(0) ? 2 : 0
        let methodEnd = try RequestLine.endOfMethod(input, start)
        methodRange = ByteRange(start, methodEnd)
        method = Method(input.base + start, count: methodEnd &- start)
        let targetEnd = try RequestLine.endOfTarget(input, methodEnd &+ 1)
        target = ByteRange(methodEnd &+ 1, targetEnd)
        minorVersion = try HTTPVersion.minor(input, at: targetEnd &+ 1)
        end = targetEnd &+ 1 &+ HTTPVersion.length &+ 2
        guard input.isLineEnd(end &- 2) else { throw .malformed(reason: "request line does not end after the version") }
    }

    @inline(__always)
    private static func endOfMethod(_ input: HeadInput, _ start: Int) throws(HeadError) -> Int {
        var position = start
        while position < input.count, ByteClass.isToken(input.base.byte(position)) { position &+= 1 }
        guard position > start, position < input.count, input.base.byte(position) == 0x20 else {
            throw .malformed(reason: "method is not a token before a space")
        }
        guard position &- start <= Method.maximumLength else { throw .malformed(reason: "method is too long") }
        return position
    }

    @inline(__always)
    private static func endOfTarget(_ input: HeadInput, _ start: Int) throws(HeadError) -> Int {
        let position = ByteScan.firstOutsideTarget(input.base, from: start, to: input.count)
        guard position < input.count, input.base.byte(position) == 0x20 else {
            throw .malformed(reason: "invalid byte in the request target, or no version after it")
        }
        guard position > start else { throw .malformed(reason: "empty request target") }
        return position
    }
}

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
