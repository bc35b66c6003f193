/// Percent-encoding (RFC 3986 section 2.1): `%` and two hexadecimal digits for each byte.
public enum PercentEncoding {
    /// Returns whether the byte is unreserved (letters, digits, `-`, `.`, `_`, `~`). Its escape is equivalent to the
    /// byte (RFC 3986 section 2.3).
    ///
    /// The table has one bit for each byte, so that a scan of a path keeps it in two registers.
    @inlinable
    @inline(__always)
    public static func isUnreserved(_ byte: UInt8) -> Bool {
        let low: UInt64 = 0x03FF_6000_0000_0000
        let high: UInt64 = 0x47FF_FFFE_87FF_FFFE
        let word = byte < 64 ? low : high
        return byte < 128 && (word >> UInt64(byte & 63)) & 1 == 1
    }

    /// Returns whether a byte of a name from a token needs no escape in header values and store keys: visible ASCII
    /// except `%`.
    ///
    /// An encoded name contains no line break and can be decoded unambiguously.
    @inlinable
    @inline(__always)
    public static func isPlain(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7f && byte != UInt8(ascii: "%")
    }

    /// Appends `%` and the byte's two upper-case digits.
    package static func appendEscape(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "%"))
        bytes.append(HexDigits.upperCase(byte >> 4))
        bytes.append(HexDigits.upperCase(byte))
    }

    /// Escapes all bytes that are not unreserved. A space becomes `%20`, which is valid in forms and in URLs.
    package static func encoded(_ value: some Sequence<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        for byte in value { if isUnreserved(byte) { text.append(byte) } else { appendEscape(byte, to: &text) } }
        return text
    }

    /// Decodes the escapes once. `nil` for an escape that is truncated or has invalid digits.
    ///
    /// - Parameter plusIsSpace: Whether `+` is a space, as in `application/x-www-form-urlencoded` (WHATWG URL,
    ///   section 5.1).
    @inlinable
    public static func decoded(_ text: some Sequence<UInt8>, plusIsSpace: Bool = false) -> [UInt8]? {
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

    /// Decodes like ``decoded(_:plusIsSpace:)``. `nil` also for invalid UTF-8.
    @inlinable
    public static func decodedText(_ text: some Sequence<UInt8>, plusIsSpace: Bool = false) -> String? {
        decoded(text, plusIsSpace: plusIsSpace).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
