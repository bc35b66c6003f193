import CivilCalendar
import TextCoding

/// A writer of JSON into memory of a fixed size. Output that does not fit sets `overflowed`; the line is then invalid.
struct LogLineWriter {
    private(set) var next: UnsafeMutableRawPointer
    private let end: UnsafeMutableRawPointer
    private(set) var overflowed = false

    init(next: UnsafeMutableRawPointer, end: UnsafeMutableRawPointer) {
        self.next = next
        self.end = end
    }

    /// Writes bytes unchanged.
    @inline(__always)
    mutating func raw(_ bytes: UnsafeRawBufferPointer) {
        guard end - next >= bytes.count else { return overflowed = true }
        guard let start = bytes.baseAddress else { return }
        next.copyMemory(from: start, byteCount: bytes.count)
        next += bytes.count
    }

    /// Writes a literal that needs no escaping.
    @inline(__always)
    mutating func raw(_ literal: StaticString) {
        raw(UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    @inline(__always)
    mutating func byte(_ byte: UInt8) {
        guard next < end else { return overflowed = true }
        next.storeBytes(of: byte, as: UInt8.self)
        next += 1
    }

    mutating func decimal(_ value: UInt64) {
        withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { digits in
            var rest = value
            var start = 20
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest != 0
            raw(UnsafeRawBufferPointer(rebasing: digits[start...]))
        }
    }

    /// Writes 16 digits.
    mutating func hexadecimal(_ value: UInt64) {
        guard end - next >= 16 else { return overflowed = true }
        HexDigits.write(value, to: next)
        next += 16
    }

    @inline(__always)
    private mutating func hexadecimalDigit(_ digit: UInt8) {
        byte(digit < 10 ? UInt8(ascii: "0") &+ digit : UInt8(ascii: "a") &+ (digit &- 10))
    }

    /// Writes a JSON string of any bytes, including quotes. Unprintable scalars are escaped; each byte that is not
    /// UTF-8 becomes U+FFFD.
    mutating func string(_ bytes: UnsafeRawBufferPointer) {
        byte(UInt8(ascii: "\""))
        var copied = 0
        var position = 0
        while position < bytes.count {
            position = LogText.skipPlain(bytes, from: position)
            guard position < bytes.count else { break }
            let length = LogText.plainLength(bytes, at: position)
            if length > 0 {
                position &+= length
                continue
            }
            raw(UnsafeRawBufferPointer(rebasing: bytes[copied..<position]))
            position &+= escaped(bytes, at: position)
            copied = position
        }
        raw(UnsafeRawBufferPointer(rebasing: bytes[copied...]))
        byte(UInt8(ascii: "\""))
    }

    /// Writes the escape of the bytes at a position without a plain scalar, and returns their number.
    @inline(never)
    private mutating func escaped(_ bytes: UnsafeRawBufferPointer, at position: Int) -> Int {
        let byte = bytes[position]
        switch byte {
        case UInt8(ascii: "\""): raw("\\\"")
        case UInt8(ascii: "\\"): raw("\\\\")
        case 0..<0x80: unit(UInt16(byte))
        default:
            guard let (scalar, length) = LogText.scalar(bytes, at: position) else {
                unit(0xFFFD)
                return 1
            }
            for code in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter { unit(code) }
            return length
        }
        return 1
    }

    private mutating func unit(_ unit: UInt16) {
        raw("\\u")
        for shift in [12, 8, 4, 0] as [UInt16] { hexadecimalDigit(UInt8(truncatingIfNeeded: unit >> shift & 0xF)) }
    }
}

/// A formatter of line times. It caches the last second, because most lines differ only in milliseconds.
struct LogTimestamp {
    private var second = Int64.min
    /// `YYYY-MM-DDTHH:MM:SS.`
    private var prefix: [UInt8] = []

    /// Writes `2026-11-21T02:55:29.123Z`.
    mutating func write(milliseconds: Int64, to line: inout LogLineWriter) {
        let second = milliseconds / 1000
        if second != self.second { spell(second) }
        prefix.withUnsafeBytes { line.raw($0) }
        let fraction = UInt64(bitPattern: milliseconds - second * 1000)
        line.byte(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: fraction / 100 % 10))
        line.byte(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: fraction / 10 % 10))
        line.byte(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: fraction % 10))
        line.byte(UInt8(ascii: "Z"))
    }

    @inline(never)
    private mutating func spell(_ second: Int64) {
        self.second = second
        prefix = Array(RFC3339.text(second).utf8.dropLast())
        prefix.append(UInt8(ascii: "."))
    }
}
