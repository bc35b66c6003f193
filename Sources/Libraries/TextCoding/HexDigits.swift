/// Hexadecimal digits, one by one and as text.
package enum HexDigits {
    /// The value of a digit of either case; nil for another byte.
    @inlinable
    @inline(__always)
    package static func value(of byte: UInt8) -> UInt8? {
        let digit = byte &- 0x30
        if digit < 10 { return digit }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : nil
    }

    /// The upper-case digit of the lowest four bits.
    @inlinable
    @inline(__always)
    package static func upperCase(_ value: UInt8) -> UInt8 {
        let digit = value & 0xF
        return digit < 10 ? digit &+ 0x30 : digit &+ 0x37
    }

    /// Two lower-case digits a byte.
    package static func text(of bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }, as: UTF8.self)
    }
}
