import Diagnostics
import SecurityRules
import Testing

@Suite struct RuleCoverageTests {
    /// `KIND LINE:COLUMN COUNTS`, in the order of the text.
    private func points(_ rules: String, _ tests: [(auth: String, expect: String)]) throws -> [String] {
        try run(rules, tests).coverage.sources.flatMap(\.points).map {
            "\($0.kind) \($0.location.line):\($0.location.column) \($0.wasTrue) \($0.wasFalse) \($0.failed)"
        }
    }

    private func run(_ rules: String, _ tests: [(auth: String, expect: String)]) throws -> RuleTestRun {
        let yaml = tests.map {
            "  - { name: t, request: GET /a, auth: \($0.auth), expect: \($0.expect) }\n"
        }
        return try RuleTesting.run(rules, tests: "tests:\n" + yaml.joined())
    }

    @Test func `each condition and operand is counted by its value`() throws {
        let rules = "allow read: if auth.uid == 'ann' && !(auth.token.level > 3) || auth.token.role == 'x';"
        let tests = [("ann", "allow"), ("now", "deny"), ("strong", "deny"), ("null", "deny")]
        #expect(
            try points(rules, tests) == [
                // The whole expression; `&&`; its operands and the operand of `!`; the right side.
                "condition 3:16 1 0 3", "part 3:16 1 0 3", "part 3:16 3 0 1", "part 3:37 1 0 3", "part 3:39 0 1 3",
                "part 3:64 0 0 3",
            ])
    }

    @Test func `an unconditional allow is covered once it decides`() throws {
        let rules = "allow read: if auth.uid == 'bob';\nallow read;\nallow write;"
        let run = try run(rules, [("ann", "allow"), ("ann", "allow")])
        let points = run.coverage.sources[0].points
        #expect(points.map(\.kind) == [.condition, .constant, .constant])
        #expect(points.map(\.counts) == ["true 0, false 2, error 0", "evaluated 2", "evaluated 0"])
        #expect(points.map(\.missing) == ["never true", nil, "never evaluated"])
        #expect(run.coverage.outcomes == 4 && run.coverage.seen == 2)
    }

    @Test func `assumed evaluations do not count`() throws {
        let rules = "allow read: if recentSignIn(duration.value(5, 'm')) && auth.uid == 'ann';"
        let points = try points(rules, [("ann", "step-up")])
        #expect(points == ["condition 3:16 0 1 0", "part 3:16 0 1 0", "part 3:56 0 0 0"])
    }

    @Test func `the body of a function is counted over all its calls`() throws {
        let rules = """
            function isUser(id) { return auth.uid == id && auth != null; }
            allow read: if isUser('ann');
            allow read: if isUser('bob');
            """
        let coverage = try run(rules, [("ann", "allow"), ("{ uid: cat }", "deny")]).coverage
        let body = coverage.sources[0].points.filter { $0.location.line == 3 }
        #expect(
            body.map(\.counts) == ["true 1, false 2, error 0", "true 1, false 2, error 0", "true 1, false 0, error 0"])
        #expect(coverage.sources[0].points.compactMap(\.missing) == ["never false", "never true"])
    }

    @Test func `both branches of a choice have to be seen through its condition`() throws {
        let rules = "allow read: if auth.uid == 'ann' ? auth.token.level == 3 : auth.token.level == 4;"
        let coverage = try run(rules, [("ann", "allow")]).coverage
        #expect(coverage.sources[0].points.compactMap(\.missing).contains("never evaluated"))
        #expect(!coverage.reaches(percent: 100))
    }

    @Test func `files of tests of the same rules are counted together`() throws {
        let rules = RuleTesting.rules("allow read: if auth.uid == 'ann';")
        let files = try ["ann", "null"].map { auth in
            try RuleTesting.load(
                RuleTesting.users + RuleTesting.test(auth: auth, expect: auth == "ann" ? "allow" : "deny"), rules: rules
            )
        }
        let coverage = RuleTestRun(files).coverage
        #expect(coverage.sources.count == 1)
        #expect(coverage.sources[0].points.map(\.counts) == ["true 1, false 0, error 1"])
    }

    @Test(arguments: [
        (0, 0, "100"), (1, 3, "33.3"), (999, 1000, "99.9"), (9999, 10000, "99.9"), (1, 2, "50"), (7, 7, "100"),
    ])
    func `a share is rounded down`(seen: Int, outcomes: Int, text: String) {
        #expect(RuleCoverage.percent(seen, of: outcomes) == text)
    }

    @Test func `a demand is met exactly`() throws {
        let coverage = try run("allow read: if auth.uid == 'ann';", [("ann", "allow")]).coverage
        #expect(coverage.reaches(percent: 50))
        #expect(!coverage.reaches(percent: 51))
    }
}
