import Testing

@testable import SecurityRules

@Suite struct RegexSyntaxTests {
    /// A pattern that is refused: where, and a part of what is said of it.
    struct Row: CustomTestStringConvertible, Sendable {
        let pattern: String
        let offset: Int
        let what: String

        init(_ pattern: String, _ offset: Int, _ what: String) {
            (self.pattern, self.offset, self.what) = (pattern, offset, what)
        }

        var testDescription: String { pattern.debugDescription }
    }

    static let rows = [
        Row("(a", 0, "not closed"), Row("a)", 1, "closes no group"), Row("é)", 1, "closes no group"),
        Row("((a)", 0, "not closed"),
        Row("[a", 0, "bracket is not closed"), Row("[]", 0, "bracket is not closed"),
        Row("[^]", 0, "bracket is not closed"),
        Row("[[:alpha:", 0, "bracket is not closed"), Row("a|[", 2, "bracket is not closed"),
        Row("*", 0, "nothing to repeat"), Row("a|*", 2, "nothing to repeat"), Row("(+)", 1, "nothing to repeat"),
        Row("(?i)*", 4, "nothing to repeat"), Row("{2}", 0, "nothing to repeat"), Row("?a", 0, "nothing to repeat"),
        Row("a**", 2, "cannot be repeated"), Row("a++", 2, "cannot be repeated"),
        Row("a{2}{3}", 4, "cannot be repeated"),
        Row("a*??", 3, "cannot be repeated"), Row("a?+", 2, "cannot be repeated"),
        Row("a{1001}", 1, "more than 1000"), Row("a{1,1001}", 1, "more than 1000"),
        Row("a{99999999999999999999}", 1, "more than 1000"),
        Row("a{3,2}", 1, "wrong way round"), Row("[z-a]", 1, "wrong way round"),
        Row(#"[\x41-\x40]"#, 1, "wrong way round"),
        Row("((a{1000}){1000})", 10, "more than 10000 parts"), Row("((){1000}){1000}", 10, "more than 10000 parts"),
        Row("(a{1000}b{1000}){9}", 16, "more than 10000 parts"),
        Row(#"(a)\1"#, 3, "no back references"), Row(#"\9"#, 0, "no back references"),
        Row(#"\k<a>"#, 0, "no back references"),
        Row("(?P=a)", 0, "no back references"), Row("(?P>a)", 0, "no back references"),
        Row(#"\g1"#, 0, "no back references"),
        Row("(?=a)", 0, "no looking"), Row("b(?!a)", 1, "no looking"), Row("(?<=a)", 0, "no looking"),
        Row("(?<!a)", 0, "no looking"),
        Row("(?>a)", 0, "no atomic"), Row("(?x)a", 0, "no group"), Row("(?i-)a", 0, "no group"),
        Row("(?i--s)a", 0, "no group"),
        Row("(?i", 0, "not closed"), Row("(?", 0, "not closed"), Row("(?#c)", 0, "no group"), Row("(?P", 0, "no group"),
        Row("(?P<a", 0, "name is missing"), Row("(?P<>a)", 0, "name is missing"),
        Row("(?P<a b>c)", 5, "letters, digits and _"),
        Row("(?<é>c)", 3, "letters, digits and _"), Row("(?P<a>b)(?P<a>c)", 8, "already"),
        Row(#"\"#, 0, "ends in"), Row(#"a\"#, 1, "ends in"), Row(#"[\"#, 1, "ends in"), Row(#"\y"#, 0, "no escape"),
        Row(#"\Z"#, 0, "no escape"),
        Row(#"\E"#, 0, "no escape"), Row(#"\C"#, 0, "no escape"), Row(#"\é"#, 0, "no escape"),
        Row(#"[\b]"#, 1, "no escape"),
        Row(#"[a-\d]"#, 3, "no escape"), Row(#"\x4"#, 0, "no character"), Row(#"\xg0"#, 0, "no character"),
        Row(#"\x{}"#, 0, "no character"), Row(#"\x{41"#, 0, "no character"), Row(#"\x{110000}"#, 0, "no character"),
        Row(#"\x{D800}"#, 0, "no character"), Row(#"\x{100000000000000000041}"#, 0, "no character"),
        Row(#"\p{Greek}"#, 0, "scripts are not supported"), Row(#"\p"#, 0, "scripts are not supported"),
        Row(#"\pX"#, 0, "scripts are not supported"), Row(#"\p{L"#, 0, "not closed"), Row("[[:nope:]]", 1, "no class"),
        Row(String(repeating: "(", count: 101), 100, "deeper than 100"),
        Row(String(repeating: "a", count: 4097), 0, "more than 4096 bytes"),
        Row(String(repeating: "é", count: 2049), 0, "more than 4096 bytes"),
    ]

    @Test(arguments: rows) func whatIsNoPatternIsRefusedWithItsPlace(_ row: Row) throws {
        let problem = try #require(throws: RegexProblem.self) { try RuleRegex(row.pattern) }
        #expect(problem.offset == row.offset)
        #expect(problem.what.contains(row.what), "\(problem.what)")
        #expect(!problem.remedy.isEmpty && !problem.remedy.contains("\n"))
    }

    @Test(arguments: [
        String(repeating: "(", count: 100) + "a" + String(repeating: ")", count: 100),
        String(repeating: "a", count: 4096),
        "a{1000}", "(a{90}){90}", "((((a)*)+)?){3}", String(repeating: "a|", count: 2000),
        String(repeating: "[", count: 4095) + "]",
    ])
    func aPatternAtTheLimitsCompiles(pattern: String) throws {
        _ = try RuleRegex(pattern)
    }

    @Test func theProgramIsNeverLargerThanWasReckoned() throws {
        for row in RegexMatchTests.rows {
            let source = try RegexParser.parse(row.pattern)
            #expect(RegexProgram(source).instructions.count <= source.root.size + 1)
        }
    }

    @Test func aPatternOfARequestIsChargedToItsWork() throws {
        var work = WorkBudget(1000)
        _ = try RuleRegex(compiling: "a{100}", &work)
        #expect(work.left < 1000 - 100)
        let large = try #require(throws: RuleFailure.self) { _ = try RuleRegex(compiling: "a{1000}", &work) }
        #expect(large.reason == .tooMuchWork)
        var more = WorkBudget()
        let invalid = try #require(throws: RuleFailure.self) { _ = try RuleRegex(compiling: "(", &more) }
        #expect(invalid.reason == .invalidText)
    }
}
