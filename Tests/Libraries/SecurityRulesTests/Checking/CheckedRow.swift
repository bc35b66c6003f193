import Testing

@testable import SecurityRules

/// A source, and what is said of it.
struct CheckedRow: Sendable, CustomTestStringConvertible {
    var source: String
    /// `LINE:COLUMN`
    var place: String
    /// A part of the message.
    var part: String

    init(_ source: String, _ place: String, _ part: String) {
        self.source = source
        self.place = place
        self.part = part
    }

    var testDescription: String { source }

    /// Whether a problem is the one.
    func isTold(by problem: RuleProblem) -> Bool {
        place == "\(problem.location.line):\(problem.location.column)"
            && "\(problem.what); \(problem.remedy)".contains(part)
    }
}

/// What is found in sources.
enum Checked {
    /// One condition of a route `/users/{uid}/{rest=**}`.
    static func condition(_ text: String) -> RuleFindings {
        let captures = [
            RuleCapture(name: "uid", segment: 1, isRest: false), RuleCapture(name: "rest", segment: 2, isRest: true),
        ]
        var findings = RuleFindings(RuleSource(text, name: "test"))
        if let condition = ExpressionParser.parse(&findings) {
            RulesChecker.check(condition: condition, captures: captures, &findings)
        }
        return findings
    }

    /// One value of a field.
    static func value(_ text: String) -> RuleFindings {
        var findings = RuleFindings(RuleSource(text, name: "test"))
        if let value = ExpressionParser.parse(&findings) { RulesChecker.check(value: value, &findings) }
        return findings
    }

    /// A whole file.
    static func file(_ text: String) -> RuleFindings {
        var findings = RuleFindings(RuleSource(text, name: "test"))
        if let ruleset = RulesetParser.parse(&findings) { RulesChecker.check(ruleset, &findings) }
        return findings
    }

    /// A file of what stands in its service block, on line 2 from the first column on.
    static func service(_ text: String) -> RuleFindings {
        file("rules_version = '2'; service gatehouse.http {\n\(text)\n}")
    }
}

/// Expects one problem, and that it is the one of a row.
func expect(_ problems: [RuleProblem], toTell row: CheckedRow, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(
        problems.count == 1 && problems.allSatisfy { row.isTold(by: $0) },
        "\(row.place) \(row.part) <> \(problems.map(\.description))", sourceLocation: sourceLocation)
}
