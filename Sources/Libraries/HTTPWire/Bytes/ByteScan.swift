/// Searches that read eight bytes at a time, so that a head with a token of a kilobyte is cheap to check.
///
/// The flags of a word are the high bits of its bytes. A borrow can only set a flag above a true one, so the lowest
/// flag is exact.
enum ByteScan {
    private static var ones: UInt64 { 0x0101_0101_0101_0101 }
    private static var highs: UInt64 { 0x8080_8080_8080_8080 }

    /// Returns the first offset in `from..<to` of a control byte (below 0x20, or 0x7F), including HTAB. Returns `to`
    /// if there is no such byte.
    @inline(__always)
    static func firstControl(_ base: UnsafeRawPointer, from: Int, to end: Int) -> Int {
        var position = from
        // Long values, such as tokens, are read four words at a time.
        while position &+ 32 <= end, !mayHoldControl(base, position) { position &+= 32 }
        while position &+ 8 <= end {
            let flags = controls(base.word(position))
            if flags != 0 { return position &+ flags.trailingZeroBitCount >> 3 }
            position &+= 8
        }
        while position < end, !isControl(base.byte(position)) { position &+= 1 }
        return position
    }

    /// Returns the first offset in `from..<to` of a byte that is not valid in a request target: outside 0x21 to 0x7E,
    /// or `#`. Returns `to` if there is no such byte.
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

    /// Returns the first offset in `from..<to` of `wanted`, or `to`.
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

    /// Returns whether 32 bytes may include a control byte. There are no false negatives; bytes beyond ASCII are
    /// false positives. The lowest flag is not affected by a borrow or carry from the bytes below it.
    @inline(__always)
    private static func mayHoldControl(_ base: UnsafeRawPointer, _ position: Int) -> Bool {
        let flags =
            outsideText(base.word(position)) | outsideText(base.word(position &+ 8))
            | outsideText(base.word(position &+ 16)) | outsideText(base.word(position &+ 24))
        return flags & highs != 0
    }

    /// Returns high bits for bytes below 0x20, for 0x7F, and for bytes beyond ASCII.
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
    /// Returns the byte at `offset`, which the caller has bounded.
    @inline(__always)
    func byte(_ offset: Int) -> UInt8 { load(fromByteOffset: offset, as: UInt8.self) }

    /// Returns eight bytes at `offset`, the first one lowest.
    @inline(__always)
    func word(_ offset: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
