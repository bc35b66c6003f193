/// The form of a request target (RFC 9112 section 3.2).
public enum TargetForm: UInt8, Sendable {
    /// A path and an optional query: `/where?q=now`.
    case origin
    /// An `http` or `https` URI.
    case absolute
    /// `*`, only for OPTIONS.
    case asterisk
    /// A host and a port, only for CONNECT.
    case authority
}

/// A parsed and validated request head. It contains ranges of the head, not its bytes.
public struct RequestHead: Sendable {
    /// The size of the head in bytes, including an empty line before it and the one that ends it.
    public var length: Int
    /// The method.
    public var method: Method
    /// The range of the method.
    public var methodRange: ByteRange
    /// The request target, unchanged: visible ASCII without `#`.
    public var target: ByteRange
    /// The form of the target.
    public var targetForm: TargetForm
    /// The path, unchanged, from its `/` up to the query. `*` in asterisk form; empty in authority form. An absolute
    /// form without a path uses a `/` of the target.
    public var path: ByteRange
    /// The part of the target after the first `?`; it may be empty. `nil` without a `?`.
    public var query: ByteRange?
    /// The minor version of HTTP/1: 0 or 1.
    public var minorVersion: UInt8
    /// The value of the only `Host` field. HTTP/1.0 without `Host`: the authority of the target, or empty.
    public var host: ByteRange
    /// The parsed host. Its name is empty if `host` is.
    public var hostName: Authority
    /// The authority of a target in absolute or authority form. It agrees with `host`.
    public var authority: ByteRange?
    /// The framing of the body: `none`, `length` or `chunked`.
    public var framing: BodyFraming
    /// Whether the connection can serve another request after this one.
    public var keepAlive: Bool
    /// Whether the client waits for `100 Continue` before it sends the body.
    public var expectsContinue: Bool
    /// Whether the client requests another protocol: HTTP/1.1 with an `Upgrade` field that `Connection` names.
    public var hasUpgrade: Bool
    /// The number of `Authorization` fields.
    public var authorizationCount: Int
    /// The index of the first `Authorization` field in the table.
    public var authorizationIndex: Int?
    /// Whether `Connection` names fields that are not hop-by-hop by their kind. Only then is any
    /// ``Field/isNamedByConnection`` set.
    public var hasConnectionOptions: Bool
}

/// The first line of a request: `method SP target SP HTTP/1.x CRLF`, with single spaces.
struct RequestLine {
    var method: Method
    var methodRange: ByteRange
    var target: ByteRange
    var minorVersion: UInt8
    /// The offset after the line.
    var end: Int

    @inline(__always)
    init(_ input: HeadInput) throws(HeadError) {
        // One empty line before a request is ignored (RFC 9112 section 2.2).
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

/// A strict parser of request heads: RFC 9110 and RFC 9112 without their tolerances.
public enum RequestParser {
    /// Parses `head`, exactly one head including its empty line as ``HeadScan`` finds it, and fills `fields`.
    ///
    /// Allocates nothing. All ranges of the result and the table are relative to `head`.
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
    /// Returns whether the connection can be reused (RFC 9112 section 9.3): HTTP/1.1 unless `close`, HTTP/1.0 with
    /// `keep-alive`. `close` takes precedence.
    @inline(__always)
    func allowsReuse(minorVersion: UInt8) -> Bool { !close && (minorVersion == 1 || keepAlive) }
}
