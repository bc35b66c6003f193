import Diagnostics
import SecurityRules
import Testing

@Suite struct RuleTestRunTests {
    /// Rules, users and outcomes.
    static let outcomes: [(rules: String, auth: String, outcome: String)] = [
        ("allow read: if auth != null;", "ann", "allow"),
        ("allow read: if auth != null;", "null", "deny"),
        ("allow read: if auth.token.none;", "ann", "deny"),
        ("allow write;", "ann", "deny"),
        ("allow read: if recentSignIn(duration.value(5, 'm'));", "now", "allow"),
        ("allow read: if recentSignIn(duration.value(5, 'm'));", "again", "allow"),
        ("allow read: if recentSignIn(duration.value(5, 'm'));", "ann", "step-up"),
        ("allow read: if recentSignIn(duration.value(5, 'm'));", "ann", "{ step_up: 5m }"),
        ("allow read: if recentSignIn(duration.value(5, 'm'));", "null", "deny"),
        ("allow read: if secondFactor();", "strong", "allow"),
        ("allow read: if secondFactor();", "ann", "second-factor"),
    ]
    private static let all = ["allow", "deny", "step-up", "{ step_up: 5m }", "second-factor"]

    @Test(arguments: outcomes)
    func `a test passes with the expected outcome only`(rules: String, auth: String, outcome: String) throws {
        let isSame = { (word: String) in word == outcome || (word.contains("step") && outcome.contains("step")) }
        for expectation in Self.all {
            let run = try RuleTesting.run(rules, tests: RuleTesting.test(auth: auth, expect: expectation))
            #expect(run.results.map(\.isPassed) == [isSame(expectation)], "\(expectation)")
            #expect(run.count == 1 && run.failures == (isSame(expectation) ? 0 : 1))
        }
    }

    @Test func `another maximum age than the expected fails`() throws {
        let rules = "allow read: if recentSignIn(duration.value(5, 'm'));"
        let run = try RuleTesting.run(rules, tests: RuleTesting.test(expect: "{ step_up: 6m }"))
        #expect(run.failures == 1)
        #expect("\(run.results[0].outcome)" == "step-up within 5m by notes.rules:3")
    }

    @Test(arguments: [(3, 1), (4, 0), (5, 1)])
    func `the rule that decides can be expected`(line: Int, failures: Int) throws {
        let rules = "allow read: if auth == null;\nallow read: if auth.uid == 'ann';\nallow read;"
        let run = try RuleTesting.run(rules, tests: RuleTesting.test(expect: "allow", more: "    rule: \(line)\n"))
        #expect(run.failures == failures)
    }

    @Test func `a condition of a route is tested without a rules file`() throws {
        let yaml = """
            allow: auth.uid == uid && rest[0] == 'notes'
            path: /users/{uid}/{rest=**}

            """
        let run = RuleTestRun([
            try RuleTesting.load(
                yaml + RuleTesting.users + RuleTesting.test("DELETE /users/ann/notes/7", expect: "allow"))
        ])
        #expect(run.failures == 0)
        #expect("\(run.results[0].outcome)" == "allow by notes.test.yaml:1")
        #expect(run.coverage.sources[0].points.map(\.location.description).first == "notes.test.yaml:1:8")
    }

    /// Forms of conditions in YAML, and the positions of their parts.
    static let spellings = [
        ("allow: auth.uid == 'ann' && true == false", "1:8 1:29"),
        ("allow: \"auth.uid == 'ann' && true == false\"", "1:9 1:30"),
        ("allow: |\n  auth.uid == 'ann' &&\n  true == false", "2:1 3:1"),
    ]

    @Test(arguments: spellings)
    func `positions within a condition are positions in the file`(allow: String, places: String) throws {
        let file = try RuleTesting.load(
            allow.replacing("true == false", with: "auth.uid == 'bob'") + "\npath: /a\n" + RuleTesting.users
                + RuleTesting.test(expect: "deny"))
        let points = RuleTestRun([file]).coverage.sources[0].points
        #expect(points.map { "\($0.location.line):\($0.location.column)" }.suffix(2).joined(separator: " ") == places)
    }
}
