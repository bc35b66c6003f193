import Testing

@testable import SecurityRules

@Suite struct RuleLimitTests {
    private static let limit = RuleVerdict.denied(RuleDenial(.limit, rule: 0))

    /// Costs `count` expressions: calls of a function that returns a constant, and a chain around them.
    private func file(costing count: Int) -> String {
        let calls = Array(repeating: "f()", count: (count - 1) / 2).joined(separator: " && ")
        return "function f() { return true; } match /a { allow read: if \(calls); }"
    }

    @Test(arguments: [(999, true), (1001, false)])
    func aRequestEvaluatesAtMostAThousandExpressions(count: Int, isAllowed: Bool) throws {
        let verdict = try Asked("GET", "/a").verdict(file: file(costing: count))
        #expect(verdict == (isAllowed ? .isTrue : Self.limit))
    }

    @Test func theLimitIsThatOfTheRequestAndNotOfARule() throws {
        let one = try Ruleset.file(file(costing: 601))
        let verdicts = Asked("GET", "/a").verdicts([one, one])
        #expect(verdicts == [.isTrue, Self.limit])
    }

    @Test func aLimitIsNotAbsorbed() throws {
        let calls = Array(repeating: "f()", count: 600).joined(separator: " && ")
        let verdict = try Asked("GET", "/a").verdict(
            file: """
                function f() { return true; }
                match /a { allow read: if (\(calls)) || true; allow read; }
                """)
        #expect(verdict == Self.limit)
    }

    @Test func aMemberCostsAsMuchAsItsParts() throws {
        let claim = auth("ada", ["a": ["b": ["c": true]]])
        let chain = Array(repeating: "auth.token.a.b.c", count: 200).joined(separator: " && ")
        let recorder = RuleRecorder()
        var asked = Asked("GET", "/a", auth: claim)
        #expect(try asked.verdict(chain) == Self.limit)
        asked.recorder = recorder
        #expect(try asked.verdict(chain) == Self.limit)
        // The chain, and 199 claims of 5 expressions, are 996; of the next one 4 are begun and none has an outcome.
        #expect(recorder.entries.filter { if case .value = $0.outcome { true } else { false } }.count == 995)
    }

    @Test func longTextsCostWork() throws {
        let doubled = (0..<40).reduce("'0123456789abcdef'") { text, _ in "d(\(text))" }
        let file = """
            function d(a) { return a + a + a + a; }
            match /a { allow read: if \(doubled) == '' || true; }
            """
        let verdict = try Asked("GET", "/a").verdict(file: file)
        #expect(verdict == Self.limit)
    }

    @Test(arguments: [(100, true), (101, false)])
    func aPathHasAtMostAHundredSegments(count: Int, isAllowed: Bool) throws {
        let asked = Asked("GET", String(repeating: "/a", count: count))
        let verdict = isAllowed ? RuleVerdict.isTrue : .denied(RuleDenial(.limit))
        #expect(try asked.verdict(file: "match /{rest=**} { allow read: if true; }") == verdict)
        #expect(try asked.verdict("true") == verdict)
    }

    /// Each form nests as deep as functions and texts may: more often than a request has expressions, and all of them are open at once.
    @Test(arguments: [
        ("[", "][0]"), ("{'a': ", "}.a"), ("{'a': ", "}.get('a', 0)"), ("[", "].concat([])[0]"), ("debug(", ")"),
        ("math.abs(", ")"),
    ])
    func theDeepestRulesFitASmallStack(before: String, after: String) throws {
        func nested(_ inner: String) -> String {
            String(repeating: before, count: 18) + inner + String(repeating: after, count: 18)
        }
        let functions = (2...20).map { "function f\($0)(a) { return \(nested("f\($0 - 1)(a)")); }\n" }
        let ruleset = try Ruleset.file(
            "function f1(a) { return \(nested("a")); }\n\(functions.joined())match /a { allow read: if f20(1) == 1; }")
        #expect(onSmallStack { Asked("GET", "/a").verdict(ruleset) } != nil)
    }
}
