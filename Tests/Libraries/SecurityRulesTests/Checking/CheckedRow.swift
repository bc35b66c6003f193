import Testing

@testable import SecurityRules

/// A source and its only finding.
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

    func matches(_ problem: RuleProblem) -> Bool {
        place == "\(problem.location.line):\(problem.location.column)"
            && "\(problem.what); \(problem.remedy)".contains(part)
    }
}

/// The findings of the checker.
enum Checked {
    private static let captures = [
        RuleCapture(name: "uid", segment: 1, isRest: false), RuleCapture(name: "rest", segment: 2, isRest: true),
    ]

    /// One condition of a route `/users/{uid}/{rest=**}`.
    static func condition(_ text: String, captures: [RuleCapture] = Checked.captures) -> RuleFindings {
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

    /// A file whose service block contains this text from the beginning of line 2.
    static func service(_ text: String) -> RuleFindings {
        file("rules_version = '2'; service gatehouse.http {\n\(text)\n}")
    }
}

/// Expects only the problem of the row.
func expect(_ problems: [RuleProblem], toBe row: CheckedRow, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(
        problems.count == 1 && problems.allSatisfy(row.matches),
        "\(row.place) \(row.part) <> \(problems.map(\.description))", sourceLocation: sourceLocation)
}

func expectNothing(in findings: RuleFindings, sourceLocation: SourceLocation = #_sourceLocation) {
    let problems = (findings.errors + findings.warnings).map(\.description)
    #expect(problems == [], sourceLocation: sourceLocation)
}
