/// The outcomes of rules that tests or requests have covered.
///
/// The condition of an `allow`, and each Boolean expression within rules, has two outcomes. An `allow` without a
/// condition, or with a constant one, has a single outcome: its evaluation.
package struct RuleCoverage: Sendable {
    /// An expression whose outcomes should be covered.
    package struct Point: Sendable, Hashable {
        /// The kind of expression.
        package enum Kind: Sendable, Hashable {
            /// The condition of an `allow`.
            case condition
            /// An `allow` whose condition is constant or absent.
            case constant
            /// A part of a condition, or of a function.
            case part
        }

        /// The kind of expression.
        package let kind: Kind
        /// The complete source text.
        package let text: String
        /// The location of the first character.
        package let location: RuleLocation
        /// The location after the last character.
        package let end: RuleLocation
        /// How often it was true, or, if constant, evaluated.
        package internal(set) var wasTrue = 0
        /// How often it was false.
        package internal(set) var wasFalse = 0
        /// How often its evaluation failed.
        package internal(set) var failed = 0

        /// The number of possible outcomes.
        package var outcomes: Int { kind == .constant ? 1 : 2 }
        /// The number of covered outcomes.
        package var seen: Int { (wasTrue > 0 ? 1 : 0) + (kind != .constant && wasFalse > 0 ? 1 : 0) }
    }

    /// One `allow` statement.
    package struct Rule: Sendable {
        /// The statement.
        package let statement: RuleStatement
        /// Its condition.
        package let condition: Point
    }

    /// One source of rules.
    package struct Source: Sendable {
        /// The file of the source.
        package let file: String
        /// The number of the first line in `lines`.
        package let firstLine: Int
        /// The lines of text.
        package let lines: [String]
        /// The `allow` statements in the order of the text.
        package let rules: [Rule]
        /// The points in the order of the text, each before its parts.
        package let points: [Point]

        /// The number of possible outcomes.
        package var outcomes: Int { points.reduce(0) { $0 + $1.outcomes } }
        /// The number of covered outcomes.
        package var seen: Int { points.reduce(0) { $0 + $1.seen } }
    }

    /// The sources, in the order of their first evaluation.
    package let sources: [Source]

    /// Creates a coverage.
    package init(sources: [Source]) {
        self.sources = sources
    }

    /// The number of possible outcomes.
    package var outcomes: Int { sources.reduce(0) { $0 + $1.outcomes } }
    /// The number of covered outcomes.
    package var seen: Int { sources.reduce(0) { $0 + $1.seen } }

    /// Returns whether at least `percent` of the outcomes are covered.
    package func reaches(percent: Int) -> Bool {
        seen * 100 >= outcomes * percent
    }

    /// Returns a percentage with one decimal, rounded down. It is `100` only if all outcomes are covered.
    package static func percent(_ seen: Int, of outcomes: Int) -> String {
        guard outcomes > 0 else { return "100" }
        let tenths = seen * 1000 / outcomes
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}

extension RuleCoverage.Point {
    /// A description of the outcomes that are not covered. `nil` if all are.
    package var missing: String? {
        switch (kind, wasTrue > 0, wasFalse > 0) {
        case (.constant, true, _), (_, true, true): nil
        case (.constant, false, _): "never evaluated"
        case (_, false, false): failed > 0 ? "never true or false" : "never evaluated"
        case (_, false, true): "never true"
        case (_, true, false): "never false"
        }
    }

    /// A description of the counts.
    package var counts: String {
        if kind == .constant { return "evaluated \(wasTrue)" }
        return "true \(wasTrue), false \(wasFalse), error \(failed)"
    }
}
