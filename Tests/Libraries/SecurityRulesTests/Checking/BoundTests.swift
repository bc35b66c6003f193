import Testing

@testable import SecurityRules

/// Files of the maximum size that are designed to cost as much as possible.
@Suite struct CheckedBoundTests {
    private static let size = RuleSource.maximumSize - 256

    private func repeated(_ limit: Int = .max, _ text: (Int) -> String) -> String {
        var result = ""
        for index in 0..<limit {
            let next = text(index)
            guard result.utf8.count + next.utf8.count < Self.size else { break }
            result += next
        }
        return result
    }

    @Test func `as many unknown names are reported as the limit allows`() {
        let names = repeated { "name_that_is_not_there_\($0) || " }
        let errors = Checked.service("match /a { allow read: if \(names)true; }").errors
        #expect(errors.count == RuleProblems.maximumCount)
    }

    @Test func `as many functions of one name are reported as the limit allows`() {
        let errors = Checked.service(repeated(RuleLimits.declarations) { _ in "function f(){return f();}" }).errors
        #expect(errors.count == RuleProblems.maximumCount)
    }

    @Test func `as many functions that call each other are reported as the limit allows`() {
        let functions = (0..<400).map { caller in
            "function f\(caller)(){return " + (0..<70).map { "f\((caller + $0) % 400)()" }.joined(separator: "||")
                + ";}"
        }
        #expect(Checked.service(functions.joined()).errors.count == RuleProblems.maximumCount)
    }

    @Test func `many large regular expressions are reported once`() {
        let calls = repeated { "auth.uid.matches('((a{90}){90}|\($0))') || " }
        let errors = Checked.service("match /a { allow read: if \(calls)auth == null; }").errors
        #expect(errors.map(\.what) == ["the regular expressions up to here have more than 200000 parts"])
    }

    @Test func `a regular expression that is used often is counted once`() {
        let calls = repeated { _ in "auth.uid.matches('(a{90}){90}') || " }
        #expect(Checked.service("match /a { allow read: if \(calls)auth == null; }").errors.isEmpty)
    }

    @Test func `expressions at the depth limit are checked`() {
        let depth = RuleLimits.expressionDepth / 2 - 2
        let condition = String(repeating: "!(", count: depth) + "auth.uid" + String(repeating: ")", count: depth)
        #expect(
            Checked.condition(condition).errors.map(\.what) == ["! takes bools, but this is a string"])
        let index = String(repeating: "auth.token.a[", count: depth) + "0" + String(repeating: "]", count: depth)
        #expect(Checked.condition(index).errors.isEmpty)
    }

    @Test func `many blocks within a long pattern are checked once`() {
        let pattern = String(repeating: "a", count: 100_000)
        let blocks = repeated(RuleLimits.declarations - 1) { "match /b\($0) {allow get;}" }
        let findings = Checked.service("match /\(pattern) {\n\(blocks)\n}")
        expectNothing(in: findings)
    }

    @Test func `captures and functions of many blocks are distinguished`() {
        let blocks = repeated(RuleLimits.declarations / 2) {
            "match /b\($0)/{c\($0)} {function f\($0)(){return c\($0)==auth.uid;}allow get:if f\($0)();}"
        }
        let findings = Checked.service(blocks)
        expectNothing(in: findings)
    }

    @Test func `a message is short and on one line`() {
        let name = String(repeating: "n", count: 10_000)
        let problems = Checked.condition(
            "auth.uid == [\n\(name)1(),\t'\(name)'] + 5 || \(name).a.b(\(name)) == '\(name)' + 5"
        ).errors
        #expect(!problems.isEmpty && problems.allSatisfy { $0.description.utf8.count < 800 })
        #expect(problems.allSatisfy { !$0.description.contains("\n") })
    }
}
