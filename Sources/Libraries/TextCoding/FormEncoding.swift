/// Encoding and decoding of `application/x-www-form-urlencoded` text (WHATWG URL, section 5.1), in bodies and queries.
package enum FormEncoding {
    /// Appends `name=value`, preceded by `&` unless `text` is empty or ends with a separator. The name is not escaped.
    package static func append(_ name: String, _ value: some Sequence<UInt8>, to text: inout [UInt8]) {
        if let last = text.last, last != UInt8(ascii: "?"), last != UInt8(ascii: "&") {
            text.append(UInt8(ascii: "&"))
        }
        text += name.utf8
        text.append(UInt8(ascii: "="))
        text += PercentEncoding.encoded(value)
    }

    /// Decodes a name or a value. `nil` for an invalid escape.
    @inlinable
    package static func decoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
        PercentEncoding.decoded(text, plusIsSpace: true)
    }

    /// Decodes a name or a value as text. `nil` for an invalid escape or invalid UTF-8.
    @inlinable
    package static func decodedText(_ text: some Sequence<UInt8>) -> String? {
        PercentEncoding.decodedText(text, plusIsSpace: true)
    }

    /// Returns the value of the field `name`. `nil` if the field is missing or repeated, or if any name or the value
    /// has an invalid escape.
    package static func value(of name: String, in body: [UInt8]) -> String? {
        var found: ArraySlice<UInt8>?
        for field in body.split(separator: UInt8(ascii: "&")) {
            let end = field.firstIndex(of: UInt8(ascii: "=")) ?? field.endIndex
            guard let key = decoded(field[..<end]) else { return nil }
            guard key.elementsEqual(name.utf8) else { continue }
            guard found == nil else { return nil }
            found = field[end...].dropFirst()
        }
        return found.flatMap { decodedText($0) }
    }
}
