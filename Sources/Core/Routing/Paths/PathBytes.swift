import TextCoding

/// Classes of bytes in a path (RFC 3986 sections 2 and 3.3).
package enum PathBytes {
    package static let slash = UInt8(ascii: "/")
    static let dot = UInt8(ascii: ".")
    static let percent = UInt8(ascii: "%")
    static let semicolon = UInt8(ascii: ";")

    /// Returns whether the byte is visible ASCII that needs no further check: all except `#`, `%`, `.`, `/`, `?` and
    /// `\`.
    ///
    /// The table has one bit for each byte, so that a scan of a path keeps it in two registers.
    @inline(__always)
    static func isPlain(_ byte: UInt8) -> Bool {
        let low: UInt64 = 0x7FFF_3FD6_0000_0000
        let high: UInt64 = 0x7FFF_FFFF_EFFF_FFFF
        let word = byte < 64 ? low : high
        return byte < 128 && (word >> UInt64(byte & 63)) & 1 == 1
    }

    /// Returns the byte in ASCII lower case.
    @inline(__always)
    package static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    static func isLetter(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- 0x61 < 26
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10
    }

    /// Returns the value of the escape `%XY` at `index`. `nil` if it is truncated or has invalid digits.
    @inline(__always)
    static func escape(in bytes: UnsafeRawBufferPointer, at index: Int) -> UInt8? {
        guard index + 2 < bytes.count, let high = HexDigits.value(of: bytes[index + 1]),
            let low = HexDigits.value(of: bytes[index + 2])
        else { return nil }
        return high << 4 | low
    }

    /// Returns whether the escape at `index`, with this value, begins an overlong encoding (RFC 3629 section 3).
    @inline(__always)
    static func isOverlong(_ value: UInt8, in bytes: UnsafeRawBufferPointer, at index: Int) -> Bool {
        guard value >= 0xC0 else { return false }
        let shortest: UInt8
        switch value {
        case 0xC0, 0xC1: return true
        case 0xE0: shortest = 0xA0
        case 0xF0: shortest = 0x90
        default: return false
        }
        guard index + 3 < bytes.count, bytes[index + 3] == percent, let next = escape(in: bytes, at: index + 3)
        else { return false }
        return next >= 0x80 && next < shortest
    }
}
