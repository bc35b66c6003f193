@testable import SecurityRules

/// Reads the values that the tables expect, without the parser that they test.
struct CELValue {
    private var rest: Substring

    /// The value of a text. `nil` if rules have no such value.
    static func read(_ text: String) -> RuleValue? {
        var reader = CELValue(rest: text[...])
        guard let value = reader.value(), reader.rest.isEmpty else { return nil }
        return value
    }

    private mutating func value() -> RuleValue? {
        if take("'") { return string().map { .string(String(decoding: $0, as: UTF8.self)) } }
        if take("b'") { return string().map { .bytes($0) } }
        if take("[") { return list() }
        if take("{") { return map() }
        let word = rest.prefix { !",]} :".contains($0) }
        rest = rest.dropFirst(word.count)
        switch word {
        case "null": return .null
        case "true", "false": return .bool(word == "true")
        default: return Int64(word).map { .integer($0) } ?? Double(word).map { .float($0) }
        }
    }

    private mutating func list() -> RuleValue? {
        var elements: [RuleValue] = []
        while !take("]") {
            guard let element = value() else { return nil }
            elements.append(element)
            _ = take(", ")
        }
        return .list(elements)
    }

    private mutating func map() -> RuleValue? {
        var entries: [(key: String, value: RuleValue)] = []
        while !take("}") {
            guard case .string(let key) = value(), take(": "), let value = value() else { return nil }
            entries.append((key, value))
            _ = take(", ")
        }
        return .map(RuleMap(entries))
    }

    /// The bytes up to the closing quote, which is consumed.
    private mutating func string() -> [UInt8]? {
        var bytes: [UInt8] = []
        while let character = rest.unicodeScalars.popFirst() {
            if character == "'" { return bytes }
            if character == "\\" {
                guard let escaped = escape() else { return nil }
                bytes += escaped
            } else {
                bytes += Array(String(character).utf8)
            }
        }
        return nil
    }

    /// The value of an escape after the backslash. `\xHH` is a byte.
    private mutating func escape() -> [UInt8]? {
        switch rest.unicodeScalars.popFirst() {
        case "n": return [0x0A]
        case "r": return [0x0D]
        case "t": return [0x09]
        case "x":
            defer { rest = rest.dropFirst(2) }
            return UInt8(rest.prefix(2), radix: 16).map { [$0] }
        case "u":
            let digits = rest.dropFirst().prefix { $0 != "}" }
            rest = rest.dropFirst(digits.count + 2)
            return UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init).map { Array(String($0).utf8) }
        case let other?: return Array(String(other).utf8)
        case nil: return nil
        }
    }

    private mutating func take(_ text: String) -> Bool {
        guard rest.hasPrefix(text) else { return false }
        rest = rest.dropFirst(text.count)
        return true
    }
}

extension RuleValue {
    /// Whether two values have the same kind and are equal. Floating-point numbers are compared bit by bit, stricter
    /// than `==`.
    func isSame(as other: RuleValue) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.integer(let a), .integer(let b)): a == b
        case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern
        case (.string(let a), .string(let b)): Array(a.utf8) == Array(b.utf8)
        case (.bytes(let a), .bytes(let b)): a == b
        case (.list(let a), .list(let b)): a.count == b.count && zip(a, b).allSatisfy { $0.isSame(as: $1) }
        case (.map(let a), .map(let b)):
            a.count == b.count
                && zip(a.entries, b.entries).allSatisfy {
                    Array($0.key.utf8) == Array($1.key.utf8) && $0.value.isSame(as: $1.value)
                }
        default: false
        }
    }
}
