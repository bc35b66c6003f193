import GatewayConfiguration
import SecurityRules

extension ConfigurationValue {
    /// The maximum depth of a token's values.
    private static let maximumDepth = 32

    /// Reads a JSON value of a token. Any text is accepted. An integer beyond 64 bits becomes unreadable for rules.
    func ruleValue(depth: Int = 0) -> RuleValue? {
        guard depth < Self.maximumDepth else {
            return fail("\(name) nests deeper than \(Self.maximumDepth) levels", "make it flatter")
        }
        switch content {
        case .scalar(let scalar): return ruleScalar(scalar)
        case .null: return .null
        case .failed: return nil
        case .sequence:
            guard let elements = sequence(permitting: .data) else { return nil }
            let values = elements.compactMap { $0.ruleValue(depth: depth + 1) }
            return values.count == elements.count ? .list(values) : nil
        case .mapping: return ruleMembers(depth: depth).map { .map(RuleMap($0)) }
        }
    }

    /// Reads the members of a mapping.
    func ruleMembers(depth: Int = 0) -> [(key: String, value: RuleValue)]? {
        guard let entries = entries(permitting: .data) else { return nil }
        let members = entries.compactMap { entry in
            entry.value.ruleValue(depth: depth + 1).map { (key: entry.key, value: $0) }
        }
        return members.count == entries.count ? members : nil
    }

    private func ruleScalar(_ scalar: Scalar) -> RuleValue? {
        guard scalar.isPlain else { return .string(scalar.text) }
        switch scalar.text {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case let text where JSONNumber.isOne(text): return Self.number(text)
        case let text where Self.isReadOtherwise(text):
            return fail(
                "\(name) is \(shown), which YAML and JSON read differently",
                "put it in quotes, or write true, false or a number as JSON does")
        case let text: return .string(text)
        }
    }

    private static func number(_ text: String) -> RuleValue {
        guard text.utf8.contains(where: { ".eE".utf8.contains($0) }) else {
            return Int64(text).map(RuleValue.integer) ?? .unreadable
        }
        guard let number = Double(text), number.isFinite else { return .unreadable }
        return .float(number)
    }

    /// Returns whether YAML reads the text as a number or Boolean that JSON does not have.
    private static func isReadOtherwise(_ text: String) -> Bool {
        if ["true", "false", ".nan", ".inf", "-.inf", "+.inf"].contains(text.lowercased()) { return true }
        guard let first = text.utf8.first, "0123456789+-.".utf8.contains(first) else { return false }
        return Double(text) != nil || text.hasPrefix("0o")
    }
}

/// A number as defined in RFC 8259 section 6.
private enum JSONNumber {
    static func isOne(_ text: String) -> Bool {
        var rest = text.utf8[...]
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        let whole = takeDigits(&rest)
        guard whole > 0, whole == 1 || text.utf8.first(where: { $0 != UInt8(ascii: "-") }) != UInt8(ascii: "0") else {
            return false
        }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard takeDigits(&rest) > 0 else { return false }
        }
        if let e = rest.first, e | 0x20 == UInt8(ascii: "e") {
            rest.removeFirst()
            if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { rest.removeFirst() }
            guard takeDigits(&rest) > 0 else { return false }
        }
        return rest.isEmpty
    }

    private static func takeDigits(_ rest: inout Substring.UTF8View) -> Int {
        let digits = rest.prefix { (0x30...0x39).contains($0) }.count
        rest.removeFirst(digits)
        return digits
    }
}
