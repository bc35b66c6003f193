extension ScalarSet {
    /// Returns the ranges of `\d`, `\s` or `\w`, which are ASCII (as in RE2). `nil` for other letters.
    static func perl(_ letter: Unicode.Scalar) -> [ClosedRange<UInt32>]? {
        switch letter {
        case "d": ranges("09")
        // Without the vertical tab, unlike [[:space:]].
        case "s": ranges("\t\n\u{C}\r  ")
        case "w": ranges("09AZ__az")
        default: nil
        }
    }

    /// Returns the ranges of `[:name:]`. `nil` for an unknown class.
    static func posix(_ name: String) -> [ClosedRange<UInt32>]? { posixRanges[name] }

    /// Returns the complement of ASCII ranges. With folding, it also excludes the case variants of the ranges.
    static func complement(_ ranges: [ClosedRange<UInt32>], folding: Bool) -> [ClosedRange<UInt32>] {
        var (outside, next) = ([ClosedRange<UInt32>](), UInt32(0))
        for range in ScalarSet(folding ? ranges + others(of: ranges) : ranges).ranges {
            if range.lowerBound > next { outside.append(next...(range.lowerBound - 1)) }
            next = range.upperBound + 1
        }
        if next <= lastScalar { outside.append(next...lastScalar) }
        return outside
    }

    /// Returns the case variants of scalars in the ranges that are not themselves in the ranges.
    private static func others(of ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        var others: [ClosedRange<UInt32>] = []
        for value in ranges.joined() {
            let variants = CaseVariants(of: value)
            for index in 1..<max(variants.count, 1) where !ranges.contains(where: { $0.contains(variants[index]) }) {
                others.append(variants[index]...variants[index])
            }
        }
        return others
    }

    static let lastScalar: UInt32 = 0x10FFFF

    /// Returns the set of `.`: all scalars, or all except a line feed.
    static func dot(matchesLineFeed: Bool) -> ScalarSet {
        ScalarSet(matchesLineFeed ? [0...lastScalar] : [0...9, 11...lastScalar])
    }

    /// Returns ranges from pairs of a first and a last scalar.
    private static func ranges(_ pairs: String) -> [ClosedRange<UInt32>] {
        let scalars = pairs.unicodeScalars.map(\.value)
        return stride(from: 0, to: scalars.count - 1, by: 2).compactMap { index in
            scalars[index] <= scalars[index + 1] ? scalars[index]...scalars[index + 1] : nil
        }
    }

    private static let posixRanges: [String: [ClosedRange<UInt32>]] = [
        "alnum": ranges("09AZaz"), "alpha": ranges("AZaz"), "ascii": ranges("\0\u{7F}"), "blank": ranges("\t\t  "),
        "cntrl": ranges("\0\u{1F}\u{7F}\u{7F}"), "digit": ranges("09"), "graph": ranges("!~"), "lower": ranges("az"),
        "print": ranges(" ~"), "punct": ranges("!/:@[`{~"), "space": ranges("\t\r  "), "upper": ranges("AZ"),
        "word": ranges("09AZ__az"), "xdigit": ranges("09AFaf"),
    ]
}
