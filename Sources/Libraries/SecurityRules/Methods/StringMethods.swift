extension Builtin {
    func call(
        onString text: String, _ arguments: borrowing Arguments, _ work: inout WorkBudget
    ) throws(RuleFailure) -> RuleValue {
        switch self {
        case .size:
            try work.take(bytes: text.utf8.count)
            return .integer(Int64(text.unicodeScalars.count))
        case .lower:
            try work.take(Self.stepsOfCase(text))
            return .string(text.lowercased())
        case .upper:
            try work.take(Self.stepsOfCase(text))
            return .string(text.uppercased())
        case .trim:
            try work.take(text.utf8.count)
            return .string(Self.trimmed(text))
        case .toUtf8:
            try work.take(bytes: text.utf8.count)
            return .bytes(Array(text.utf8))
        case .matches, .replace, .split: return try callPattern(text, arguments, &work)
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
}
