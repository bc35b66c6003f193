import Testing

@testable import SecurityRules

/// A pattern, a text, and whether the pattern matches the whole text.
struct MatchRow: CustomTestStringConvertible, Sendable {
    let pattern: String
    let text: String
    let matches: Bool

    init(_ pattern: String, _ text: String, _ matches: Bool) {
        (self.pattern, self.text, self.matches) = (pattern, text, matches)
    }

    var testDescription: String { "\(pattern.debugDescription) on \(text.debugDescription)" }
}

/// Whether the whole text matches, within a request's work.
func matches(_ pattern: String, _ text: String, work: Int = RuleLimits.work) throws -> Bool {
    var budget = WorkBudget(work)
    return try RuleRegex(pattern).matches(text, &budget)
}

@Suite struct RegexMatchTests {
    static let rows = [
        // The whole text has to match.
        MatchRow("a", "a", true), MatchRow("a", "ab", false), MatchRow("a", "ba", false), MatchRow("", "", true),
        MatchRow("", "a", false), MatchRow("a|ab", "ab", true), MatchRow("(a|ab)(c|bcd)", "abcd", true),
        MatchRow("^a$", "a", true), MatchRow("a^b", "ab", false), MatchRow("a$b", "ab", false),
        MatchRow("(^|x)a($|y)", "a", true), MatchRow("(^|x)a($|y)", "xay", true), MatchRow("^*a$*", "a", true),
        MatchRow(#"\Aab\z"#, "ab", true), MatchRow("$", "", true), MatchRow("$^", "", true),
        MatchRow("a$", "a\n", false),
        MatchRow("(?m)a$\n^b", "a\nb", true), MatchRow("(?m)a$.^b", "a\nb", false),
        MatchRow("(?ms)a$.^b", "a\nb", true),
        MatchRow("a$\n^b", "a\nb", false),
        // Repeats.
        MatchRow("a*", "aaaa", true), MatchRow("a+", "", false), MatchRow("a?", "aa", false),
        MatchRow("a{2}", "aa", true),
        MatchRow("a{2}", "aaa", false), MatchRow("a{2,}", "aaaaa", true), MatchRow("a{2,}", "a", false),
        MatchRow("a{2,3}", "aaa", true), MatchRow("a{2,3}", "aaaa", false), MatchRow("a{0}", "", true),
        MatchRow("a{0}", "a", false), MatchRow("a{0,0}b", "b", true), MatchRow("(ab){3}", "ababab", true),
        MatchRow("a*?", "aaa", true), MatchRow("a{2,4}?", "aaaa", true), MatchRow("(a*)*", "aaa", true),
        MatchRow("(a*)+b", "b", true), MatchRow("(|a)*", "aa", true), MatchRow("(|a)+", "aa", true),
        MatchRow("(a|b*)*c", "abbac", true), MatchRow("(?:){3}", "", true),
        MatchRow("((a{2}){2}){2}", "aaaaaaaa", true),
        // Braces that are no repeat stand for themselves.
        MatchRow("a{,2}", "a{,2}", true), MatchRow("a{", "a{", true), MatchRow("a{1", "a{1", true),
        MatchRow("{a}", "{a}", true),
        MatchRow("a{1,b}", "a{1,b}", true), MatchRow("]", "]", true), MatchRow("}", "}", true),
        // The dot takes one scalar that is no line feed.
        MatchRow(".", "\n", false), MatchRow("(?s).", "\n", true), MatchRow(".", "é", true), MatchRow(".", "😀", true),
        MatchRow("..", "e\u{301}", true), MatchRow(".", "\r", true), MatchRow("(?s:.).", "\nx", true),
        MatchRow("(?s:.).", "\n\n", false),
        // Words are ASCII.
        MatchRow(#"\ba\b"#, "a", true), MatchRow(#"a\bb"#, "ab", false), MatchRow(#"a\Bb"#, "ab", true),
        MatchRow(#"a\b b"#, "a b", true), MatchRow(#"é\bb"#, "éb", true), MatchRow(#"\b"#, "", false),
        MatchRow(#"\B"#, "", true), MatchRow(#"\w+"#, "aZ_09", true), MatchRow(#"\w"#, "é", false),
        MatchRow(#"\d"#, "٣", false), MatchRow(#"\s+"#, " \t\n\r\u{C}", true), MatchRow(#"\s"#, "\u{B}", false),
        MatchRow(#"[[:space:]]"#, "\u{B}", true), MatchRow(#"\W\D\S"#, "é-x", true), MatchRow(#"\D"#, "5", false),
        // Escapes.
        MatchRow(#"\x41\x{1F600}\101\0\07"#, "A😀A\0\u{7}", true),
        MatchRow(#"\a\f\n\r\t\v"#, "\u{7}\u{C}\n\r\t\u{B}", true),
        MatchRow(#"\Qa.b*\E+"#, "a.b***", true), MatchRow(#"\Qa.b"#, "a.b", true), MatchRow(#"\Q\E"#, "", true),
        MatchRow(#"\.\*\_\-\/\@"#, ".*_-/@", true), MatchRow(#"\Q\\E"#, #"\"#, true), MatchRow(#"\123"#, "S", true),
        // Brackets.
        MatchRow("[abc]", "b", true), MatchRow("[^abc]", "b", false), MatchRow("[^abc]", "\n", true),
        MatchRow("[]a]+", "]a", true), MatchRow("[^]a]", "]", false), MatchRow("[a-]+", "a-", true),
        MatchRow("[-a]+", "a-", true), MatchRow("[a-c-e]+", "abc-e", true), MatchRow(#"[\d-z]+"#, "5-z", true),
        MatchRow(#"[\]\\\-]+"#, #"]\-"#, true), MatchRow("[[a]+", "[a", true), MatchRow("[a^]+", "^a", true),
        MatchRow("[[:alpha:][:digit:]]+", "a1", true), MatchRow("[[:^alpha:]]", "a", false),
        MatchRow("[[:^alpha:]]", "é", true),
        MatchRow("[^[:^alpha:]]", "a", true), MatchRow("[[:word:]]", "_", true),
        MatchRow(#"[\x{370}-\x{3FF}]+"#, "αβγ", true),
        MatchRow(#"[^\W_]+"#, "a1", true), MatchRow(#"[^\W_]+"#, "_", false), MatchRow("[[:a]+", ":[a", true),
        MatchRow("[é-ü]", "ö", true), MatchRow("[é-ü]", "e", false), MatchRow(#"[\Wa]"#, "a", true),
        // Categories.
        MatchRow(#"\pL+"#, "aéß漢", true), MatchRow(#"\p{Lu}\p{Ll}"#, "Éé", true), MatchRow(#"\p{Lu}"#, "é", false),
        MatchRow(#"\PL"#, "5", true), MatchRow(#"\P{L}"#, "é", false), MatchRow(#"\p{^L}"#, "é", false),
        MatchRow(#"\P{^L}"#, "é", true), MatchRow(#"[\pL\pN]+"#, "a٣", true), MatchRow(#"[^\pL]"#, "a", false),
        MatchRow(#"[\PL]"#, "!", true), MatchRow(#"\p{Any}"#, "\n", true), MatchRow(#"\P{Any}"#, "a", false),
        MatchRow(#"\p{Sc}"#, "€", true), MatchRow(#"\p{Zs}"#, "\u{A0}", true), MatchRow(#"[\P{L}\P{N}]"#, "a", true),
        // Groups and flags.
        MatchRow("(?:a|b)c", "bc", true), MatchRow("(?P<name>a)(?<other>b)", "ab", true),
        MatchRow("(?i)straße", "STRAßE", true),
        MatchRow("(?i)a(?-i)B", "AB", true), MatchRow("(?i)a(?-i)B", "Ab", false), MatchRow("(?i:a)b", "Ab", true),
        MatchRow("(?i:a)b", "AB", false), MatchRow("(a(?i)b)c", "aBc", true), MatchRow("(a(?i)b)c", "aBC", false),
        MatchRow("a(?i)b|c", "C", true), MatchRow("(?im-s:A)", "a", true), MatchRow("(?U)a+", "aaa", true),
        MatchRow("()", "", true),
        MatchRow("(?i)k", "\u{212A}", true), MatchRow("(?i)\u{212A}", "K", true), MatchRow("(?i)s", "ſ", true),
        MatchRow("(?i)σ", "ς", true), MatchRow("(?i)[α-ω]+", "ΑΩς", true), MatchRow("(?i)[^k]", "\u{212A}", false),
        MatchRow("(?i)ı", "i", false), MatchRow("(?i)i", "İ", false), MatchRow("(?i)[i]", "ı", false),
        MatchRow("(?i)ß", "ẞ", true),
        MatchRow("(?i)ß", "ss", false), MatchRow(#"(?i)\p{Lu}"#, "a", true), MatchRow(#"(?i)\P{Lu}"#, "a", false),
        MatchRow(#"(?i)\w"#, "ſ", true), MatchRow(#"(?i)\W"#, "ſ", false), MatchRow("(?i)[a-z]+", "AbZ", true),
        MatchRow("(?i)[[:^upper:]]", "a", false), MatchRow("(?i)Dž", "DŽ", true), MatchRow("(?i)µ", "Μ", true),
        MatchRow("(?i)[ſ]", "S", true), MatchRow("(?i)@", "`", false),
        // What rules use.
        MatchRow(".*@example[.]com", "someone@example.com", true),
        MatchRow(".*@example[.]com", "someone@example.com.evil", false),
        MatchRow(".*@example[.]com", "a@example.com@example.com", true), MatchRow("[a-z0-9-]{3,20}", "ab-01", true),
        MatchRow("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "01234567-89ab-cdef-0123-456789abcdef", true),
        MatchRow("projects/[^/]+/.*", "projects/a/b/c", true), MatchRow("projects/[^/]+/.*", "projects//b", false),
    ]

    @Test(arguments: rows) func aPatternMatchesTheWholeTextOrNot(_ row: MatchRow) throws {
        #expect(try matches(row.pattern, row.text) == row.matches)
    }

    /// The first alternative matches nothing, and is none for the machine word.
    @Test(arguments: rows) func theMatcherOfThreadsAgrees(_ row: MatchRow) throws {
        #expect(try matches(#"\b\B|"# + row.pattern, row.text) == row.matches)
    }

    @Test(arguments: rows) func aPatternOfARequestMatchesTheSame(_ row: MatchRow) throws {
        var work = WorkBudget()
        let regex = try RuleRegex(compiling: row.pattern, &work)
        #expect(try regex.matches(row.text, &work) == row.matches)
    }

    /// Patterns that take very long where alternatives are tried one after the other.
    @Test(arguments: [
        "(a+)+$", "(a|a)*b", "(a*)*c", "(a|aa)+$", "(.*)*x", "(a?){20}a{20}b", "([a-z]+)*@", "(a+)+\\b-",
        "(?i)(k+)+\\b\\.",
    ])
    func noPatternTakesMoreThanItsSizeForEachScalar(pattern: String) throws {
        let text = String(repeating: "a", count: 10_000) + "!"
        let clock = ContinuousClock()
        let started = clock.now
        #expect(try !matches(pattern, text))
        #expect(started.duration(to: clock.now) < .seconds(5))
    }

    @Test func whatCostsTooMuchEndsTheRequest() throws {
        let text = String(repeating: "a", count: 10_000)
        #expect(throws: RuleFailure.self) { try matches("(a?){400}(a*b?){400}c", text) }
        #expect(throws: RuleFailure.self) { try matches("(a+)+$", text, work: 9999) }
        #expect(throws: RuleFailure.self) { try matches(#"(a+)+$\B"#, text, work: 9999) }
    }

    @Test func aLongPatternFallsBackToThreads() throws {
        let pattern = "(?:" + (0..<100).map { "x\($0)" }.joined(separator: "|") + ")+"
        #expect(try matches(pattern, "x1x99x42"))
        #expect(try !matches(pattern, "x1x100x"))
    }
}
