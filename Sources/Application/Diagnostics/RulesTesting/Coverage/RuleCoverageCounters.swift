import SecurityRules

/// The counters of expressions' outcomes, over all tests of the same rules.
struct RuleCoverageCounters {
    private struct Counted {
        let rules: RulesUnderTest
        var expressions: [RuleCounters.Counts]
        var permits: [Int]
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
        if case .allowed(let rule, _) = verdict, counted[place].permits.indices.contains(rule) {
            counted[place].permits[rule] += 1
        }
    }

    private mutating func place(of rules: RulesUnderTest) -> Int {
        if let place = places[rules.file] { return place }
        places[rules.file] = counted.count
        counted.append(
            Counted(
                rules: rules,
                expressions: Array(repeating: RuleCounters.Counts(), count: rules.ruleset.expressions.count),
                permits: Array(repeating: 0, count: rules.ruleset.rules.count)))
        return counted.count - 1
    }

    var coverage: RuleCoverage {
        RuleCoverage(
            sources: counted.map { counted in
                RuleCoverage.Source(
                    file: counted.rules.file, firstLine: counted.rules.firstLine, lines: counted.rules.lines,
                    counted.rules.ruleset, counts: counted.expressions, permits: counted.permits)
            })
    }
}

extension RuleCounters.Counts {
    fileprivate mutating func add(_ outcome: RuleRecorder.Outcome) {
        switch outcome {
        case .value(.bool(true)): wasTrue += 1
        case .value(.bool(false)): wasFalse += 1
        case .value, .failure: failed += 1
        }
    }
}
