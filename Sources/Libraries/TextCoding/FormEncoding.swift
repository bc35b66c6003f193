/// Fields of `application/x-www-form-urlencoded` text (WHATWG URL, section 5.1): bodies and queries.
package enum FormEncoding {
    /// Appends `name=value`, and before it `&` unless `text` is empty or ends with a separator. The name stands for itself.
    package static func append(_ name: String, _ value: some Sequence<UInt8>, to text: inout [UInt8]) {
        if let last = text.last, last != UInt8(ascii: "?"), last != UInt8(ascii: "&") {
            text.append(UInt8(ascii: "&"))
        }
        text += name.utf8
        text.append(UInt8(ascii: "="))
        text += PercentEncoding.encoded(value)
    }

    /// The bytes of a name or a value; nil where an escape is invalid.
    @inlinable
    package static func decoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
        PercentEncoding.decoded(text, plusIsSpace: true)
    }

    /// The text of a name or a value; nil also for what is not UTF-8.
    @inlinable
    package static func decodedText(_ text: some Sequence<UInt8>) -> String? {
        PercentEncoding.decodedText(text, plusIsSpace: true)
    }

    /// The value of the one field of this name; nil where there is none, more than one, or an invalid escape in any name or in the value.
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
