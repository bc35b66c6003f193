import Testing

@testable import SecurityRules

@Suite struct RuleRecorderTests {
    private func record(_ condition: String, _ request: TestRequest) throws -> [String] {
        var request = request
        let recorder = RuleRecorder()
        request.recorder = recorder
        let ruleset = try Ruleset.condition(condition)
        _ = request.verdict(ruleset)
        return recorder.entries.map { entry in
            let outcome =
                switch entry.outcome {
                case .value(let value): value.text
                case .failure(let reason): "! \(reason)"
                }
            return "\(ruleset.expressions[entry.expression].text) = \(outcome)"
        }
    }

    @Test func `each expression is recorded after its parts`() throws {
        let lines = try record("auth.uid == 'ada' && auth.token.admin", TestRequest(auth: auth()))
        #expect(
            lines.filter { !$0.hasPrefix("auth = ") && !$0.hasPrefix("auth.token = ") } == [
                "auth.uid = 'ada'", "'ada' = 'ada'", "auth.uid == 'ada' = true",
                "auth.token.admin = ! there is no such member",
                "auth.uid == 'ada' && auth.token.admin = ! there is no such member",
            ])
    }

    @Test func `an expression that is not evaluated is not recorded`() throws {
        #expect(
            try record("false && auth.uid == 'ada'", TestRequest()) == [
                "false = false", "false && auth.uid == 'ada' = false",
            ])
    }

    @Test func `passes and rules are recorded`() throws {
        let recorder = RuleRecorder()
        var request = TestRequest("GET", "/a", auth: auth())
        request.recorder = recorder
        let file = try Ruleset.file(
            "match /a { allow read: if false; allow read: if recentSignIn(duration.value(1, 's')); }")
        _ = request.verdicts([try .condition("true"), file])
        let passes: Set<RuleRecorder.Pass> = Set(recorder.entries.filter { $0.ruleset == 1 }.map(\.pass))
        #expect(
            passes == [
                .actual, .assuming(signedInAgo: 0, secondFactor: false), .assuming(signedInAgo: 1, secondFactor: false),
            ])
        #expect(Set(recorder.entries.filter { $0.ruleset == 1 }.map(\.rule)) == [0, 1])
        #expect(recorder.entries[0].ruleset == 0)
    }

    @Test(arguments: [
        "auth.uid == 'ada' && auth.token.a.b == 1", "auth.token.missing || auth.uid == 'ada'",
        "auth.uid == uid && uid == 'ada'",
        "request.headers['x'] == 'y' || 'x' in request.headers",
        "secondFactor() && recentSignIn(duration.value(1, 'm'))",
    ])
    func `a recorder changes no verdict`(condition: String) throws {
        let ruleset = try Ruleset.condition(
            condition, captures: [RuleCapture(name: "uid", segment: 0, isRest: false)])
        var request = TestRequest("GET", "/ada", auth: auth("ada", ["a": ["b": 1]]))
        let verdict = request.verdict(ruleset)
        request.recorder = RuleRecorder()
        #expect(request.verdict(ruleset) == verdict)
    }

    @Test func `an expression has its function, rule, parent and location`() throws {
        let ruleset = try Ruleset.file(
            """
            function f(a) { let b = a == 1; return b; }
            match /a { allow read: if f(1) &&
            auth.token.ok; }
            """)
        let texts = ruleset.expressions.map { "\($0.text) \($0.isBoolean) \($0.function ?? "-") \($0.rule ?? -1)" }
        #expect(
            texts == [
                "a == 1 true f -1", "a false f -1", "1 false f -1", "b false f -1", "f(1) &&\nauth.token.ok true - 0",
                "f(1) true - 0", "1 false - 0", "auth.token.ok true - 0", "auth.token false - 0", "auth false - 0",
            ])
        #expect(ruleset.expressions.map(\.parent) == [nil, 0, 0, nil, nil, 4, 5, 4, 7, 8])
        #expect(ruleset.expressions[7].location.line == 5)
        #expect(ruleset.rules[0].condition == 4)
    }
}
