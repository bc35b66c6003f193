/// What is known of an expression before it is evaluated.
struct Inferred {
    /// Where a value comes from, as far as messages can say more because of it.
    enum Origin: Equatable {
        case other
        /// Something is wrong with it and was told: nothing more is said of what is made of it.
        case failed
        case auth, uid, provider, token
        /// Anything below `auth.token`.
        case claim
        case method, host, path, time
        /// `request.query` and `request.headers`, and one of their values.
        case query, headers, field
    }

    var kinds: KindSet
    var origin = Origin.other
    /// Its value, where that is a literal or made of literals; known for null, bool, int, float, string and list.
    var constant: RuleValue?

    /// What follows from something wrong.
    static let failed = Inferred(kinds: .any, origin: .failed)

    var isFailed: Bool { origin == .failed }

    /// Whether it is the value null, written down.
    var isNull: Bool {
        if case .null? = constant { true } else { false }
    }

    /// A Boolean, and which one where that is known.
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

    /// The strings of a string or a list, written down.
    var stringConstants: [String] {
        switch constant {
        case .string(let value)?: [value]
        case .list(let values)?:
            values.compactMap { if case .string(let value) = $0 { value } else { nil } }
        default: []
        }
    }
}

/// The same values of both operands, as far as literals are compared at load; nil: unknown.
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
