internal import CLibcrypto
internal import TextCoding

/// The UTF-8 of a JSON string's value, unescaped on the fly. The parser must have validated the text.
struct JSONStringBytes: Sequence, IteratorProtocol {
    private let text: UnsafeBufferPointer<UInt8>
    private var position = 0
    /// The remaining bytes of an unescaped character, first byte lowest.
    private var pending: UInt32 = 0

    init(_ text: UnsafeBufferPointer<UInt8>) {
        self.text = text
    }

    mutating func next() -> UInt8? {
        if pending != 0 { return takePending() }
        guard position < text.count else { return nil }
        let byte = text[position]
        position += 1
        return byte == UInt8(ascii: "\\") ? resolveEscape() : byte
    }

    private mutating func takePending() -> UInt8 {
        defer { pending >>= 8 }
        return UInt8(truncatingIfNeeded: pending)
    }

    private mutating func resolveEscape() -> UInt8 {
        let selector = text[position]
        position += 1
        switch selector {
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "u"): return resolveUnicodeEscape()
        default: return selector
        }
    }

    private mutating func resolveUnicodeEscape() -> UInt8 {
        var scalar = readHexUnit()
        if scalar & 0xFC00 == 0xD800 {
            position += 2
            scalar = 0x10000 + (scalar & 0x3FF) << 10 + readHexUnit() & 0x3FF
        }
        return split(scalar)
    }

    /// Returns the first byte of the scalar's UTF-8. The remaining bytes, which are never zero, become pending.
    private mutating func split(_ scalar: UInt32) -> UInt8 {
        switch scalar {
        case ..<0x80: return UInt8(scalar)
        case ..<0x800:
            pending = continuation(scalar, 0)
            return UInt8(0xC0 | scalar >> 6)
        case ..<0x10000:
            pending = continuation(scalar, 6) | continuation(scalar, 0) << 8
            return UInt8(0xE0 | scalar >> 12)
        default:
            pending = continuation(scalar, 12) | continuation(scalar, 6) << 8 | continuation(scalar, 0) << 16
            return UInt8(0xF0 | scalar >> 18)
        }
    }

    private func continuation(_ scalar: UInt32, _ shift: UInt32) -> UInt32 { 0x80 | scalar >> shift & 0x3F }

    private mutating func readHexUnit() -> UInt32 {
        defer { position += 4 }
        return text[position..<position + 4].reduce(0) { $0 << 4 | UInt32(HexDigits.value(of: $1) ?? 0) }
    }
}

/// Returns whether both buffers have the same bytes.
@inline(__always)
func equalBytes(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
    guard a.count == b.count else { return false }
    guard let first = a.baseAddress, let second = b.baseAddress else { return true }
    return memcmp(first, second, a.count) == 0
}
