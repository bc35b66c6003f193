extension RuleCoverage.Source {
    /// Creates the coverage of a ruleset.
    ///
    /// - Parameters:
    ///   - lines: The lines of text, of which the first has the number `firstLine` in the locations of the ruleset.
    ///   - counts: The counts by the index of the expression.
    ///   - permits: How often each `allow` permitted a request, by its index.
    package init(
        file: String, firstLine: Int, lines: [String], _ ruleset: Ruleset, counts: [RuleCounters.Counts],
        permits: [Int]
    ) {
        let conditions = ruleset.rules.indices.map { rule in
            let permits = permits.indices.contains(rule) ? permits[rule] : 0
            return ruleset.condition(of: rule, counts, permits: permits)
        }
        let isCondition = Set(ruleset.rules.compactMap(\.condition))
        let parts = ruleset.expressions.indices
            .filter { ruleset.expressions[$0].isBoolean && !isCondition.contains($0) }
            .map { ruleset.point($0, .part, counts) }
        self.init(
            file: file, firstLine: firstLine, lines: lines,
            rules: zip(ruleset.rules, conditions).map { RuleCoverage.Rule(statement: $0, condition: $1) },
            points: (conditions + parts).sorted { ($0.location, $1.end) < ($1.location, $0.end) })
    }

    /// Returns the lines of a text. A final line feed does not start another line.
    package static func lines(of text: String) -> [String] {
        let bytes = Array(text.utf8)
        let text = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
        return text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            String(decoding: $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0, as: UTF8.self)
        }
    }
}

extension Ruleset {
    fileprivate func condition(
        of rule: Int, _ counts: [RuleCounters.Counts], permits: Int
    ) -> RuleCoverage.Point {
        let statement = rules[rule]
        guard let number = statement.condition else { return unconditional(statement, evaluations: permits) }
        var point = point(number, expressions[number].isBoolean ? .condition : .constant, counts)
        if point.kind == .constant { point.wasTrue += point.wasFalse }
        return point
    }

    private func unconditional(_ statement: RuleStatement, evaluations: Int) -> RuleCoverage.Point {
        let start = statement.location
        // The first line represents a statement with several lines.
        let length = statement.text.prefix { $0 != "\n" }.unicodeScalars.count
        return RuleCoverage.Point(
            kind: .constant, text: statement.text, location: start,
            end: RuleLocation(source: start.source, line: start.line, column: start.column + length),
            wasTrue: evaluations)
    }

    fileprivate func point(
        _ number: Int, _ kind: RuleCoverage.Point.Kind, _ counts: [RuleCounters.Counts]
    ) -> RuleCoverage.Point {
        let expression = expressions[number]
        let counts = counts.indices.contains(number) ? counts[number] : RuleCounters.Counts()
        return RuleCoverage.Point(
            kind: kind, text: expression.text, location: expression.location, end: expression.end,
            wasTrue: counts.wasTrue, wasFalse: counts.wasFalse, failed: counts.failed)
    }
}
