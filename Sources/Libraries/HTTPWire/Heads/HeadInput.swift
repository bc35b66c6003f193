#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The bytes of one head, within its limits.
struct HeadInput {
    let base: UnsafeRawPointer
    let count: Int

    /// Checks that `head` is not empty and within the limits.
    @inline(__always)
    init(_ head: UnsafeRawBufferPointer, _ limits: HeadLimits) throws(HeadError) {
        guard let base = head.baseAddress, head.count > 0 else { throw .malformed(reason: "empty head") }
        guard head.count <= limits.size, head.count <= Int(Int32.max) else { throw .tooLarge }
        self.base = base
        self.count = head.count
    }

    /// All bytes.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    /// Returns the bytes of a range of this head.
    @inline(__always)
    func bytes(_ range: ByteRange) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
    }

    /// Returns whether the two bytes at `position` are CR LF.
    @inline(__always)
    func isLineEnd(_ position: Int) -> Bool {
        position &+ 1 < count && base.byte(position) == 0x0D && base.byte(position &+ 1) == 0x0A
    }
}

/// The limits on one message head.
public struct HeadLimits: Sendable, Hashable {
    /// The maximum size of a head through its empty line, in bytes.
    public var size: Int
    /// The maximum number of field lines.
    public var fields: Int

    /// Creates limits. The defaults are 64 KiB and 128 field lines.
    public init(size: Int = 65_536, fields: Int = 128) {
        self.size = size
        self.fields = fields
    }
}

/// An incremental search for the end of a message head.
public enum HeadScan {
    /// Returns the length of the head at the start of `bytes`, including its empty line. `nil` if the empty line is
    /// missing.
    ///
    /// `scanned` is 0 for a new head and passed unchanged to further calls with more bytes. No byte is searched twice,
    /// so a head that arrives in many pieces costs as much as a whole one. One empty line before the head belongs to
    /// it. A bare LF also ends the head: the parser then rejects it at once, while waiting for CRLF could take forever.
    public static func end(in bytes: UnsafeRawBufferPointer, scanned: inout Int) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        var position = scanned
        while position < bytes.count, let hit = memchr(base + position, 0x0A, bytes.count - position) {
            let lineFeed = UnsafeRawPointer(hit) - base
            switch emptyLine(after: lineFeed, base, bytes.count) {
            case .found(let end): return end
            case .absent: position = lineFeed + 1
            case .undecided:
                scanned = lineFeed
                return nil
            }
        }
        scanned = bytes.count
        return nil
    }

    private enum EmptyLine {
        case found(end: Int)
        case absent
        case undecided
    }

    @inline(__always)
    private static func emptyLine(after lineFeed: Int, _ base: UnsafeRawPointer, _ count: Int) -> EmptyLine {
        let next = lineFeed + 1
        guard next < count else { return .undecided }
        if base.byte(next) == 0x0A { return .found(end: next + 1) }
        guard base.byte(next) == 0x0D else { return .absent }
        guard next + 1 < count else { return .undecided }
        return base.byte(next + 1) == 0x0A ? .found(end: next + 2) : .absent
    }
}
