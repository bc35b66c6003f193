/// Percent escapes (RFC 3986 section 2.1): `%` and two hexadecimal digits for a byte.
package enum PercentEncoding {
    /// Letters, digits, `-`, `.`, `_`, `~`: an escape of these means the same as the byte (RFC 3986 section 2.3).
    ///
    /// One bit a byte, so that the scan of a path keeps the table in two registers.
    @inlinable
    @inline(__always)
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        let low: UInt64 = 0x03FF_6000_0000_0000
        let high: UInt64 = 0x47FF_FFFE_87FF_FFFE
        let word = byte < 64 ? low : high
        return byte < 128 && (word >> UInt64(byte & 63)) & 1 == 1
    }

    /// Whether the byte of a name from a token stands for itself in header values and in keys of the store: visible ASCII but `%`.
    ///
    /// An encoded name never ends a line, and can be decoded without doubt.
    @inlinable
    @inline(__always)
    package static func isPlain(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7f && byte != UInt8(ascii: "%")
    }

    /// Appends `%` and the byte's two digits, in upper case.
    package static func appendEscape(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "%"))
        bytes.append(HexDigits.upperCase(byte >> 4))
        bytes.append(HexDigits.upperCase(byte))
    }

    /// The value with all but unreserved characters escaped, a space too: forms and URLs both read that.
    package static func encoded(_ value: some Sequence<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        for byte in value { if isUnreserved(byte) { text.append(byte) } else { appendEscape(byte, to: &text) } }
        return text
    }

    /// The bytes of a text, its escapes decoded once; nil where an escape is cut short or has other digits.
    ///
    /// - Parameter plusIsSpace: as in `application/x-www-form-urlencoded` (WHATWG URL, section 5.1).
    @inlinable
    package static func decoded(_ text: some Sequence<UInt8>, plusIsSpace: Bool = false) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.underestimatedCount)
        var rest = text.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(HexDigits.value), let low = rest.next().flatMap(HexDigits.value)
                else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    /// As ``decoded(_:plusIsSpace:)``; nil also for what is not UTF-8.
    @inlinable
    package static func decodedText(_ text: some Sequence<UInt8>, plusIsSpace: Bool = false) -> String? {
        decoded(text, plusIsSpace: plusIsSpace).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
