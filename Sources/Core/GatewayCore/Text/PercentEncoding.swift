/// The one percent-encoding of names that come from tokens, in header values and in keys of the store: a byte outside visible ASCII, and `%`,
/// becomes `%` and two digits in upper case.
///
/// An encoded name never ends a line, and can be decoded without doubt.
package enum PercentEncoding {
    /// Whether the byte stands for itself.
    @inline(__always)
    package static func isPlain(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7f && byte != UInt8(ascii: "%")
    }

    /// Appends `%` and the byte's two digits.
    package static func appendEscape(_ byte: UInt8, to bytes: inout [UInt8]) {
        let digits: StaticString = "0123456789ABCDEF"
        bytes.append(UInt8(ascii: "%"))
        bytes.append(digits.utf8Start[Int(byte >> 4)])
        bytes.append(digits.utf8Start[Int(byte & 0xf)])
    }

    /// The value of a digit as `appendEscape` writes it; nil for any other byte, lower-case digits included.
    @inline(__always)
    package static func value(ofDigit byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
