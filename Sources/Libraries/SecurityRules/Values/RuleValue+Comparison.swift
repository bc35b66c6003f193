extension RuleValue {
    /// Returns whether two values are equal: numbers by value, texts by bytes, collections by elements.
    ///
    /// Values of different kinds are not equal. An unreadable value throws. Each element costs a step, and text costs
    /// as its bytes.
    static func equal(_ a: RuleValue, _ b: RuleValue, _ work: inout WorkBudget) throws(RuleFailure) -> Bool {
        switch (a, b) {
        case (.string(let a), .string(let b)): return try equal(a, b, &work)
        case (.null, .null): return true
        case (.bool(let a), .bool(let b)): return a == b
        case (.integer(let a), .integer(let b)): return a == b
        case (.float(let a), .float(let b)): return a == b
        case (.integer(let integer), .float(let float)), (.float(let float), .integer(let integer)):
            return RuleNumber.compare(integer, float) == .equal
        case (.timestamp(let a), .timestamp(let b)): return a == b
        case (.duration(let a), .duration(let b)): return a == b
        case (.unreadable, _), (_, .unreadable): throw RuleFailure(.unreadable)
        default: return try equalContents(a, b, &work)
        }
    }

    @inline(__always)
    private static func equal(_ a: String, _ b: String, _ work: inout WorkBudget) throws(RuleFailure) -> Bool {
        guard a.utf8.count == b.utf8.count else { return false }
        try work.take(bytes: a.utf8.count)
        return RuleText.equal(a, b)
    }

    private static func equalContents(
        _ a: RuleValue, _ b: RuleValue, _ work: inout WorkBudget
    ) throws(RuleFailure) -> Bool {
        switch (a, b) {
        case (.bytes(let a), .bytes(let b)):
            guard a.count == b.count else { return false }
            try work.take(bytes: a.count)
            return a == b
        case (.list(let a), .list(let b)): return try equal(a, b, &work)
        case (.map(let a), .map(let b)): return try equal(a, b, &work)
        case (.set(let a), .set(let b)): return try equal(a, b, &work)
        case (.path(let a), .path(let b)): return try equal(a, b, &work)
        case (.mapDiff(let a), .mapDiff(let b)):
            guard try equal(a.map, b.map, &work) else { return false }
            return try equal(a.other, b.other, &work)
        default: return false
        }
    }

    private static func equal(
        _ a: [RuleValue], _ b: [RuleValue], _ work: inout WorkBudget
    ) throws(RuleFailure) -> Bool {
        guard a.count == b.count else { return false }
        try work.take(a.count)
        for index in a.indices where try !equal(a[index], b[index], &work) { return false }
        return true
    }

    private static func equal(_ a: RuleMap, _ b: RuleMap, _ work: inout WorkBudget) throws(RuleFailure) -> Bool {
        guard a.count == b.count else { return false }
        try work.take(a.count)
        // Both maps are sorted by key.
        for index in a.entries.indices {
            let (x, y) = (a.entries[index], b.entries[index])
            guard try equal(x.key, y.key, &work), try equal(x.value, y.value, &work) else { return false }
        }
        return true
    }

    private static func equal(_ a: RuleSet, _ b: RuleSet, _ work: inout WorkBudget) throws(RuleFailure) -> Bool {
        guard a.elements.count == b.elements.count else { return false }
        // Sets have distinct elements, so equal counts and inclusion imply equality.
        return try Membership(of: b.elements, for: a.elements.count, &work).hasAll(a.elements, &work)
    }

    private static func equal(_ a: RulePath, _ b: RulePath, _ work: inout WorkBudget) throws(RuleFailure) -> Bool {
        guard a.segments.count == b.segments.count else { return false }
        try work.take(a.segments.count)
        for index in a.segments.indices where try !equal(a.segments[index], b.segments[index], &work) { return false }
        return true
    }
}

/// The order of two values.
enum RuleOrder: Sendable {
    case less, equal, greater
    /// One of them is NaN, so that every comparison is false.
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
    /// Returns the order of two numbers, or of two values of the same ordered kind. Other values throw.
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
