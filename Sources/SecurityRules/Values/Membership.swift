/// Answers whether values are among the elements of a list or set, without looking at all of them for each.
struct Membership {
    /// The most pairs of elements that are compared one by one; beyond it, texts are looked up by their hash.
    private static let pairwise = 256

    private let elements: [RuleValue]
    /// The texts among the elements; nil: too few to be worth it.
    private let texts: Set<TextKey>?
    /// The elements that `texts` has not.
    private let others: [RuleValue]

    /// - Parameter count: how many values will be asked for.
    init(of elements: [RuleValue], for count: Int, _ work: inout WorkBudget) throws(RuleFailure) {
        self.elements = elements
        let (pairs, overflow) = elements.count.multipliedReportingOverflow(by: count)
        guard overflow || pairs > Self.pairwise else {
            (texts, others) = (nil, elements)
            return
        }
        var texts: Set<TextKey> = []
        var others: [RuleValue] = []
        try work.take(elements.count)
        for element in elements {
            guard case .string(let text) = element else {
                others.append(element)
                continue
            }
            try work.take(bytes: text.utf8.count)
            texts.insert(TextKey(text: text))
        }
        self.texts = texts
        self.others = others
    }

    /// Whether a value equals an element. Where none does, an element that cannot be read is a failure, as that one may be it.
    func contains(_ value: RuleValue, _ work: inout WorkBudget) throws(RuleFailure) -> Bool {
        if let texts, case .string(let text) = value {
            try work.take(bytes: text.utf8.count)
            if texts.contains(TextKey(text: text)) { return true }
        }
        return try RuleValue.contains(others, value, &work)
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
