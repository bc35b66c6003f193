import Testing

@testable import SecurityRules

/// The text with every match replaced, within the work limit of a request.
func replaceAll(_ pattern: String, _ text: String, _ replacement: String) throws -> String {
    var budget = WorkBudget()
    return try RuleRegex(pattern).replaceAll(in: text, with: replacement, &budget)
}

@Suite struct RegexReplaceTests {
    static let rows: [(pattern: String, text: String, replacement: String, result: String)] = [
        ("a", "banana", "o", "bonono"), ("a", "bbb", "o", "bbb"), ("a", "", "o", ""), ("@.*", "a@b", "", "a"),
        ("(a)(b)?", "abac", #"[\1\2\0]"#, "[abab][aa]c"), ("(.*)@(.*)", "x@y", #"\2@\1"#, "y@x"),
        ("a", "a", #"\\$1"#, #"\$1"#),
        // The leftmost match. Of several matches at one position, the preferred one.
        ("a|ab", "ab", "x", "xb"), ("ab|a", "ab", "x", "x"), ("a+?", "aaa", "x", "xxx"), ("a+", "aaa", "x", "x"),
        ("(?U)a+", "aaa", "x", "xxx"), ("(?U)a+?", "aaa", "x", "x"),
        ("(a|ab)(c|bcd)(d*)", "abcd", #"[\1|\2|\3]"#, "[a|bcd|]"), ("(a*)(a*)", "aa", #"[\1|\2]"#, "[aa|]"),
        ("(a*?)(a*)", "aa", #"[\1|\2]"#, "[|aa]"), ("(?:(a)|b)*", "ab", #"[\1]"#, "[a]"),
        ("(a{1,2}?)(a*)", "aaa", #"[\1|\2]"#, "[a|aa]"), ("(a{1,2})(a*)", "aaa", #"[\1|\2]"#, "[aa|a]"),
        // An empty match directly after the last match is ignored.
        ("a*", "baac", "-", "-b-c-"), ("", "abc", "-", "-a-b-c-"), ("", "é😀", "-", "-é-😀-"), ("", "", "-", "-"),
        ("a*?", "aa", "-", "-a-a-"), ("b|", "abc", "-", "-a-c-"),
        // Anchors refer to the whole text, not to its rest.
        ("^a", "aaa", "x", "xaa"), ("a$", "aaa", "x", "aax"), (#"\ba"#, "aa a", "x", "xa x"),
        ("(?m)^", "a\nb", "> ", "> a\n> b"), ("(?m)$", "a\nb", ";", "a;\nb;"), (#"\b"#, "ab c", "|", "|ab| |c|"),
        ("[é-ü]", "aöb", "o", "aob"), ("(?i)É", "éÉ", "e", "ee"), ("(|a)*", "aa", "x", "xaxax"),
        ("(|a)+", "aa", "x", "xaxax"),
    ]

    @Test(arguments: rows)
    func `every match is replaced`(pattern: String, text: String, replacement: String, result: String) throws {
        #expect(try replaceAll(pattern, text, replacement) == result)
    }

    @Test(arguments: [("a", #"\1"#, 0), ("(a)", #"x\2"#, 1), ("a", #"é\"#, 1), ("a", #"\\\x"#, 2), ("a", #"\9"#, 0)])
    func `a replacement with missing groups fails`(pattern: String, replacement: String, offset: Int) throws {
        let failure = try #require(throws: RuleFailure.self) { try replaceAll(pattern, "a", replacement) }
        #expect(failure.reason == .invalidArgument)
        let problem = try #require(RuleRegex(pattern).problem(ofReplacement: replacement))
        #expect(problem.offset == offset)
    }

    @Test func `a replacement with existing groups has no problem`() throws {
        #expect(try RuleRegex("(a)(b)").problem(ofReplacement: #"\0\1\2\\$9"#) == nil)
    }

    @Test(arguments: [
        (",", "a,b,c", ["a", "b", "c"]), (",", "a", ["a"]), (",", "", [""]), (",", ",", ["", ""]),
        (",", "a,", ["a", ""]), (",", ",a,,b", ["", "a", "", "b"]), ("", "aé😀", ["a", "é", "😀"]),
        (" *, *", "a , b,c", ["a", "b", "c"]), ("b*", "abbc", ["a", "c"]), ("^", "a", ["a"]), ("$", "a", ["a"]),
        (".", "ab", ["", "", ""]), ("/", "/a/b", ["", "a", "b"]), ("(,)", "a,b", ["a", "b"]),
        ("[.]", "a.b.c", ["a", "b", "c"]),
    ])
    func `a text is split at the matches`(pattern: String, text: String, parts: [String]) throws {
        var budget = WorkBudget()
        #expect(try RuleRegex(pattern).split(text, &budget) == parts)
    }

    /// A result that grows too much, and searches that read far without a match.
    @Test(arguments: [("a", String(repeating: "a", count: 10_000)), ("a.*b|a", "")])
    func `a replacement that costs too much ends the request`(pattern: String, replacement: String) throws {
        let text = String(repeating: "a", count: 10_000)
        let failure = try #require(throws: RuleFailure.self) { try replaceAll(pattern, text, replacement) }
        #expect(failure.reason == .tooMuchWork)
    }
}
