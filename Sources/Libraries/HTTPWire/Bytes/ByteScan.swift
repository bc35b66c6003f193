/// Searches over eight bytes at a time: what makes a head with a token of a kilobyte cheap to check.
///
/// A word's flags are the high bits of its bytes. A borrow may raise a flag above a true one, never below, so the
/// lowest flag is exact.
enum ByteScan {
    private static var ones: UInt64 { 0x0101_0101_0101_0101 }
    private static var highs: UInt64 { 0x8080_8080_8080_8080 }

    /// The first offset in `from..<to` of a control byte (below 0x20, or 0x7F), HTAB among them; `to` without one.
    @inline(__always)
    static func firstControl(_ base: UnsafeRawPointer, from: Int, to end: Int) -> Int {
        var position = from
        // Four words at a time while a value is long, as one with a token is.
        while position &+ 32 <= end, !mayHoldControl(base, position) { position &+= 32 }
        while position &+ 8 <= end {
            let flags = controls(base.word(position))
            if flags != 0 { return position &+ flags.trailingZeroBitCount >> 3 }
            position &+= 8
        }
        while position < end, !isControl(base.byte(position)) { position &+= 1 }
        return position
    }

    /// The first offset in `from..<to` of a byte that no request target may hold: outside 0x21 to 0x7E, or `#`.
    @inline(__always)
    static func firstOutsideTarget(_ base: UnsafeRawPointer, from: Int, to end: Int) -> Int {
        var position = from
        while position &+ 8 <= end {
            let flags = outsideTarget(base.word(position))
            if flags != 0 { return position &+ flags.trailingZeroBitCount >> 3 }
            position &+= 8
        }
        while position < end, !isOutsideTarget(base.byte(position)) { position &+= 1 }
        return position
    }

    /// The first offset in `from..<to` of `wanted`; `to` without one.
    @inline(__always)
    static func first(_ wanted: UInt8, _ base: UnsafeRawPointer, from: Int, to end: Int) -> Int {
        var position = from
        while position &+ 8 <= end {
            let flags = equal(base.word(position), UInt64(wanted))
            if flags != 0 { return position &+ flags.trailingZeroBitCount >> 3 }
            position &+= 8
        }
        while position < end, base.byte(position) != wanted { position &+= 1 }
        return position
    }

    @inline(__always)
    private static func below(_ word: UInt64, _ bound: UInt64) -> UInt64 {
        (word &- ones &* bound) & ~word & highs
    }

    @inline(__always)
    private static func equal(_ word: UInt64, _ byte: UInt64) -> UInt64 {
        below(word ^ (ones &* byte), 1)
    }

    @inline(__always)
    private static func controls(_ word: UInt64) -> UInt64 { below(word, 0x20) | equal(word, 0x7F) }

    /// Whether a control byte may be among 32 bytes: also for bytes beyond ASCII, and never not for a control byte. The lowest of those that
    /// are told takes no borrow and no carry from those below it.
    @inline(__always)
    private static func mayHoldControl(_ base: UnsafeRawPointer, _ position: Int) -> Bool {
        let flags =
            outsideText(base.word(position)) | outsideText(base.word(position &+ 8))
            | outsideText(base.word(position &+ 16)) | outsideText(base.word(position &+ 24))
        return flags & highs != 0
    }

    /// High bits for bytes below 0x20, 0x7F, and those beyond ASCII.
    @inline(__always)
    private static func outsideText(_ word: UInt64) -> UInt64 {
        (word &- ones &* 0x20) | (word &+ ones)
    }

    @inline(__always)
    private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }

    @inline(__always)
    private static func outsideTarget(_ word: UInt64) -> UInt64 {
        below(word, 0x21) | equal(word, 0x23) | equal(word, 0x7F) | (word & highs)
    }

    @inline(__always)
    private static func isOutsideTarget(_ byte: UInt8) -> Bool { byte < 0x21 || byte > 0x7E || byte == 0x23 }
}

extension UnsafeRawPointer {
    /// The byte at `offset`, which the caller has bounded.
    @inline(__always)
    func byte(_ offset: Int) -> UInt8 { load(fromByteOffset: offset, as: UInt8.self) }

    /// Eight bytes at `offset`, the first one lowest.
    @inline(__always)
    func word(_ offset: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
