import Testing

@testable import SecurityRules

/// A pattern, a text, a replacement, and what becomes of the text.
struct ReplaceRow: CustomTestStringConvertible, Sendable {
    let pattern: String
    let text: String
    let replacement: String
    let result: String

    init(_ pattern: String, _ text: String, _ replacement: String, _ result: String) {
        (self.pattern, self.text, self.replacement, self.result) = (pattern, text, replacement, result)
    }

    var testDescription: String { "\(pattern.debugDescription) in \(text.debugDescription)" }
}

/// The text with every match replaced, within a request's work.
func replaceAll(_ pattern: String, _ text: String, _ replacement: String) throws -> String {
    var budget = WorkBudget()
    return try RuleRegex(pattern).replaceAll(in: text, with: replacement, &budget)
}

@Suite struct RegexReplaceTests {
    static let rows = [
        ReplaceRow("a", "banana", "o", "bonono"), ReplaceRow("a", "bbb", "o", "bbb"), ReplaceRow("a", "", "o", ""),
        ReplaceRow("@.*", "a@b", "", "a"), ReplaceRow("(a)(b)?", "abac", #"[\1\2\0]"#, "[abab][aa]c"),
        ReplaceRow("(.*)@(.*)", "x@y", #"\2@\1"#, "y@x"), ReplaceRow("a", "a", #"\\$1"#, #"\$1"#),
        // The leftmost match, of several there the preferred one.
        ReplaceRow("a|ab", "ab", "x", "xb"), ReplaceRow("ab|a", "ab", "x", "x"), ReplaceRow("a+?", "aaa", "x", "xxx"),
        ReplaceRow("a+", "aaa", "x", "x"), ReplaceRow("(?U)a+", "aaa", "x", "xxx"),
        ReplaceRow("(?U)a+?", "aaa", "x", "x"),
        ReplaceRow("(a|ab)(c|bcd)(d*)", "abcd", #"[\1|\2|\3]"#, "[a|bcd|]"),
        ReplaceRow("(a*)(a*)", "aa", #"[\1|\2]"#, "[aa|]"),
        ReplaceRow("(a*?)(a*)", "aa", #"[\1|\2]"#, "[|aa]"), ReplaceRow("(?:(a)|b)*", "ab", #"[\1]"#, "[a]"),
        ReplaceRow("(a{1,2}?)(a*)", "aaa", #"[\1|\2]"#, "[a|aa]"),
        ReplaceRow("(a{1,2})(a*)", "aaa", #"[\1|\2]"#, "[aa|a]"),
        // An empty match right behind the last one is none.
        ReplaceRow("a*", "baac", "-", "-b-c-"), ReplaceRow("", "abc", "-", "-a-b-c-"),
        ReplaceRow("", "é😀", "-", "-é-😀-"),
        ReplaceRow("", "", "-", "-"), ReplaceRow("a*?", "aa", "-", "-a-a-"), ReplaceRow("b|", "abc", "-", "-a-c-"),
        // Anchors are those of the whole text, not of what is left.
        ReplaceRow("^a", "aaa", "x", "xaa"), ReplaceRow("a$", "aaa", "x", "aax"),
        ReplaceRow(#"\ba"#, "aa a", "x", "xa x"),
        ReplaceRow("(?m)^", "a\nb", "> ", "> a\n> b"), ReplaceRow("(?m)$", "a\nb", ";", "a;\nb;"),
        ReplaceRow(#"\b"#, "ab c", "|", "|ab| |c|"),
        ReplaceRow("[é-ü]", "aöb", "o", "aob"), ReplaceRow("(?i)É", "éÉ", "e", "ee"),
        ReplaceRow("(|a)*", "aa", "x", "xaxax"),
        ReplaceRow("(|a)+", "aa", "x", "xaxax"),
    ]

    @Test(arguments: rows) func everyMatchIsReplaced(_ row: ReplaceRow) throws {
        #expect(try replaceAll(row.pattern, row.text, row.replacement) == row.result)
    }

    @Test(arguments: [("a", #"\1"#, 0), ("(a)", #"x\2"#, 1), ("a", #"é\"#, 1), ("a", #"\\\x"#, 2), ("a", #"\9"#, 0)])
    func aReplacementOfGroupsThatAreNotThereFails(pattern: String, replacement: String, offset: Int) throws {
        let failure = try #require(throws: RuleFailure.self) { try replaceAll(pattern, "a", replacement) }
        #expect(failure.reason == .invalidArgument)
        let problem = try #require(RuleRegex(pattern).problem(ofReplacement: replacement))
        #expect(problem.offset == offset)
    }

    @Test func aReplacementThatFitsHasNoProblem() throws {
        #expect(try RuleRegex("(a)(b)").problem(ofReplacement: #"\0\1\2\\$9"#) == nil)
    }

    @Test(arguments: [
        (",", "a,b,c", ["a", "b", "c"]), (",", "a", ["a"]), (",", "", [""]), (",", ",", ["", ""]),
        (",", "a,", ["a", ""]),
        (",", ",a,,b", ["", "a", "", "b"]), ("", "aé😀", ["a", "é", "😀"]), (" *, *", "a , b,c", ["a", "b", "c"]),
        ("b*", "abbc", ["a", "c"]), ("^", "a", ["a"]), ("$", "a", ["a"]), (".", "ab", ["", "", ""]),
        ("/", "/a/b", ["", "a", "b"]),
        ("(,)", "a,b", ["a", "b"]), ("[.]", "a.b.c", ["a", "b", "c"]),
    ])
    func aTextIsSplitAtTheMatches(pattern: String, text: String, parts: [String]) throws {
        var budget = WorkBudget()
        #expect(try RuleRegex(pattern).split(text, &budget) == parts)
    }

    @Test func aTextThatGrowsTooMuchEndsTheRequest() throws {
        let text = String(repeating: "a", count: 10_000)
        let failure = try #require(throws: RuleFailure.self) { try replaceAll("a", text, text) }
        #expect(failure.reason == .tooMuchWork)
    }

    @Test func searchesThatLookFarForNothingEndTheRequest() throws {
        let text = String(repeating: "a", count: 10_000)
        let failure = try #require(throws: RuleFailure.self) { try replaceAll("a.*b|a", text, "") }
        #expect(failure.reason == .tooMuchWork)
    }
}
