/// A map with strings as keys. Immutable; a look-up among many costs the logarithm of their number.
public final class RuleMap: Sendable {
    /// Sorted by the UTF-8 of the keys, no key twice.
    public let entries: [(key: String, value: RuleValue)]

    /// The most entries that are looked at one by one.
    private static let few = 24

    /// A map of entries in any order; of several with the same key the last counts.
    public init(_ entries: [(key: String, value: RuleValue)]) {
        // Stable, so that the last of a key stays the last.
        let sorted = entries.enumerated().sorted { a, b in
            let order = RuleText.compare(a.element.key, b.element.key)
            return order != 0 ? order < 0 : a.offset < b.offset
        }
        var kept: [(key: String, value: RuleValue)] = []
        kept.reserveCapacity(sorted.count)
        for (_, entry) in sorted {
            if let last = kept.last, RuleText.equal(last.key, entry.key) { kept.removeLast() }
            kept.append(entry)
        }
        self.entries = kept
    }

    /// How many entries there are.
    public var count: Int { entries.count }

    /// The value under a key; nil where there is none.
    public subscript(_ key: String) -> RuleValue? {
        // Keys of another length are told apart without a look at their bytes: among few it is the shorter way.
        if entries.count <= Self.few {
            return entries.first { RuleText.equal($0.key, key) }?.value
        }
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            let order = RuleText.compare(entries[middle].key, key)
            if order == 0 { return entries[middle].value }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    /// The same, its comparisons paid for.
    func value(_ key: String, _ work: inout WorkBudget) throws(RuleFailure) -> RuleValue? {
        // As many comparisons as the size has bits, each of no more bytes than the key has.
        try work.take((Int.bitWidth - entries.count.leadingZeroBitCount) * WorkBudget.steps(bytes: key.utf8.count))
        return self[key]
    }
}
