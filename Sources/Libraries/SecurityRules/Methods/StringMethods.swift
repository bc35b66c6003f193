enum StringMethods {
    static func call(
        _ builtin: Builtin, on text: String, _ arguments: borrowing Arguments, _ work: inout WorkBudget
    ) throws(RuleFailure) -> RuleValue {
        switch builtin {
        case .size:
            try work.take(bytes: text.utf8.count)
            return .integer(Int64(text.unicodeScalars.count))
        case .lower:
            try work.take(stepsOfCase(text))
            return .string(text.lowercased())
        case .upper:
            try work.take(stepsOfCase(text))
            return .string(text.uppercased())
        case .trim:
            try work.take(text.utf8.count)
            return .string(trimmed(text))
        case .toUtf8:
            try work.take(bytes: text.utf8.count)
            return .bytes(Array(text.utf8))
        case .matches, .replace, .split: return try applyPattern(builtin, text, arguments, &work)
        default: throw RuleFailure(.wrongKind)
        }
    }

    /// What it costs to change the case of a text: Unicode's tables are slow.
    private static func stepsOfCase(_ text: String) -> Int {
        text.utf8.allSatisfy { $0 < 0x80 } ? text.utf8.count : text.utf8.count * stepsPerByteOfTables
    }

    private static let stepsPerByteOfTables = 8

    /// Without what Unicode has as white space at both ends.
    private static func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let start = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[start...last])
    }

    /// `matches`, `replace` and `split` with a pattern that is compiled now, charged to the request's work.
    static func applyPattern(
        _ builtin: Builtin, _ text: String, _ arguments: borrowing Arguments, _ work: inout WorkBudget
    ) throws(RuleFailure) -> RuleValue {
        let regex = try RuleRegex(compiling: arguments.string(0), &work)
        return try applyPattern(builtin, regex, text, arguments, &work)
    }

    /// The same with a pattern that was compiled when the rules were loaded; the first argument is not looked at.
    static func applyPattern(
        _ builtin: Builtin, _ regex: RuleRegex, _ text: String, _ arguments: borrowing Arguments,
        _ work: inout WorkBudget
    ) throws(RuleFailure) -> RuleValue {
        switch builtin {
        case .matches: return .bool(try regex.matches(text, &work))
        case .replace: return .string(try regex.replaceAll(in: text, with: arguments.string(1), &work))
        case .split: return .list(try regex.split(text, &work).map(RuleValue.string))
        default: throw RuleFailure(.wrongKind)
        }
    }
}
