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

    /// Returns the cost of a case conversion, which is high for Unicode.
    private static func stepsOfCase(_ text: String) -> Int {
        text.utf8.allSatisfy { $0 < 0x80 } ? text.utf8.count : text.utf8.count * stepsPerByteOfTables
    }

    private static let stepsPerByteOfTables = 8

    /// Returns the text without Unicode white space at both ends.
    private static func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let start = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[start...last])
    }

    /// Evaluates `matches`, `replace` or `split`, and compiles the pattern at the request's cost.
    static func applyPattern(
        _ builtin: Builtin, _ text: String, _ arguments: borrowing Arguments, _ work: inout WorkBudget
    ) throws(RuleFailure) -> RuleValue {
        let regex = try RuleRegex(compiling: arguments.string(0), &work)
        return try applyPattern(builtin, regex, text, arguments, &work)
    }

    /// Evaluates `matches`, `replace` or `split` with a pattern that was compiled at load time. The first argument is
    /// ignored.
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
