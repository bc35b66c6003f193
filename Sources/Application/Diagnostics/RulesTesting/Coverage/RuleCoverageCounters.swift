import SecurityRules

/// The counters of expressions' outcomes, over all tests of the same rules.
struct RuleCoverageCounters {
    fileprivate struct Counts {
        var wasTrue = 0
        var wasFalse = 0
        var failed = 0
    }

    fileprivate struct Counted {
        let rules: RulesUnderTest
        var expressions: [Counts]
        var constants: [Int]
    }

    private var places: [String: Int] = [:]
    private var counted: [Counted] = []

    /// Counts one decision. Evaluations under assumptions do not count.
    mutating func count(_ verdict: RuleVerdict, _ entries: [RuleRecorder.Entry], of rules: RulesUnderTest) {
        let place = place(of: rules)
        for entry in entries where entry.pass == .actual {
            guard counted[place].expressions.indices.contains(entry.expression) else { continue }
            counted[place].expressions[entry.expression].add(entry.outcome)
        }
        if case .allowed(let rule, _) = verdict, counted[place].constants.indices.contains(rule) {
            counted[place].constants[rule] += 1
        }
    }

    private mutating func place(of rules: RulesUnderTest) -> Int {
        if let place = places[rules.file] { return place }
        places[rules.file] = counted.count
        counted.append(
            Counted(
                rules: rules, expressions: Array(repeating: Counts(), count: rules.ruleset.expressions.count),
                constants: Array(repeating: 0, count: rules.ruleset.rules.count)))
        return counted.count - 1
    }

    var coverage: RuleCoverage {
        RuleCoverage(sources: counted.map(\.source))
    }
}

extension RuleCoverageCounters.Counts {
    fileprivate mutating func add(_ outcome: RuleRecorder.Outcome) {
        switch outcome {
        case .value(.bool(true)): wasTrue += 1
        case .value(.bool(false)): wasFalse += 1
        case .value, .failure: failed += 1
        }
    }
}

extension RuleCoverageCounters.Counted {
    fileprivate var source: RuleCoverage.Source {
        let conditions = rules.ruleset.rules.indices.map(condition)
        let isCondition = Set(rules.ruleset.rules.compactMap(\.condition))
        let parts = rules.ruleset.expressions.indices
            .filter { rules.ruleset.expressions[$0].isBoolean && !isCondition.contains($0) }
            .map { point($0, .part) }
        return RuleCoverage.Source(
            file: rules.file, firstLine: rules.firstLine, lines: rules.lines,
            rules: zip(rules.ruleset.rules, conditions).map { RuleCoverage.Rule(statement: $0, condition: $1) },
            points: (conditions + parts).sorted { ($0.location, $1.end) < ($1.location, $0.end) })
    }

    private func condition(of rule: Int) -> RuleCoverage.Point {
        let statement = rules.ruleset.rules[rule]
        guard let number = statement.condition else { return unconditional(statement, evaluations: constants[rule]) }
        var point = point(number, rules.ruleset.expressions[number].isBoolean ? .condition : .constant)
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

    private func point(_ number: Int, _ kind: RuleCoverage.Point.Kind) -> RuleCoverage.Point {
        let expression = rules.ruleset.expressions[number]
        let counts = expressions[number]
        return RuleCoverage.Point(
            kind: kind, text: expression.text, location: expression.location, end: expression.end,
            wasTrue: counts.wasTrue, wasFalse: counts.wasFalse, failed: counts.failed)
    }
}
