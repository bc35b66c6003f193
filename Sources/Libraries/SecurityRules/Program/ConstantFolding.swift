/// The values of literals, created once at load time.
enum ConstantFolding {
    /// Returns the value of a literal, or of a list or map of literals. `nil` for other expressions.
    static func value(of expression: Expression) -> RuleValue? {
        switch expression.kind {
        case .null: .null
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(value)
        case .float(let value): .float(value)
        case .string(let value): .string(value)
        case .bytes(let value): .bytes(value)
        case .list(let elements): list(elements)
        case .map(let entries): map(entries)
        case .unary(.negate, let operand): negative(operand)
        default: nil
        }
    }

    private static func list(_ elements: [Expression]) -> RuleValue? {
        var values: [RuleValue] = []
        for element in elements {
            guard let value = value(of: element) else { return nil }
            values.append(value)
        }
        return .list(values)
    }

    /// Also `nil` for a key that is not a string or is repeated, which fails during evaluation.
    private static func map(_ entries: [Expression.MapEntry]) -> RuleValue? {
        var values: [(key: String, value: RuleValue)] = []
        for entry in entries {
            guard case .string(let key) = entry.key.kind, let value = value(of: entry.value) else { return nil }
            values.append((key, value))
        }
        let map = RuleMap(values)
        return map.count == values.count ? .map(map) : nil
    }

    private static func negative(_ operand: Expression) -> RuleValue? {
        switch operand.kind {
        case .integer(let value) where value != .min: .integer(-value)
        case .float(let value): .float(-value)
        default: nil
        }
    }
}
