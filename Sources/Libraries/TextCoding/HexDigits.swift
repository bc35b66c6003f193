/// Hexadecimal digits.
public enum HexDigits {
    /// Returns the value of a digit of either case. `nil` for other bytes.
    @inlinable
    @inline(__always)
    public static func value(of byte: UInt8) -> UInt8? {
        let digit = byte &- 0x30
        if digit < 10 { return digit }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : nil
    }

    /// Returns the upper-case digit of the lowest four bits.
    @inlinable
    @inline(__always)
    public static func upperCase(_ value: UInt8) -> UInt8 {
        let digit = value & 0xF
        return digit < 10 ? digit &+ 0x30 : digit &+ 0x37
    }

    /// Returns two lower-case digits for each byte.
    package static func text(of bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }, as: UTF8.self)
    }

    /// Returns the 32 lower-case digits of 128 bits.
    package static func text(of value: (UInt64, UInt64)) -> String {
        String(unsafeUninitializedCapacity: 32) { digits in
            guard let base = UnsafeMutableRawPointer(digits.baseAddress) else { return 0 }
            write(value.0, to: base)
            write(value.1, to: base + 16)
            return 32
        }
    }

    /// Writes the 16 lower-case digits of 64 bits.
    @inlinable
    @inline(__always)
    public static func write(_ value: UInt64, to output: UnsafeMutableRawPointer) {
        output.storeBytes(of: digits(UInt32(truncatingIfNeeded: value &>> 32)), as: UInt64.self)
        output.storeBytes(of: digits(UInt32(truncatingIfNeeded: value)), toByteOffset: 8, as: UInt64.self)
    }

    /// Returns the eight digits of 32 bits as bytes in memory order. Each step doubles the space between the nibbles,
    /// without a loop.
    @inlinable
    @inline(__always)
    static func digits(_ value: UInt32) -> UInt64 {
        var nibbles = UInt64(value.byteSwapped)
        nibbles = (nibbles | nibbles &<< 16) & 0x0000_ffff_0000_ffff
        nibbles = (nibbles | nibbles &<< 8) & 0x00ff_00ff_00ff_00ff
        nibbles = (nibbles &>> 4 | nibbles &<< 8) & 0x0f0f_0f0f_0f0f_0f0f
        // 1 in each byte whose nibble is a letter, whose ASCII code is another 0x27 higher.
        let letters = (nibbles &+ 0x0606_0606_0606_0606) &>> 4 & 0x0101_0101_0101_0101
        return (nibbles &+ 0x3030_3030_3030_3030 &+ letters &* 0x27).littleEndian
    }
}
