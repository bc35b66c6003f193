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
        // The space before an empty reason phrase is required, but often left out.
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
