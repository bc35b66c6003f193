/// The evaluation of rules: for each evaluated `allow` the expressions of its condition, each before its parts.
package struct RuleTrace: Sendable {
    /// The maximum number of lines per request.
    package static let maximumLines = 200

    /// One expression and its outcome.
    package struct Line: Sendable {
        /// The depth in the condition, including function calls. 0 for the condition itself.
        package let depth: Int
        /// The source text, on one line.
        package let text: String
        /// The value, or the reason of a failure.
        package let outcome: String
        /// Whether the evaluation failed.
        package let isFailure: Bool
        /// The location in the source.
        package let location: RuleLocation
    }

    /// The evaluation of one `allow`.
    package struct Section: Sendable {
        /// The `allow` statement.
        package let rule: RuleStatement
        /// The assumptions about the user.
        package let pass: RuleRecorder.Pass
        /// The lines, each expression before its parts.
        package fileprivate(set) var lines: [Line]
    }

    /// The sections in the order of evaluation.
    package private(set) var sections: [Section] = []
    /// The number of omitted lines.
    package private(set) var omitted = 0

    /// Creates the trace, optionally with evaluations under assumptions.
    package init(_ entries: [RuleRecorder.Entry], of ruleset: Ruleset, assumptions: Bool) {
        var left = Self.maximumLines
        var rest = assumptions ? entries[...] : entries.filter { $0.pass == .actual }[...]
        while let first = rest.first {
            let section = rest.prefix { $0.rule == first.rule && $0.pass == first.pass }
            rest.removeFirst(section.count)
            guard ruleset.rules.indices.contains(first.rule) else { continue }
            let lines = RuleTraceTree(section, of: ruleset).lines
            omitted += max(0, lines.count - left)
            sections.append(
                Section(rule: ruleset.rules[first.rule], pass: first.pass, lines: Array(lines.prefix(left))))
            left -= min(left, lines.count)
        }
    }
}
