/// A parsed and validated response head. It contains ranges of the head, not its bytes.
public struct ResponseHead: Sendable {
    /// The size of the head in bytes, including its empty line.
    public var length: Int
    /// The status code, 100 to 999.
    public var status: Int
    /// The reason phrase; it may be empty.
    public var reason: ByteRange
    /// The minor version of HTTP/1: 0 or 1.
    public var minorVersion: UInt8
    /// The framing of the body, given the method of the request.
    public var framing: BodyFraming
    /// Whether the connection can serve another request after this response.
    public var keepAlive: Bool
    /// Whether `Connection` names fields that are not hop-by-hop by their kind.
    public var hasConnectionOptions: Bool
    /// Whether the response has an `Upgrade` field that `Connection` names.
    public var hasUpgrade: Bool

    /// Whether another response to the same request follows: 1xx except 101.
    public var isInterim: Bool { status < 200 && status != 101 }
    /// Whether the protocol changes after this head.
    public var isSwitchingProtocols: Bool { status == 101 }
}

/// The first line of a response: `HTTP/1.x SP status SP reason CRLF` (RFC 9112 section 4).
struct StatusLine {
    var minorVersion: UInt8
    var status: Int
    var reason: ByteRange
    /// The offset after the line.
    var end: Int

    @inline(__always)
    init(_ input: HeadInput) throws(HeadError) {
        minorVersion = try HTTPVersion.minor(input, at: 0)
        let start = HTTPVersion.length
        guard start &+ 4 < input.count, input.base.byte(start) == 0x20 else {
            throw .malformed(reason: "no status after the version")
        }
        status = try StatusLine.status(input, at: start &+ 1)
        let after = start &+ 4
        // The space before an empty reason phrase is required but often omitted.
        let reasonStart = input.base.byte(after) == 0x20 ? after &+ 1 : after
        let reasonEnd = try StatusLine.endOfReason(input, reasonStart)
        guard reasonStart > after || reasonEnd == after else { throw .malformed(reason: "status is not three digits") }
        reason = ByteRange(reasonStart, reasonEnd)
        end = reasonEnd &+ 2
    }

    @inline(__always)
    private static func status(_ input: HeadInput, at start: Int) throws(HeadError) -> Int {
        let (a, b, c) = (input.base.byte(start), input.base.byte(start &+ 1), input.base.byte(start &+ 2))
        guard ByteClass.isDigit(a), ByteClass.isDigit(b), ByteClass.isDigit(c), a != 0x30 else {
            throw .malformed(reason: "status is not three digits")
        }
        return Int(a &- 0x30) &* 100 &+ Int(b &- 0x30) &* 10 &+ Int(c &- 0x30)
    }

    @inline(__always)
    private static func endOfReason(_ input: HeadInput, _ start: Int) throws(HeadError) -> Int {
        var position = ByteScan.firstControl(input.base, from: start, to: input.count)
        while position < input.count, input.base.byte(position) == 0x09 {
            position = ByteScan.firstControl(input.base, from: position &+ 1, to: input.count)
        }
        guard input.isLineEnd(position) else { throw .malformed(reason: "control byte in the reason phrase") }
        return position
    }
}

/// A strict parser of response heads: RFC 9110 and RFC 9112 without their tolerances.
public enum ResponseParser {
    /// Parses `head`, exactly one head including its empty line as ``HeadScan`` finds it, of a response to
    /// `requestMethod`, and fills `fields`.
    ///
    /// Allocates nothing. All ranges of the result and the table are relative to `head`.
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

    /// Returns whether the connection is in a known state after the response. It is not after a body that ends with
    /// the connection, a malformed `Connection`, or a tunnel. Nor is it after a response without a body (to HEAD,
    /// 204, 304) that declares one: some senders send it, and the next request would take it for its response.
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
