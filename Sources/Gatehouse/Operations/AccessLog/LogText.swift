/// Which bytes of a text may stand in a log line as they are.
enum LogText {
    /// The length of the character at `position` when it may be copied into a JSON string, else 0: printable ASCII but the quote and the
    /// backslash, or a well-formed UTF-8 sequence (RFC 3629 section 4) beyond the control characters that end at U+009F.
    @inline(__always)
    static func plainLength(_ bytes: UnsafeRawBufferPointer, at position: Int) -> Int {
        let byte = bytes[position]
        if byte < 0x80 {
            return byte >= 0x20 && byte != 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") ? 1 : 0
        }
        return sequenceLength(bytes, at: position)
    }

    /// Where eight bytes at once are no longer all plain ASCII: what follows is to be looked at one by one.
    @inline(__always)
    static func skipPlain(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var position = start
        while position &+ 8 <= bytes.count, isPlain(bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)) {
            position &+= 8
        }
        return position
    }

    /// Whether each of eight bytes is printable ASCII but the quote and the backslash.
    @inline(__always)
    private static func isPlain(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ (ones &* 0x22)
        let backslashes = word ^ (ones &* 0x5C)
        let deletes = word ^ (ones &* 0x7F)
        // A borrow into the highest bit of a byte: the byte was smaller than what is taken off. It may come from the byte below, but then
        // that one was found too.
        let found = (word &- ones &* 0x20) | (quotes &- ones) | (backslashes &- ones) | (deletes &- ones) | word
        return found & (ones &* 0x80) == 0
    }

    @inline(never)
    private static func sequenceLength(_ bytes: UnsafeRawBufferPointer, at position: Int) -> Int {
        let lead = bytes[position]
        let length = lead < 0xC2 || lead > 0xF4 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
        guard length > 0, position + length <= bytes.count, secondBytes(after: lead).contains(bytes[position + 1])
        else {
            return 0
        }
        for continuation in bytes[(position + 2)..<max(position + 2, position + length)]
        where continuation & 0xC0 != 0x80 {
            return 0
        }
        return length
    }

    /// The second byte tells overlong forms, surrogates and what lies beyond U+10FFFF from the rest.
    private static func secondBytes(after lead: UInt8) -> ClosedRange<UInt8> {
        switch lead {
        case 0xC2: 0xA0...0xBF
        case 0xE0: 0xA0...0xBF
        case 0xED: 0x80...0x9F
        case 0xF0: 0x90...0xBF
        case 0xF4: 0x80...0x8F
        default: 0x80...0xBF
        }
    }

    /// The beginning of a text, at most `limit` bytes and not ending inside of a character.
    static func cut(_ bytes: UnsafeRawBufferPointer, at limit: Int) -> UnsafeRawBufferPointer {
        guard bytes.count > limit else { return bytes }
        var end = limit
        while end > 0, limit - end < 3, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[..<end])
    }

    /// A target's path: what comes before a query or a fragment.
    static func path(_ target: UnsafeRawBufferPointer, limit: Int) -> UnsafeRawBufferPointer {
        let short = cut(target, at: limit)
        let end = short.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? short.count
        return UnsafeRawBufferPointer(rebasing: short[..<end])
    }
}
