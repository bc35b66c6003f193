/// A parsed request target (RFC 9112 section 3.2).
struct RequestTarget {
    var form: TargetForm
    var path: ByteRange
    var query: ByteRange?
    var authority: ByteRange?
    /// The default port of the target's scheme: 80 or 443. `nil` without a scheme.
    var defaultPort: UInt16?

    @inline(__always)
    init(_ input: HeadInput, _ line: RequestLine) throws(HeadError) {
        let target = line.target
        if input.base.byte(target.lowerBound) == 0x2F, line.method != .connect {
            self.init(form: .origin, path: target)
            splitQuery(input)
        } else {
            try self.init(rare: input, line)
        }
    }

    @inline(never)
    private init(rare input: HeadInput, _ line: RequestLine) throws(HeadError) {
        let target = line.target
        if line.method == .connect {
            self.init(form: .authority, path: ByteRange(target.upperBound, target.upperBound), authority: target)
        } else if target.count == 1, input.base.byte(target.lowerBound) == 0x2A {
            guard line.method == .options else { throw .malformed(reason: "the target * is for OPTIONS only") }
            self.init(form: .asterisk, path: target)
        } else {
            try self.init(absolute: input, target)
        }
    }

    private init(absolute input: HeadInput, _ target: ByteRange) throws(HeadError) {
        guard let scheme = Scheme(input.bytes(target)) else {
            throw .malformed(reason: "request target is neither a path nor an http or https URI")
        }
        let start = target.lowerBound + scheme.length
        var end = start
        while end < target.upperBound, !RequestTarget.endsAuthority(input.base.byte(end)) { end += 1 }
        self.init(form: .absolute, path: ByteRange(end, target.upperBound), authority: ByteRange(start, end))
        defaultPort = scheme.defaultPort
        splitQuery(input)
        // An absent path is "/". The last slash of "://" represents it.
        if path.isEmpty { path = ByteRange(start - 1, start) }
    }

    private init(form: TargetForm, path: ByteRange, authority: ByteRange? = nil) {
        self.form = form
        self.path = path
        self.authority = authority
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool { byte == 0x2F || byte == 0x3F }

    /// Ends the path at its first `?` and records the query after it.
    @inline(__always)
    private mutating func splitQuery(_ input: HeadInput) {
        let end = path.upperBound
        let mark = ByteScan.first(0x3F, input.base, from: path.lowerBound, to: end)
        guard mark < end else { return }
        query = ByteRange(mark &+ 1, end)
        path = ByteRange(path.lowerBound, mark)
    }
}

/// `http://` or `https://`, in any case.
private struct Scheme {
    var length: Int
    var defaultPort: UInt16

    init?(_ target: UnsafeRawBufferPointer) {
        if target.count >= 7, ASCII.equals(UnsafeRawBufferPointer(rebasing: target[..<7]), "http://") {
            (length, defaultPort) = (7, 80)
        } else if target.count >= 8, ASCII.equals(UnsafeRawBufferPointer(rebasing: target[..<8]), "https://") {
            (length, defaultPort) = (8, 443)
        } else {
            return nil
        }
    }
}
