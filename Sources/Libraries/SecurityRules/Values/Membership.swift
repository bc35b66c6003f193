/// Membership tests for the elements of a list or set, with hashing of large collections.
struct Membership {
    /// The maximum number of pairs that are compared individually. Beyond it, elements are hashed.
    private static let pairwise = 256

    /// The elements with a key. `nil` if there are too few for hashing.
    private var keys: Set<ElementKey>?
    /// The elements without a key, which no value with a key equals. All elements if there are no keys.
    private var others: [RuleValue]
    /// Whether an element is unreadable, so that it may equal any value.
    private var hasUnreadable = false

    /// Creates a membership test.
    ///
    /// - Parameter count: The number of values to be tested.
    init(of elements: [RuleValue], for count: Int, _ work: inout WorkBudget) throws(RuleFailure) {
        let (pairs, overflow) = elements.count.multipliedReportingOverflow(by: count)
        guard overflow || pairs > Self.pairwise else {
            (keys, others) = (nil, elements)
            return
        }
        (keys, others) = ([], [])
        try work.take(elements.count)
        for element in elements { try insert(element, &work) }
    }

    /// Creates an empty collection.
    init() {
        (keys, others) = ([], [])
    }

    /// Returns whether a value equals an element. If no element equals it but one is unreadable, throws.
    func contains(_ value: RuleValue, _ work: inout WorkBudget) throws(RuleFailure) -> Bool {
        if case .unreadable = value { throw RuleFailure(.unreadable) }
        guard let keys, let key = ElementKey(value) else { return try RuleValue.contains(others, value, &work) }
        try work.take(key.steps)
        if keys.contains(key) { return true }
        if hasUnreadable { throw RuleFailure(.unreadable) }
        return false
    }

    /// Adds a value to a collection that was created empty.
    mutating func insert(_ value: RuleValue, _ work: inout WorkBudget) throws(RuleFailure) {
        if case .unreadable = value { hasUnreadable = true }
        guard let key = ElementKey(value) else { return others.append(value) }
        try work.take(key.steps)
        keys?.insert(key)
    }

    /// Returns whether all values are among the elements.
    func hasAll(_ values: [RuleValue], _ work: inout WorkBudget) throws(RuleFailure) -> Bool {
        for value in values where try !contains(value, &work) { return false }
        return true
    }

    /// Returns whether any value is among the elements. The failure of one is ignored if another is.
    func hasAny(_ values: [RuleValue], _ work: inout WorkBudget) throws(RuleFailure) -> Bool {
        var failure: RuleFailure?
        for value in values {
            do throws(RuleFailure) {
                if try contains(value, &work) { return true }
            } catch {
                if error.endsTheRequest { throw error }
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return false
    }
}

extension RuleValue {
    /// Returns whether an element equals a value. If no element equals it but one cannot be compared, throws.
    static func contains(
        _ elements: [RuleValue], _ value: RuleValue, _ work: inout WorkBudget
    ) throws(RuleFailure) -> Bool {
        var failure: RuleFailure?
        for element in elements {
            try work.take(1)
            do throws(RuleFailure) {
                if try equal(element, value, &work) { return true }
            } catch {
                if error.endsTheRequest { throw error }
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return false
    }

    /// Evaluates `value in collection`: an element of a list or set, or a key of a map.
    static func contains(
        _ collection: RuleValue, _ value: RuleValue, _ work: inout WorkBudget
    ) throws(RuleFailure) -> Bool {
        switch (collection, value) {
        case (.unreadable, _), (_, .unreadable): throw RuleFailure(.unreadable)
        case (.list(let elements), _): return try contains(elements, value, &work)
        case (.set(let set), _): return try contains(set.elements, value, &work)
        case (.map(let map), .string(let key)): return try map.value(key, &work) != nil
        default: throw RuleFailure(.wrongKind)
        }
    }
}
