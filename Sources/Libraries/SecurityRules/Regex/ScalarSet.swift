/// A set of scalars, such as `.`, `[...]`, `\d` or `\p{L}`.
struct ScalarSet: Sendable {
    /// Sorted and disjoint after `finish`.
    private(set) var ranges: [ClosedRange<UInt32>] = []
    private var categories: RegexCategories = []
    /// `\P{...}`: each entry contains the scalars outside of all its categories.
    private var complements: [RegexCategories] = []
    private let folds: Bool
    private var isNegated = false
    /// The ASCII members, after `finish`.
    private(set) var ascii = ASCIISet()

    /// Creates an empty set.
    ///
    /// - Parameter folds: Whether the set contains all case variants of its members.
    init(folds: Bool = false) {
        self.folds = folds
    }

    /// Creates a finished set of ranges.
    init(_ ranges: [ClosedRange<UInt32>]) {
        self.init()
        for range in ranges { insert(range) }
        finish()
    }

    /// Whether a test of a non-ASCII scalar requires Unicode tables.
    var needsProperties: Bool { folds || !categories.isEmpty || !complements.isEmpty }

    mutating func insert(_ range: ClosedRange<UInt32>) {
        ranges.append(range)
    }

    mutating func insert(_ added: RegexCategories, negated: Bool) {
        if !negated {
            categories.formUnion(added)
        } else if !complements.contains(added) {
            complements.append(added)
        }
    }

    /// Prepares the set for tests.
    mutating func finish(negated: Bool = false) {
        ranges = Self.merged(ranges)
        isNegated = negated
        if categories.isEmpty, complements.isEmpty {
            for range in ranges where range.lowerBound < 0x80 {
                for value in range.lowerBound...min(range.upperBound, 0x7F) { ascii.insert(UInt8(value)) }
            }
            if folds { foldASCII() }
            if negated { ascii.invert() }
        } else {
            for byte in UInt8(0)..<0x80 {
                var scalar = TextScalar(UInt32(byte))
                if search(&scalar) { ascii.insert(byte) }
            }
        }
    }

    /// Adds ASCII letters for the long s and the kelvin sign, their only non-ASCII variants.
    private mutating func foldASCII() {
        if isInRanges(0x17F) { ascii.insert(UInt8(ascii: "s")) }
        if isInRanges(0x212A) { ascii.insert(UInt8(ascii: "k")) }
        ascii.foldCase()
    }

    @inline(__always)
    func contains(_ scalar: inout TextScalar) -> Bool {
        scalar.value < 0x80 ? ascii.contains(UInt8(truncatingIfNeeded: scalar.value)) : search(&scalar)
    }

    private func search(_ scalar: inout TextScalar) -> Bool {
        holds(&scalar) != isNegated
    }

    private func holds(_ scalar: inout TextScalar) -> Bool {
        if isInRanges(scalar.value) { return true }
        guard needsProperties else { return false }
        if folds {
            let variants = scalar.variants()
            for index in 0..<variants.count where isInRanges(variants[index]) { return true }
        }
        guard !categories.isEmpty || !complements.isEmpty else { return false }
        let its = scalar.categories(folding: folds)
        return !categories.isDisjoint(with: its) || complements.contains { $0.isDisjoint(with: its) }
    }

    private func isInRanges(_ scalar: UInt32) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < scalar { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].lowerBound <= scalar
    }

    private static func merged(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        var merged: [ClosedRange<UInt32>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            // Scalars end far below the type's bounds.
            if let last = merged.last, range.lowerBound <= last.upperBound &+ 1 {
                merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        return merged
    }
}

/// A set of ASCII scalars.
struct ASCIISet: Sendable, Hashable {
    private(set) var low: UInt64 = 0
    private(set) var high: UInt64 = 0

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        ((byte < 64 ? low : high) >> UInt64(byte & 63)) & 1 != 0
    }

    mutating func insert(_ byte: UInt8) {
        if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte & 63) }
    }

    mutating func invert() {
        low = ~low
        high = ~high
    }

    /// Adds the other case of each letter.
    mutating func foldCase() {
        let capitals: UInt64 = 0x07FF_FFFE
        high |= (high & capitals) << 32 | (high >> 32) & capitals
    }
}
