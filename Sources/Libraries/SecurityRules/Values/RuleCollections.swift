/// A set: no two elements are equal. Immutable.
public final class RuleSet: Sendable {
    /// In the order in which they came.
    public let elements: [RuleValue]

    /// - Parameter elements: no two of them equal.
    init(distinct elements: [RuleValue]) {
        self.elements = elements
    }

    /// The first of each of the elements that are equal. NaN equals nothing and stays as often as it came.
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

/// What differs between two maps: `after.diff(before)`, in the words of its methods; a key that only the first has was added.
public final class RuleMapDiff: Sendable {
    /// The map that `diff` was called on, and its argument.
    let map: RuleMap
    let other: RuleMap

    init(_ map: RuleMap, _ other: RuleMap) {
        self.map = map
        self.other = other
    }
}

/// A path: its segments, escapes decoded.
public final class RulePath: Sendable {
    let segments: [String]
    /// The segments that stand under a name.
    let names: [(name: String, segment: Int)]

    init(_ segments: [String], names: [(name: String, segment: Int)] = []) {
        self.segments = segments
        self.names = names
    }
}
