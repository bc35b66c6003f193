import SecurityRules

/// A query as rules read it: the text of `application/x-www-form-urlencoded` (WHATWG URL, section 5.1), strictly.
enum QueryText {
    /// The most parameters that are read; a query with more is unreadable as a whole.
    static let maximumParameters = 256

    /// A map of texts by name.
    ///
    /// A value is unreadable that is not UTF-8 or has an invalid escape, and so is one whose name stands there twice: services differ in which
    /// they take. Where a name cannot be read, the whole is unreadable: nobody can say what a service takes it for.
    static func value(of query: UnsafeRawBufferPointer) -> RuleValue {
        var entries: [(key: String, value: RuleValue)] = []
        // By bytes: names that are only canonically equivalent are two.
        var places: [[UInt8]: Int] = [:]
        for parameter in query.split(separator: UInt8(ascii: "&")) {
            guard entries.count < maximumParameters else { return .unreadable }
            let end = parameter.firstIndex(of: UInt8(ascii: "=")) ?? parameter.endIndex
            guard let name = decoded(parameter[..<end]), let key = text(name) else { return .unreadable }
            if let place = places[name] {
                entries[place].value = .unreadable
            } else {
                places[name] = entries.count
                let value = decoded(parameter[end...].dropFirst()).flatMap(text)
                entries.append((key, value.map(RuleValue.string) ?? .unreadable))
            }
        }
        return .map(RuleMap(entries))
    }

    private static func text(_ bytes: [UInt8]) -> String? { String(validating: bytes, as: UTF8.self) }

    /// Nil where an escape is invalid.
    private static func decoded(_ text: Slice<UnsafeRawBufferPointer>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            switch text[index] {
            case UInt8(ascii: "+"): bytes.append(0x20)
            case UInt8(ascii: "%"):
                guard text.endIndex - index > 2, let high = digit(text[index + 1]), let low = digit(text[index + 2])
                else { return nil }
                bytes.append(high << 4 | low)
                index += 2
            case let byte: bytes.append(byte)
            }
            index += 1
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
