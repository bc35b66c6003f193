import Testing

@testable import SecurityRules

@Suite struct RegexSyntaxTests {
    /// Invalid patterns, each with the offset and a part of the message.
    static let rows: [(pattern: String, offset: Int, what: String)] = [
        ("(a", 0, "not closed"), ("a)", 1, "does not close a group"), ("é)", 1, "does not close a group"),
        ("((a)", 0, "not closed"),
        ("[a", 0, "bracket is not closed"), ("[]", 0, "bracket is not closed"), ("[^]", 0, "bracket is not closed"),
        ("[[:alpha:", 0, "bracket is not closed"), ("a|[", 2, "bracket is not closed"), ("*", 0, "nothing to repeat"),
        ("a|*", 2, "nothing to repeat"), ("(+)", 1, "nothing to repeat"), ("(?i)*", 4, "nothing to repeat"),
        ("{2}", 0, "nothing to repeat"), ("?a", 0, "nothing to repeat"), ("a**", 2, "cannot be repeated"),
        ("a++", 2, "cannot be repeated"), ("a{2}{3}", 4, "cannot be repeated"), ("a*??", 3, "cannot be repeated"),
        ("a?+", 2, "cannot be repeated"), ("a{1001}", 1, "more than 1000"), ("a{1,1001}", 1, "more than 1000"),
        ("a{99999999999999999999}", 1, "more than 1000"), ("a{3,2}", 1, "exceeds the upper bound"),
        ("[z-a]", 1, "exceeds the upper bound"), (#"[\x41-\x40]"#, 1, "exceeds the upper bound"),
        ("((a{1000}){1000})", 10, "more than 10000 instructions"),
        ("((){1000}){1000}", 10, "more than 10000 instructions"),
        ("(a{1000}b{1000}){9}", 16, "more than 10000 instructions"),
        (#"(a)\1"#, 3, "back references are not supported"),
        (#"\9"#, 0, "back references are not supported"), (#"\k<a>"#, 0, "back references are not supported"),
        ("(?P=a)", 0, "back references are not supported"),
        ("(?P>a)", 0, "back references are not supported"), (#"\g1"#, 0, "back references are not supported"),
        ("(?=a)", 0, "lookahead and lookbehind are not supported"),
        ("b(?!a)", 1, "lookahead and lookbehind are not supported"),
        ("(?<=a)", 0, "lookahead and lookbehind are not supported"),
        ("(?<!a)", 0, "lookahead and lookbehind are not supported"),
        ("(?>a)", 0, "atomic groups are not supported"), ("(?x)a", 0, "does not begin a supported group"),
        ("(?i-)a", 0, "does not begin a supported group"), ("(?i--s)a", 0, "does not begin a supported group"),
        ("(?i", 0, "not closed"), ("(?", 0, "not closed"), ("(?#c)", 0, "does not begin a supported group"),
        ("(?P", 0, "does not begin a supported group"),
        ("(?P<a", 0, "name is missing"), ("(?P<>a)", 0, "name is missing"), ("(?P<a b>c)", 5, "letters, digits and _"),
        ("(?<é>c)", 3, "letters, digits and _"), ("(?P<a>b)(?P<a>c)", 8, "duplicate group name `a`"),
        (#"\"#, 0, "ends in"),
        (#"a\"#, 1, "ends in"), (#"[\"#, 1, "ends in"), (#"\y"#, 0, "no escape"), (#"\Z"#, 0, "no escape"),
        (#"\E"#, 0, "no escape"), (#"\C"#, 0, "no escape"), (#"\é"#, 0, "no escape"), (#"[\b]"#, 1, "no escape"),
        (#"[a-\d]"#, 3, "no escape"), (#"\x4"#, 0, "is not a character"), (#"\xg0"#, 0, "is not a character"),
        (#"\x{}"#, 0, "is not a character"), (#"\x{41"#, 0, "is not a character"),
        (#"\x{110000}"#, 0, "is not a character"),
        (#"\x{D800}"#, 0, "is not a character"), (#"\x{100000000000000000041}"#, 0, "is not a character"),
        (#"\p{Greek}"#, 0, "scripts are not supported"), (#"\p"#, 0, "scripts are not supported"),
        (#"\pX"#, 0, "scripts are not supported"), (#"\p{L"#, 0, "not closed"), ("[[:nope:]]", 1, "no class"),
        (String(repeating: "(", count: 101), 100, "deeper than 100"),
        (String(repeating: "a", count: 4097), 0, "more than 4096 bytes"),
        (String(repeating: "é", count: 2049), 0, "more than 4096 bytes"),
    ]

    @Test(arguments: rows)
    func `an invalid pattern is refused with its offset`(pattern: String, offset: Int, what: String) throws {
        let problem = try #require(throws: RegexProblem.self) { try RuleRegex(pattern) }
        #expect(problem.offset == offset)
        #expect(problem.what.contains(what), "\(problem.what)")
        #expect(!problem.remedy.isEmpty && !problem.remedy.contains("\n"))
    }

    @Test(arguments: [
        String(repeating: "(", count: 100) + "a" + String(repeating: ")", count: 100),
        String(repeating: "a", count: 4096), "a{1000}", "(a{90}){90}", "((((a)*)+)?){3}",
        String(repeating: "a|", count: 2000), String(repeating: "[", count: 4095) + "]",
    ])
    func `a pattern at the limits compiles`(pattern: String) throws {
        _ = try RuleRegex(pattern)
    }

    @Test func `a program is never larger than its computed size`() throws {
        for row in RegexMatchTests.rows {
            let source = try RegexParser.parse(row.pattern)
            #expect(RegexProgram(source).instructions.count <= source.root.size + 1)
        }
    }

    @Test func `a pattern of a request is charged to its work`() throws {
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
