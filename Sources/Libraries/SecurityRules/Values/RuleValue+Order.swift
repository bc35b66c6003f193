/// How two values lie to each other.
enum RuleOrder: Sendable {
    case less, equal, greater
    /// One of them is NaN: every comparison is false.
    case unordered

    init(_ difference: Int) {
        self = difference < 0 ? .less : difference > 0 ? .greater : .equal
    }

    var reversed: RuleOrder {
        switch self {
        case .less: .greater
        case .greater: .less
        case .equal, .unordered: self
        }
    }
}

extension RuleValue {
    /// The order of two values: of numbers, or of two of the same kind that has an order; else a failure.
    static func compare(_ a: RuleValue, _ b: RuleValue, _ work: inout WorkBudget) throws(RuleFailure) -> RuleOrder {
        switch (a, b) {
        case (.integer(let a), .integer(let b)): return order(a, b)
        case (.integer(let a), .float(let b)): return RuleNumber.compare(a, b)
        case (.float(let a), .integer(let b)): return RuleNumber.compare(b, a).reversed
        case (.float(let a), .float(let b)): return RuleNumber.compare(a, b)
        case (.string(let a), .string(let b)):
            try work.take(bytes: min(a.utf8.count, b.utf8.count))
            return RuleOrder(RuleText.compare(a, b))
        case (.timestamp(let a), .timestamp(let b)): return order(a.totalNanoseconds, b.totalNanoseconds)
        case (.duration(let a), .duration(let b)): return order(a.totalNanoseconds, b.totalNanoseconds)
        case (.bool(let a), .bool(let b)): return order(a ? 1 : 0, b ? 1 : 0)
        case (.bytes(let a), .bytes(let b)):
            try work.take(bytes: min(a.count, b.count))
            return RuleOrder(a.withUnsafeBufferPointer { a in b.withUnsafeBufferPointer { RuleText.compare(a, $0) } })
        case (.unreadable, _), (_, .unreadable): throw RuleFailure(.unreadable)
        default: throw RuleFailure(.wrongKind)
        }
    }

    private static func order<Number: Comparable>(_ a: Number, _ b: Number) -> RuleOrder {
        a < b ? .less : a > b ? .greater : .equal
    }
}
