import PrintableText

/// The classification of bytes for log lines: `PrintableText` for bytes that may not be UTF-8.
enum LogText {
    /// Returns the length of the scalar at `position` if it may be copied into a JSON string, otherwise 0. It must be
    /// printable, well-formed UTF-8, and neither a quote nor a backslash.
    @inline(__always)
    static func plainLength(_ bytes: UnsafeRawBufferPointer, at position: Int) -> Int {
        let byte = bytes[position]
        if byte < 0x80 {
            return byte >= 0x20 && byte != 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") ? 1 : 0
        }
        guard let found = scalar(bytes, at: position), PrintableText.isPrintable(found.scalar) else { return 0 }
        return found.length
    }

    /// Returns the first position at which a block of eight bytes is not all plain ASCII. From there, bytes are
    /// examined individually.
    @inline(__always)
    static func skipPlain(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var position = start
        while position &+ 8 <= bytes.count, isPlain(bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)) {
            position &+= 8
        }
        return position
    }

    /// Returns whether all eight bytes are printable ASCII other than quote and backslash.
    @inline(__always)
    private static func isPlain(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ (ones &* 0x22)
        let backslashes = word ^ (ones &* 0x5C)
        let deletes = word ^ (ones &* 0x7F)
        // The highest bit of a byte is set if the subtraction borrowed, that is, if the byte is smaller than the
        // subtrahend. A borrow may come from the byte below, but that byte was then detected too.
        let found = (word &- ones &* 0x20) | (quotes &- ones) | (backslashes &- ones) | (deletes &- ones) | word
        return found & (ones &* 0x80) == 0
    }

    /// Returns the non-ASCII scalar at `position`. `nil` if the bytes are not a well-formed sequence (RFC 3629 section
    /// 4).
    @inline(never)
    static func scalar(_ bytes: UnsafeRawBufferPointer, at position: Int) -> (scalar: Unicode.Scalar, length: Int)? {
        let lead = bytes[position]
        let length = lead < 0xC2 || lead > 0xF4 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
        guard length > 0, length <= bytes.count - position else { return nil }
        var value = UInt32(lead) & (0x7F >> UInt32(length))
        for continuation in bytes[(position + 1)..<(position + length)] {
            guard continuation & 0xC0 == 0x80 else { return nil }
            value = value << 6 | UInt32(continuation & 0x3F)
        }
        // Fails for surrogates and beyond U+10FFFF. Overlong forms have fewer bits than their length requires.
        guard value >= (length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000), let scalar = Unicode.Scalar(value) else {
            return nil
        }
        return (scalar, length)
    }

    /// Returns the start of a text, at most `limit` bytes, without a truncated character at the end.
    static func cut(_ bytes: UnsafeRawBufferPointer, at limit: Int) -> UnsafeRawBufferPointer {
        guard bytes.count > limit else { return bytes }
        var end = limit
        while end > 0, limit - end < 3, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[..<end])
    }

    /// Returns a target's path, without query and fragment.
    static func path(_ target: UnsafeRawBufferPointer, limit: Int) -> UnsafeRawBufferPointer {
        let short = cut(target, at: limit)
        let end = short.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? short.count
        return UnsafeRawBufferPointer(rebasing: short[..<end])
    }
}
