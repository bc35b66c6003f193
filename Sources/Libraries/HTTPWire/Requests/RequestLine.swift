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
