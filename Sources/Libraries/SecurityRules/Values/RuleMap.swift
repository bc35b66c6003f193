/// An immutable map with strings as keys and logarithmic lookups.
public final class RuleMap: Sendable {
    /// The entries, sorted by the UTF-8 of their unique keys.
    public let entries: [(key: String, value: RuleValue)]

    /// The maximum number of entries for a linear search.
    private static let few = 24

    /// Creates a map from entries in any order. Of several with the same key, the last counts.
    public init(_ entries: [(key: String, value: RuleValue)]) {
        // A stable order, so that the last entry of a key stays last.
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

    /// The number of entries.
    public var count: Int { entries.count }

    /// The value of a key, or `nil`.
    public subscript(_ key: String) -> RuleValue? {
        // Keys of different lengths differ without a comparison of bytes, so a linear search of few entries is faster.
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

    /// Returns the value of a key and charges the comparisons.
    func value(_ key: String, _ work: inout WorkBudget) throws(RuleFailure) -> RuleValue? {
        // The number of comparisons is that of the bits of the size, each with at most the key's bytes.
        try work.take((Int.bitWidth - entries.count.leadingZeroBitCount) * WorkBudget.steps(bytes: key.utf8.count))
        return self[key]
    }
}
