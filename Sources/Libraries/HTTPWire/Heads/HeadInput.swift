#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The bytes of one head, bounded, and how far they were read.
struct HeadInput {
    let base: UnsafeRawPointer
    let count: Int

    /// Takes `head` if it is within the limits and not empty.
    @inline(__always)
    init(_ head: UnsafeRawBufferPointer, _ limits: HeadLimits) throws(HeadError) {
        guard let base = head.baseAddress, head.count > 0 else { throw .malformed(reason: "empty head") }
        guard head.count <= limits.size, head.count <= Int(Int32.max) else { throw .tooLarge }
        self.base = base
        self.count = head.count
    }

    /// All bytes.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    /// The bytes of a range that was made from this head.
    @inline(__always)
    func bytes(_ range: ByteRange) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
    }

    /// Whether the two bytes at `position` are CR LF.
    @inline(__always)
    func isLineEnd(_ position: Int) -> Bool {
        position &+ 1 < count && base.byte(position) == 0x0D && base.byte(position &+ 1) == 0x0A
    }
}

/// The bounds of one message head.
public struct HeadLimits: Sendable, Hashable {
    /// The most bytes of a head, from its first byte to the end of its empty line.
    public var size: Int
    /// The most field lines.
    public var fields: Int

    /// Bounds of `size` bytes and `fields` field lines; by default 64 KiB and 128.
    public init(size: Int = 65_536, fields: Int = 128) {
        self.size = size
        self.fields = fields
    }
}

/// The search for the end of a message head in bytes that arrive bit by bit.
public enum HeadScan {
    /// The length of the head at the start of `bytes`, up to and with its empty line, or nil while that is missing.
    ///
    /// `scanned` is 0 for a new head and handed back unchanged with each call on the same, grown bytes: no byte is
    /// searched twice, so a dripped head costs as much as one that came whole. One empty line before the head counts
    /// as its part. A line that ends in a bare LF ends the head too: the parser then refuses it at once, instead of the
    /// connection waiting for an end that a strict reading would never find.
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
