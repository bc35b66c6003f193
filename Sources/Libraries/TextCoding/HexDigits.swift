/// Hexadecimal digits.
package enum HexDigits {
    /// Returns the value of a digit of either case. `nil` for other bytes.
    @inlinable
    @inline(__always)
    package static func value(of byte: UInt8) -> UInt8? {
        let digit = byte &- 0x30
        if digit < 10 { return digit }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : nil
    }

    /// Returns the upper-case digit of the lowest four bits.
    @inlinable
    @inline(__always)
    package static func upperCase(_ value: UInt8) -> UInt8 {
        let digit = value & 0xF
        return digit < 10 ? digit &+ 0x30 : digit &+ 0x37
    }

    /// Returns two lower-case digits for each byte.
    package static func text(of bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }, as: UTF8.self)
    }
}
