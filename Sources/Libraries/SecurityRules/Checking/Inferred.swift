/// The statically known properties of an expression.
struct Inferred {
    /// The source of a value, for more specific messages.
    enum Origin: Equatable {
        case other
        /// An error has been reported; dependent expressions cause no further errors.
        case failed
        case auth, uid, provider, token
        /// A value below `auth.token`.
        case claim
        case method, host, path, time
        /// `request.query` and `request.headers`, and one of their values.
        case query, headers, field
        /// `request.app`
        case app
    }

    var kinds: KindSet
    var origin = Origin.other
    /// The value of a literal or of an expression of literals: null, bool, int, float, string or list.
    var constant: RuleValue?

    /// The result of an expression with an error.
    static let failed = Inferred(kinds: .any, origin: .failed)

    var isFailed: Bool { origin == .failed }

    /// Whether the expression is the literal null.
    var isNull: Bool {
        if case .null? = constant { true } else { false }
    }

    /// Returns a boolean with its value, if known.
    static func bool(_ constant: Bool? = nil) -> Inferred {
        Inferred(kinds: .bool, constant: constant.map { .bool($0) })
    }

    static func constant(_ value: RuleValue) -> Inferred {
        Inferred(kinds: KindSet(value.kind), constant: value)
    }

    var boolConstant: Bool? {
        if case .bool(let value)? = constant { value } else { nil }
    }

    var integerConstant: Int64? {
        if case .integer(let value)? = constant { value } else { nil }
    }

    var stringConstant: String? {
        if case .string(let value)? = constant { value } else { nil }
    }

    /// The literal strings of a string or a list.
    var stringConstants: [String] {
        switch constant {
        case .string(let value)?: [value]
        case .list(let values)?:
            values.compactMap { if case .string(let value) = $0 { value } else { nil } }
        default: []
        }
    }
}

/// Comparisons of literals at load time. `nil` if the result is unknown.
enum ConstantComparison {
    static func equal(_ a: RuleValue, _ b: RuleValue) -> Bool? {
        switch (a, b) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.integer(let a), .integer(let b)): a == b
        case (.string(let a), .string(let b)): RuleText.equal(a, b)
        default: nil
        }
    }

    static func holds(_ operation: BinaryOperator, _ a: RuleValue, _ b: RuleValue) -> Bool? {
        let order: Int
        switch (a, b) {
        case (.integer(let a), .integer(let b)): order = a < b ? -1 : a > b ? 1 : 0
        case (.string(let a), .string(let b)): order = RuleText.compare(a, b)
        default: return nil
        }
        return switch operation {
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        default: nil
        }
    }
}
