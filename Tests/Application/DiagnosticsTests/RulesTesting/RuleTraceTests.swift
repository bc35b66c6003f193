import Diagnostics
import SecurityRules
import Testing

@Suite struct RuleTraceTests {
    private func lines(_ rules: String, auth: String = "ann", expect: String = "deny") throws -> [String] {
        let run = try RuleTesting.run(rules, tests: RuleTesting.test(auth: auth, expect: expect))
        return run.results[0].trace.sections.flatMap { section in
            ["\(section.rule.label)\(section.assumption.map { " (\($0))" } ?? "")"]
                + section.lines.map { line in
                    String(repeating: "  ", count: line.depth + 1) + line.text
                        + (line.isFailure ? " !! " : " -> ") + line.outcome
                }
        }
    }

    @Test func `the parts of a condition are below the whole`() throws {
        #expect(
            try lines("allow read: if auth.uid == 'bob' || auth.token.level + 1 > 3;") == [
                "notes.rules:3",
                "  auth.uid == 'bob' || auth.token.level + 1 > 3 -> true",
                "    auth.uid == 'bob' -> false",
                "      auth.uid -> 'ann'",
                "    auth.token.level + 1 > 3 -> true",
                "      auth.token.level + 1 -> 4",
                "        auth.token.level -> 3",
            ])
    }

    @Test func `the body of a function is below its call`() throws {
        let rules = """
            function outer(x) { let y = inner(x); return y && inner('admin'); }
            function inner(role) { let mine = auth.token.role; return mine == role; }
            allow read: if outer('user');
            """
        #expect(
            try lines(rules) == [
                "notes.rules:5",
                "  outer('user') -> false",
                "    inner(x) -> false",
                "      x -> 'user'",
                "      auth.token.role -> 'admin'",
                "      mine == role -> false",
                "        mine -> 'admin'",
                "        role -> 'user'",
                "    y && inner('admin') -> false",
                "      y -> false",
            ])
    }

    @Test func `a failure is reported with its reason up to the whole`() throws {
        let lines = try lines("allow read: if auth.token.none.more == 1;")
        #expect(lines.count == 5, "\(lines)")
        #expect(lines[1].hasPrefix("  auth.token.none.more == 1 !! "))
        #expect(lines[3].hasPrefix("      auth.token.none !! "))
    }

    @Test func `each evaluated allow has its section`() throws {
        let lines = try lines("allow read: if auth == null;\nallow read: if auth.uid == 'bob';\nallow write;")
        #expect(lines.filter { !$0.hasPrefix(" ") } == ["notes.rules:3", "notes.rules:4"])
    }

    @Test func `a hypothetical outcome is reported only if expected`() throws {
        let rules =
            "allow read: if recentSignIn(duration.value(5, 'm')) && auth.uid == 'bob';"
        #expect(try lines(rules, expect: "allow").filter { !$0.hasPrefix(" ") } == ["notes.rules:3"])
        let trace = try lines(rules, expect: "step-up").filter { !$0.hasPrefix(" ") }
        #expect(trace.contains("notes.rules:3 (had the user signed in just now)"), "\(trace)")
    }

    @Test func `only the first lines of a long one are kept`() throws {
        let condition = (0..<150).map { "auth.token.level + \($0) == 0" }.joined(separator: " || ")
        let run = try RuleTesting.run("allow read: if \(condition);", tests: RuleTesting.test(expect: "allow"))
        let trace = run.results[0].trace
        #expect(trace.sections.reduce(0) { $0 + $1.lines.count } == RuleTrace.maximumLines)
        #expect(trace.omitted > 0)
    }

    @Test func `a long expression is shown shortened`() throws {
        let lines = try lines("allow read: if auth.uid\n   == '\(String(repeating: "x", count: 200))';")
        #expect(lines[1].hasPrefix("  auth.uid == 'xxx") && lines[1].contains("...") && lines[1].count < 120)
    }
}
