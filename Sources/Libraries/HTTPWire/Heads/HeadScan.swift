#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

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
