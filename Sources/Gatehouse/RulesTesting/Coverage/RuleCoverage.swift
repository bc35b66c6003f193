public import SecurityRules

/// Which outcomes of rules their tests have seen.
///
/// A condition of an `allow`, and each expression within rules that can only be true or false, has two outcomes to be seen. An `allow`
/// without a condition, or with a constant one, has one: that it was asked.
public struct RuleCoverage: Sendable {
    /// Something that tests should see both ways.
    public struct Point: Sendable, Hashable {
        /// What it is.
        public enum Kind: Sendable, Hashable {
            /// The condition of an `allow`.
            case condition
            /// An `allow` that always holds, or never.
            case constant
            /// A part of a condition, or of a function.
            case part
        }

        /// What it is.
        public let kind: Kind
        /// As it is written, whole.
        public let text: String
        /// Where it begins.
        public let location: RuleLocation
        /// The place behind its last character.
        public let end: RuleLocation
        /// How often it was true; of a constant how often it was asked.
        public internal(set) var wasTrue = 0
        /// How often it was false.
        public internal(set) var wasFalse = 0
        /// How often it had no value at all.
        public internal(set) var failed = 0

        /// How many outcomes there are to see.
        public var outcomes: Int { kind == .constant ? 1 : 2 }
        /// How many of them were seen.
        public var seen: Int { (wasTrue > 0 ? 1 : 0) + (kind != .constant && wasFalse > 0 ? 1 : 0) }
    }

    /// One `allow`.
    public struct Rule: Sendable {
        /// The statement.
        public let statement: RuleStatement
        /// Its condition.
        public let condition: Point
    }

    /// One source of rules.
    public struct Source: Sendable {
        /// The file that it stands in.
        public let file: String
        /// The line that `lines` begins with.
        public let firstLine: Int
        /// Its text.
        public let lines: [String]
        /// The `allow` statements in the order of the text.
        public let rules: [Rule]
        /// In the order of the text, the whole before its parts.
        public let points: [Point]

        /// How many outcomes there are.
        public var outcomes: Int { points.reduce(0) { $0 + $1.outcomes } }
        /// How many of them were seen.
        public var seen: Int { points.reduce(0) { $0 + $1.seen } }
    }

    /// In the order in which they were first asked.
    public let sources: [Source]

    /// How many outcomes there are.
    public var outcomes: Int { sources.reduce(0) { $0 + $1.outcomes } }
    /// How many of them were seen.
    public var seen: Int { sources.reduce(0) { $0 + $1.seen } }

    /// Whether at least `percent` of the outcomes were seen.
    public func reaches(percent: Int) -> Bool {
        seen * 100 >= outcomes * percent
    }

    /// A share in per cent, with one digit behind the point, rounded down: `100` only where nothing is missing.
    public static func percent(_ seen: Int, of outcomes: Int) -> String {
        guard outcomes > 0 else { return "100" }
        let tenths = seen * 1000 / outcomes
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}

extension RuleCoverage.Point {
    /// What no test has seen, in words; nil: nothing is missing.
    public var missing: String? {
        switch (kind, wasTrue > 0, wasFalse > 0) {
        case (.constant, true, _), (_, true, true): nil
        case (.constant, false, _): "never asked"
        case (_, false, false): failed > 0 ? "never true or false" : "never evaluated"
        case (_, false, true): "never true"
        case (_, true, false): "never false"
        }
    }

    /// How often it came to what, in words.
    public var counts: String {
        if kind == .constant { return "asked \(wasTrue)" }
        return "true \(wasTrue), false \(wasFalse), error \(failed)"
    }
}
