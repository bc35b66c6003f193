import Testing

@testable import SecurityRules
@testable import SystemFixtures

/// Whether the whole text matches, within the work limit of a request.
func matches(_ pattern: String, _ text: String, work: Int = RuleLimits.work) throws -> Bool {
    var budget = WorkBudget(work)
    return try RuleRegex(pattern).matches(text, &budget)
}

@Suite struct RegexMatchTests {
    static let rows: [(pattern: String, text: String, isMatch: Bool)] = [
        // The whole text has to match.
        ("a", "a", true), ("a", "ab", false), ("a", "ba", false), ("", "", true), ("", "a", false),
        ("a|ab", "ab", true), ("(a|ab)(c|bcd)", "abcd", true), ("^a$", "a", true), ("a^b", "ab", false),
        ("a$b", "ab", false), ("(^|x)a($|y)", "a", true), ("(^|x)a($|y)", "xay", true), ("^*a$*", "a", true),
        (#"\Aab\z"#, "ab", true), ("$", "", true), ("$^", "", true), ("a$", "a\n", false), ("(?m)a$\n^b", "a\nb", true),
        ("(?m)a$.^b", "a\nb", false), ("(?ms)a$.^b", "a\nb", true), ("a$\n^b", "a\nb", false),
        // Repeats.
        ("a*", "aaaa", true), ("a+", "", false), ("a?", "aa", false), ("a{2}", "aa", true), ("a{2}", "aaa", false),
        ("a{2,}", "aaaaa", true), ("a{2,}", "a", false), ("a{2,3}", "aaa", true), ("a{2,3}", "aaaa", false),
        ("a{0}", "", true), ("a{0}", "a", false), ("a{0,0}b", "b", true), ("(ab){3}", "ababab", true),
        ("a*?", "aaa", true), ("a{2,4}?", "aaaa", true), ("(a*)*", "aaa", true), ("(a*)+b", "b", true),
        ("(|a)*", "aa", true), ("(|a)+", "aa", true), ("(a|b*)*c", "abbac", true), ("(?:){3}", "", true),
        ("((a{2}){2}){2}", "aaaaaaaa", true),
        // Braces that do not form a repeat are literals.
        ("a{,2}", "a{,2}", true), ("a{", "a{", true), ("a{1", "a{1", true), ("{a}", "{a}", true),
        ("a{1,b}", "a{1,b}", true), ("]", "]", true), ("}", "}", true),
        // The dot matches one scalar except a line feed.
        (".", "\n", false), ("(?s).", "\n", true), (".", "é", true), (".", "😀", true), ("..", "e\u{301}", true),
        (".", "\r", true), ("(?s:.).", "\nx", true), ("(?s:.).", "\n\n", false),
        // Words are ASCII.
        (#"\ba\b"#, "a", true), (#"a\bb"#, "ab", false), (#"a\Bb"#, "ab", true), (#"a\b b"#, "a b", true),
        (#"é\bb"#, "éb", true), (#"\b"#, "", false), (#"\B"#, "", true), (#"\w+"#, "aZ_09", true), (#"\w"#, "é", false),
        (#"\d"#, "٣", false), (#"\s+"#, " \t\n\r\u{C}", true), (#"\s"#, "\u{B}", false),
        (#"[[:space:]]"#, "\u{B}", true), (#"\W\D\S"#, "é-x", true), (#"\D"#, "5", false),
        // Escapes.
        (#"\x41\x{1F600}\101\0\07"#, "A😀A\0\u{7}", true), (#"\a\f\n\r\t\v"#, "\u{7}\u{C}\n\r\t\u{B}", true),
        (#"\Qa.b*\E+"#, "a.b***", true), (#"\Qa.b"#, "a.b", true), (#"\Q\E"#, "", true),
        (#"\.\*\_\-\/\@"#, ".*_-/@", true), (#"\Q\\E"#, #"\"#, true), (#"\123"#, "S", true),
        // Brackets.
        ("[abc]", "b", true), ("[^abc]", "b", false), ("[^abc]", "\n", true), ("[]a]+", "]a", true),
        ("[^]a]", "]", false), ("[a-]+", "a-", true), ("[-a]+", "a-", true), ("[a-c-e]+", "abc-e", true),
        (#"[\d-z]+"#, "5-z", true), (#"[\]\\\-]+"#, #"]\-"#, true), ("[[a]+", "[a", true), ("[a^]+", "^a", true),
        ("[[:alpha:][:digit:]]+", "a1", true), ("[[:^alpha:]]", "a", false), ("[[:^alpha:]]", "é", true),
        ("[^[:^alpha:]]", "a", true), ("[[:word:]]", "_", true), (#"[\x{370}-\x{3FF}]+"#, "αβγ", true),
        (#"[^\W_]+"#, "a1", true), (#"[^\W_]+"#, "_", false), ("[[:a]+", ":[a", true), ("[é-ü]", "ö", true),
        ("[é-ü]", "e", false), (#"[\Wa]"#, "a", true),
        // Categories.
        (#"\pL+"#, "aéß漢", true), (#"\p{Lu}\p{Ll}"#, "Éé", true), (#"\p{Lu}"#, "é", false), (#"\PL"#, "5", true),
        (#"\P{L}"#, "é", false), (#"\p{^L}"#, "é", false), (#"\P{^L}"#, "é", true), (#"[\pL\pN]+"#, "a٣", true),
        (#"[^\pL]"#, "a", false), (#"[\PL]"#, "!", true), (#"\p{Any}"#, "\n", true), (#"\P{Any}"#, "a", false),
        (#"\p{Sc}"#, "€", true), (#"\p{Zs}"#, "\u{A0}", true), (#"[\P{L}\P{N}]"#, "a", true),
        // Groups and flags.
        ("(?:a|b)c", "bc", true), ("(?P<name>a)(?<other>b)", "ab", true), ("(?i)straße", "STRAßE", true),
        ("(?i)a(?-i)B", "AB", true), ("(?i)a(?-i)B", "Ab", false), ("(?i:a)b", "Ab", true), ("(?i:a)b", "AB", false),
        ("(a(?i)b)c", "aBc", true), ("(a(?i)b)c", "aBC", false), ("a(?i)b|c", "C", true), ("(?im-s:A)", "a", true),
        ("(?U)a+", "aaa", true), ("()", "", true), ("(?i)k", "\u{212A}", true), ("(?i)\u{212A}", "K", true),
        ("(?i)s", "ſ", true), ("(?i)σ", "ς", true), ("(?i)[α-ω]+", "ΑΩς", true), ("(?i)[^k]", "\u{212A}", false),
        ("(?i)ı", "i", false), ("(?i)i", "İ", false), ("(?i)[i]", "ı", false), ("(?i)ß", "ẞ", true),
        ("(?i)ß", "ss", false), (#"(?i)\p{Lu}"#, "a", true), (#"(?i)\P{Lu}"#, "a", false), (#"(?i)\w"#, "ſ", true),
        (#"(?i)\W"#, "ſ", false), ("(?i)[a-z]+", "AbZ", true), ("(?i)[[:^upper:]]", "a", false), ("(?i)Dž", "DŽ", true),
        ("(?i)µ", "Μ", true), ("(?i)[ſ]", "S", true), ("(?i)@", "`", false),
        // Patterns as in rules.
        (".*@example[.]com", "someone@example.com", true), (".*@example[.]com", "someone@example.com.evil", false),
        (".*@example[.]com", "a@example.com@example.com", true), ("[a-z0-9-]{3,20}", "ab-01", true),
        ("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "01234567-89ab-cdef-0123-456789abcdef", true),
        ("projects/[^/]+/.*", "projects/a/b/c", true), ("projects/[^/]+/.*", "projects//b", false),
    ]

    @Test(arguments: rows)
    func `a pattern matches the whole text or not`(pattern: String, text: String, isMatch: Bool) throws {
        #expect(try matches(pattern, text) == isMatch)
        // `\b\B` matches nothing, and forces the thread matcher.
        #expect(try matches(#"\b\B|"# + pattern, text) == isMatch)
        var work = WorkBudget()
        #expect(try RuleRegex(compiling: pattern, &work).matches(text, &work) == isMatch)
    }

    /// Patterns that take very long in a backtracking matcher.
    @Test(arguments: [
        "(a+)+$", "(a|a)*b", "(a*)*c", "(a|aa)+$", "(.*)*x", "(a?){20}a{20}b", "([a-z]+)*@", "(a+)+\\b-",
        "(?i)(k+)+\\b\\.",
    ])
    func `no pattern takes more time than its size for each scalar`(pattern: String) throws {
        let text = String(repeating: "a", count: 10_000) + "!"
        var isMatch = true
        let duration = try processorTime { isMatch = try matches(pattern, text) }
        #expect(!isMatch && duration < .seconds(5))
    }

    @Test func `a match that costs too much ends the request`() throws {
        let text = String(repeating: "a", count: 10_000)
        #expect(throws: RuleFailure.self) { try matches("(a?){400}(a*b?){400}c", text) }
        #expect(throws: RuleFailure.self) { try matches("(a+)+$", text, work: 9999) }
        #expect(throws: RuleFailure.self) { try matches(#"(a+)+$\B"#, text, work: 9999) }
    }

    @Test func `a long pattern falls back to threads`() throws {
        let pattern = "(?:" + (0..<100).map { "x\($0)" }.joined(separator: "|") + ")+"
        #expect(try matches(pattern, "x1x99x42"))
        #expect(try !matches(pattern, "x1x100x"))
    }
}
