package import SecurityRules

/// Which outcomes of rules their tests have seen.
///
/// A condition of an `allow`, and each expression within rules that can only be true or false, has two outcomes to be seen. An `allow`
/// without a condition, or with a constant one, has one: that it was asked.
package struct RuleCoverage: Sendable {
    /// Something that tests should see both ways.
    package struct Point: Sendable, Hashable {
        /// What it is.
        package enum Kind: Sendable, Hashable {
            /// The condition of an `allow`.
            case condition
            /// An `allow` that always holds, or never.
            case constant
            /// A part of a condition, or of a function.
            case part
        }

        /// What it is.
        package let kind: Kind
        /// As it is written, whole.
        package let text: String
        /// Where it begins.
        package let location: RuleLocation
        /// The place behind its last character.
        package let end: RuleLocation
        /// How often it was true; of a constant how often it was asked.
        package internal(set) var wasTrue = 0
        /// How often it was false.
        package internal(set) var wasFalse = 0
        /// How often it had no value at all.
        package internal(set) var failed = 0

        /// How many outcomes there are to see.
        package var outcomes: Int { kind == .constant ? 1 : 2 }
        /// How many of them were seen.
        package var seen: Int { (wasTrue > 0 ? 1 : 0) + (kind != .constant && wasFalse > 0 ? 1 : 0) }
    }

    /// One `allow`.
    package struct Rule: Sendable {
        /// The statement.
        package let statement: RuleStatement
        /// Its condition.
        package let condition: Point
    }

    /// One source of rules.
    package struct Source: Sendable {
        /// The file that it stands in.
        package let file: String
        /// The line that `lines` begins with.
        package let firstLine: Int
        /// Its text.
        package let lines: [String]
        /// The `allow` statements in the order of the text.
        package let rules: [Rule]
        /// In the order of the text, the whole before its parts.
        package let points: [Point]

        /// How many outcomes there are.
        package var outcomes: Int { points.reduce(0) { $0 + $1.outcomes } }
        /// How many of them were seen.
        package var seen: Int { points.reduce(0) { $0 + $1.seen } }
    }

    /// In the order in which they were first asked.
    package let sources: [Source]

    /// How many outcomes there are.
    package var outcomes: Int { sources.reduce(0) { $0 + $1.outcomes } }
    /// How many of them were seen.
    package var seen: Int { sources.reduce(0) { $0 + $1.seen } }

    /// Whether at least `percent` of the outcomes were seen.
    package func reaches(percent: Int) -> Bool {
        seen * 100 >= outcomes * percent
    }

    /// A share in per cent, with one digit behind the point, rounded down: `100` only where nothing is missing.
    package static func percent(_ seen: Int, of outcomes: Int) -> String {
        guard outcomes > 0 else { return "100" }
        let tenths = seen * 1000 / outcomes
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}

extension RuleCoverage.Point {
    /// What no test has seen, in words; nil: nothing is missing.
    package var missing: String? {
        switch (kind, wasTrue > 0, wasFalse > 0) {
        case (.constant, true, _), (_, true, true): nil
        case (.constant, false, _): "never asked"
        case (_, false, false): failed > 0 ? "never true or false" : "never evaluated"
        case (_, false, true): "never true"
        case (_, true, false): "never false"
        }
    }

    /// How often it came to what, in words.
    package var counts: String {
        if kind == .constant { return "asked \(wasTrue)" }
        return "true \(wasTrue), false \(wasFalse), error \(failed)"
    }
}
