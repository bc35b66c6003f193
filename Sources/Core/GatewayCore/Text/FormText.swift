/// The text of `application/x-www-form-urlencoded` (WHATWG URL, section 5.1), read strictly.
package enum FormText {
    /// The value of the one field of this name; nil where there is none, more than one, or an invalid escape in any name or in the value.
    package static func value(of name: String, in body: [UInt8]) -> String? {
        var found: ArraySlice<UInt8>?
        for field in body.split(separator: UInt8(ascii: "&")) {
            let end = field.firstIndex(of: UInt8(ascii: "=")) ?? field.endIndex
            guard let key = QueryDecoding.decoded(field[..<end]) else { return nil }
            guard key.elementsEqual(name.utf8) else { continue }
            guard found == nil else { return nil }
            found = field[end...].dropFirst()
        }
        return found.flatMap { QueryDecoding.decoded($0) }.flatMap { String(validating: $0, as: UTF8.self) }
    }
}
