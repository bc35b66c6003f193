import Testing

@testable import SecurityRules

@Suite struct StringPatternsTests {
    private func call(_ builtin: Builtin, _ text: String, _ strings: String...) throws -> String {
        var (work, arguments) = (WorkBudget(), Arguments())
        for string in strings { arguments.append(.string(string)) }
        return try StringMethods.applyPattern(builtin, text, arguments, &work).text
    }

    @Test func aPatternIsAMethodsFirstArgument() throws {
        #expect(try call(.matches, "abc", "a.c") == "true")
        #expect(try call(.replace, "abc", "(b)", #"[\1]"#) == "'a[b]c'")
        #expect(try call(.split, "a,b", ",") == "['a', 'b']")
    }

    @Test func aPatternThatIsNoneFails() throws {
        let failure = try #require(throws: RuleFailure.self) { try call(.matches, "abc", "(") }
        #expect(failure.reason == .invalidText)
    }

    @Test func aPatternThatIsTooLongFails() throws {
        let failure = try #require(throws: RuleFailure.self) {
            try call(.matches, "abc", String(repeating: "a", count: 4097))
        }
        #expect(failure.reason == .invalidText)
    }

    @Test func otherMethodsTakeNoPattern() throws {
        let failure = try #require(throws: RuleFailure.self) { try call(.size, "abc", "a") }
        #expect(failure.reason == .wrongKind)
        #expect(Builtin.allCases.filter(\.takesPattern) == [.replace, .split, .matches])
    }
}
