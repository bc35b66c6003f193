/// Answers whether values are among the elements of a list or set, without looking at all of them for each.
struct Membership {
    /// The most pairs of elements that are compared one by one; beyond it, elements are looked up by their hash.
    private static let pairwise = 256

    /// The elements that have a key; nil: too few to be worth it.
    private var keys: Set<ElementKey>?
    /// The elements that have none, which no value with a key equals; all, where there are no keys.
    private var others: [RuleValue]
    /// Whether one of the elements cannot be read, and may be any value.
    private var hasUnreadable = false

    /// - Parameter count: how many values will be asked for.
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

    /// Nothing yet.
    init() {
        (keys, others) = ([], [])
    }

    /// Whether a value equals an element. Where none does, an element that cannot be read is a failure, as that one may be it.
    func contains(_ value: RuleValue, _ work: inout WorkBudget) throws(RuleFailure) -> Bool {
        if case .unreadable = value { throw RuleFailure(.unreadable) }
        guard let keys, let key = ElementKey(value) else { return try RuleValue.contains(others, value, &work) }
        try work.take(key.steps)
        if keys.contains(key) { return true }
        if hasUnreadable { throw RuleFailure(.unreadable) }
        return false
    }

    /// Adds a value to what was made empty.
    mutating func insert(_ value: RuleValue, _ work: inout WorkBudget) throws(RuleFailure) {
        if case .unreadable = value { hasUnreadable = true }
        guard let key = ElementKey(value) else { return others.append(value) }
        try work.take(key.steps)
        keys?.insert(key)
    }

    /// Whether all values are among the elements.
    func hasAll(_ values: [RuleValue], _ work: inout WorkBudget) throws(RuleFailure) -> Bool {
        for value in values where try !contains(value, &work) { return false }
        return true
    }

    /// Whether a value is; a failure of one does not count where another is.
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
    /// Whether one of the elements equals a value. Where none does, one that cannot be compared is a failure.
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

    /// `value in collection`: an element of a list or set, or a key of a map.
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
