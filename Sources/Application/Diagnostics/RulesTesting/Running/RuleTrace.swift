import GatewayCore
package import SecurityRules

/// How rules came to an answer: for each `allow` that was asked the expressions of its condition, the whole before its parts.
package struct RuleTrace: Sendable {
    /// The most lines that are kept of a request.
    package static let maximumLines = 200

    /// One expression and what it came to.
    package struct Line: Sendable {
        /// How deep it stands in the condition, calls of functions included; 0 for the condition.
        package let depth: Int
        /// As it is written, on one line.
        package let text: String
        /// What it came to; the reason where it failed.
        package let outcome: String
        /// Whether it failed.
        package let isFailure: Bool
        /// Where it stands.
        package let location: RuleLocation
    }

    /// What one `allow` came to.
    package struct Section: Sendable {
        /// The `allow`.
        package let rule: RuleStatement
        /// What was assumed of the user; nil: nothing.
        package let assumption: String?
        /// The whole before its parts.
        package fileprivate(set) var lines: [Line]
    }

    /// In the order in which they were asked.
    package private(set) var sections: [Section] = []
    /// How many lines were left out.
    package private(set) var omitted = 0

    /// - Parameter assumptions: whether to tell of what was only assumed, too.
    init(_ entries: [RuleRecorder.Entry], of ruleset: Ruleset, assumptions: Bool) {
        var left = Self.maximumLines
        var rest = assumptions ? entries[...] : entries.filter { $0.pass == .actual }[...]
        while let first = rest.first {
            let section = rest.prefix { $0.rule == first.rule && $0.pass == first.pass }
            rest.removeFirst(section.count)
            guard ruleset.rules.indices.contains(first.rule) else { continue }
            let lines = RuleTraceTree(section, of: ruleset).lines
            omitted += max(0, lines.count - left)
            sections.append(
                Section(
                    rule: ruleset.rules[first.rule], assumption: first.pass.words, lines: Array(lines.prefix(left))))
            left -= min(left, lines.count)
        }
    }
}

extension RuleRecorder.Pass {
    fileprivate var words: String? {
        guard case .assuming(let age, let secondFactor) = self else { return nil }
        let assumptions = [
            age.map { $0 == 0 ? "signed in just now" : "signed in \(DurationText.write(.seconds($0))) ago" },
            secondFactor ? "used a second factor" : nil,
        ]
        return "had the user " + assumptions.compactMap(\.self).joined(separator: " and ")
    }
}
