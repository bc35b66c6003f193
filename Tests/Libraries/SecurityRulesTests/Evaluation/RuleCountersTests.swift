import Testing

@testable import SecurityRules

/// The counters of the results of expressions.
@Suite struct RuleCountersTests {
    private static let file = """
        match /notes/{id} {
          allow read: if auth.uid == id || auth.token.admin;
          allow write;
        }
        """

    private func evaluator(_ lane: Int?) -> RuleEvaluator {
        let evaluator = RuleEvaluator()
        evaluator.lane = lane
        return evaluator
    }

    private func counted(_ ruleset: Ruleset) -> Ruleset { ruleset.counting(lanes: 2, since: 7) }

    /// `TEXT true false error` of each Boolean expression.
    private func counts(_ ruleset: Ruleset) throws -> [String] {
        let counts = try #require(ruleset.counters).counts
        return zip(ruleset.expressions, counts).filter { $0.0.isBoolean }.map {
            "\($0.text) \($1.wasTrue) \($1.wasFalse) \($1.failed)"
        }
    }

    @Test func `results are counted by expression, and permits by allow`() throws {
        let ruleset = counted(try .file(Self.file))
        let evaluator = evaluator(0)
        for (method, user) in [("GET", auth("a")), ("GET", auth("b")), ("GET", .null), ("PUT", .null)] {
            _ = TestRequest(method, "/notes/a", auth: user).verdicts([ruleset], evaluator)
        }
        let found = try counts(ruleset)
        #expect(
            found == ["auth.uid == id || auth.token.admin 1 0 2", "auth.uid == id 1 1 1", "auth.token.admin 0 0 2"])
        #expect(ruleset.counters?.permits == [1, 1])
        #expect(ruleset.counters?.since == 7)
    }

    @Test func `a value of a function is counted, and a condition that is neither true nor false is an error`() throws {
        let ruleset = counted(
            try .file(
                "function isAda() { let same = auth.uid == 'ada'; return same; }\n"
                    + "match /a { allow read: if isAda() && auth.token.level; }"))
        _ = TestRequest("GET", "/a", auth: auth("ada", ["level": "gold"])).verdicts([ruleset], evaluator(0))
        let found = try counts(ruleset)
        #expect(found.contains("auth.uid == 'ada' 1 0 0") && found.contains("isAda() 1 0 0"))
        #expect(found.contains("auth.token.level 0 0 1") && found.contains("isAda() && auth.token.level 0 0 1"))
    }

    @Test func `lanes are summed up, and other evaluators count nothing`() throws {
        let ruleset = counted(try .condition("auth.uid == 'ada'"))
        for lane in [0, 1, 1, 2, -1, Int.max, nil] {
            #expect(TestRequest(auth: auth()).verdicts([ruleset], evaluator(lane)) == [.isTrue])
        }
        let found = try counts(ruleset)
        #expect(found == ["auth.uid == 'ada' 3 0 0"])
        let plain = try Ruleset.condition("true")
        #expect(plain.counters == nil)
    }

    @Test func `evaluations under assumptions, and before the record of the sign-in is read, are not counted`() throws {
        let ruleset = counted(try .condition("recentSignIn(duration.value(5, 'm'))"))
        let evaluator = evaluator(0)
        var request = TestRequest(auth: auth())
        request.signIn = RuleSignIn(authTime: nil, record: .notRead)
        #expect(request.verdicts([ruleset], evaluator) == [.needsSignInRecord])
        let before = try counts(ruleset)
        #expect(before == ["recentSignIn(duration.value(5, 'm')) 0 0 0"])
        request.signIn = RuleSignIn(authTime: nil, record: .read(nil))
        #expect(request.verdicts([ruleset], evaluator) == [.needsRecentSignIn(maxAge: 300, rule: 0)])
        let after = try counts(ruleset)
        #expect(after == ["recentSignIn(duration.value(5, 'm')) 0 1 0"])
    }

    @Test(arguments: ["auth.uid == id", "auth.token.a.b == 1 || !(auth.uid in ['x'])", "auth.uid ? true : false"])
    func `counting does not change a verdict`(_ condition: String) throws {
        let captures = [RuleCapture(name: "id", segment: 0, isRest: false)]
        let ruleset = try Ruleset.condition(condition, captures: captures)
        for user in [auth(), auth("x"), .null] {
            let request = TestRequest("GET", "/ada", auth: user)
            let plain = request.verdicts([ruleset])
            #expect(request.verdicts([counted(ruleset)], evaluator(1)) == plain)
        }
    }

    @Test func `the counters of the same source are continued, and others begin anew`() throws {
        let first = counted(try .condition("auth.uid == 'ada'"))
        _ = TestRequest(auth: auth()).verdicts([first], evaluator(0))
        let same = try Ruleset.condition("auth.uid == 'ada'").counting(lanes: 2, since: 9, continuing: first.counters)
        #expect(same.counters === first.counters)
        let longer = try Ruleset.condition("auth.uid == 'ada' || true")
            .counting(lanes: 2, since: 9, continuing: first.counters)
        let counters = try #require(longer.counters)
        #expect(counters.since == 9 && counters.counts.allSatisfy { $0 == RuleCounters.Counts() })
    }
}
