/// The text of `application/x-www-form-urlencoded` (WHATWG URL, section 5.1), read strictly.
enum FormText {
    /// The value of the one field of this name; nil where there is none, more than one, or an invalid escape in any name or in the value.
    static func value(of name: String, in body: [UInt8]) -> String? {
        var found: ArraySlice<UInt8>?
        for field in body.split(separator: UInt8(ascii: "&")) {
            let end = field.firstIndex(of: UInt8(ascii: "=")) ?? field.endIndex
            guard let key = decoded(field[..<end]) else { return nil }
            guard key.elementsEqual(name.utf8) else { continue }
            guard found == nil else { return nil }
            found = field[end...].dropFirst()
        }
        return found.flatMap(decoded).flatMap { String(validating: $0, as: UTF8.self) }
    }

    private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
