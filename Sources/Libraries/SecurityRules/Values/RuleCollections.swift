/// An immutable set of distinct elements.
public final class RuleSet: Sendable {
    /// The elements in insertion order.
    public let elements: [RuleValue]

    /// Creates a set.
    ///
    /// - Parameter elements: Distinct elements.
    init(distinct elements: [RuleValue]) {
        self.elements = elements
    }

    /// Creates a set of the first of all equal elements. NaN equals nothing, so it can be repeated.
    init(_ elements: [RuleValue], _ work: inout WorkBudget) throws(RuleFailure) {
        var seen = Membership()
        var distinct: [RuleValue] = []
        try work.take(elements.count)
        for element in elements where try !seen.contains(element, &work) {
            try seen.insert(element, &work)
            distinct.append(element)
        }
        self.elements = distinct
    }
}

/// The difference of two maps: `after.diff(before)`. A key that is only in the first map was added.
public final class RuleMapDiff: Sendable {
    /// The map that `diff` was called on, and its argument.
    let map: RuleMap
    let other: RuleMap

    init(_ map: RuleMap, _ other: RuleMap) {
        self.map = map
        self.other = other
    }
}

/// A path as decoded segments.
public final class RulePath: Sendable {
    let segments: [String]
    /// The segments with a name.
    let names: [(name: String, segment: Int)]

    init(_ segments: [String], names: [(name: String, segment: Int)] = []) {
        self.segments = segments
        self.names = names
    }
}
