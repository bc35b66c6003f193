internal import TextCoding

extension JSONParser {
    /// Reads a string after its opening quote, including the closing quote.
    mutating func readString() throws(JSONError) {
        let start = position
        var isEscaped = false
        while true {
            skipPlainBytes()
            switch try peek() {
            case UInt8(ascii: "\""):
                append(.string, from: start, to: position, isEscaped: isEscaped)
                position += 1
                return
            case UInt8(ascii: "\\"):
                isEscaped = true
                try readEscape()
            case 0x80...: try readMultibyte()
            case ..<0x20: throw failure(.controlCharacter)
            default: position += 1
            }
        }
    }

    /// Moves to the next quote, backslash, control character or non-ASCII byte. It reads eight bytes at a time, so
    /// the caller handles up to seven plain bytes at the end of the text.
    private mutating func skipPlainBytes() {
        let ones: UInt64 = 0x0101_0101_0101_0101
        while position &+ 8 <= text.count {
            let word = UInt64(
                littleEndian: UnsafeRawBufferPointer(text).loadUnaligned(fromByteOffset: position, as: UInt64.self))
            let quote = word ^ (ones &* 0x22)
            let backslash = word ^ (ones &* 0x5C)
            // The lowest flag is exact: a borrow can only falsify bytes above a true match.
            let hits =
                (((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | ((word &- ones &* 0x20) & ~word)
                    | word)
                & (ones &* 0x80)
            guard hits == 0 else {
                position &+= hits.trailingZeroBitCount &>> 3
                return
            }
            position &+= 8
        }
    }

    /// Reads an escape at its backslash.
    private mutating func readEscape() throws(JSONError) {
        position += 1
        switch try peek() {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 1
        case UInt8(ascii: "u"):
            position += 1
            try readUnicodeEscape()
        default: throw failure(.invalidEscape)
        }
    }

    /// Reads the digits of a `\u` escape, and the second half of a surrogate pair.
    private mutating func readUnicodeEscape() throws(JSONError) {
        let unit = try readHexUnit()
        guard unit & 0xF800 == 0xD800 else { return }
        guard unit < 0xDC00, position + 1 < text.count, text[position] == UInt8(ascii: "\\"),
            text[position + 1] == UInt8(ascii: "u")
        else { throw failure(.loneSurrogate) }
        position += 2
        guard try readHexUnit() & 0xFC00 == 0xDC00 else { throw failure(.loneSurrogate) }
    }

    private mutating func readHexUnit() throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = HexDigits.value(of: try peek()) else { throw failure(.invalidEscape) }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }

    /// Reads a character of two to four bytes (the well-formed sequences of RFC 3629 section 4).
    private mutating func readMultibyte() throws(JSONError) {
        let lead = text[position]
        let second: ClosedRange<UInt8>
        let length: Int
        switch lead {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: throw failure(.invalidUTF8)
        }
        guard position + length <= text.count, second.contains(text[position + 1]) else { throw failure(.invalidUTF8) }
        for offset in 2..<max(length, 2) where text[position + offset] & 0xC0 != 0x80 { throw failure(.invalidUTF8) }
        position += length
    }
}
