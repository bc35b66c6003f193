/// Functions that append JSON text to a byte array.
public enum JSONWriter {
    /// Appends `string` as a quoted JSON string. It escapes the characters that RFC 8259 section 7 requires: quotes,
    /// backslashes and control characters.
    public static func appendString(_ string: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        var string = string
        string.withUTF8 { appendEscaped($0, to: &output) }
        output.append(UInt8(ascii: "\""))
    }

    /// Appends bytes as a JSON string. Invalid UTF-8 becomes U+FFFD.
    public static func appendString(utf8 bytes: some Collection<UInt8>, to output: inout [UInt8]) {
        appendString(String(decoding: bytes, as: UTF8.self), to: &output)
    }

    /// Appends a member's name and a colon, preceded by a comma unless `output` ends with `{`.
    public static func appendName(_ name: String, to output: inout [UInt8]) {
        if output.last != UInt8(ascii: "{") { output.append(UInt8(ascii: ",")) }
        appendString(name, to: &output)
        output.append(UInt8(ascii: ":"))
    }

    /// Appends an integer in decimal.
    public static func appendInteger(_ value: some BinaryInteger, to output: inout [UInt8]) {
        output.append(contentsOf: String(value).utf8)
    }

    private static func appendEscaped(_ bytes: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
        var copied = 0
        for position in bytes.indices {
            let byte = bytes[position]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            output.append(contentsOf: bytes[copied..<position])
            appendEscape(byte, to: &output)
            copied = position + 1
        }
        output.append(contentsOf: bytes[copied...])
    }

    private static func appendEscape(_ byte: UInt8, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): output.append(byte)
        case 0x08: output.append(UInt8(ascii: "b"))
        case 0x09: output.append(UInt8(ascii: "t"))
        case 0x0A: output.append(UInt8(ascii: "n"))
        case 0x0C: output.append(UInt8(ascii: "f"))
        case 0x0D: output.append(UInt8(ascii: "r"))
        default:
            output.append(contentsOf: [UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0")])
            output.append(UInt8(ascii: "0") + byte >> 4)
            output.append(UInt8(byte & 0xF < 10 ? UInt8(ascii: "0") + byte & 0xF : UInt8(ascii: "a") + byte & 0xF - 10))
        }
    }
}
