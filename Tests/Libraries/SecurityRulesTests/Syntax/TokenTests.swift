import Testing

@testable import SecurityRules

@Suite struct TokenTests {
    @Test(arguments: [
        ("a /* b */ && // c\n d", "(&& a d)"), ("a//", "a"), ("/**/a/***/", "a"), ("a/*/*/", "a"),
        ("/* \n * \n */\ta", "a"), ("a\r\n  && b\r\n", "(&& a b)"), ("\u{FEFF}a", "a"), ("a.b\n.c", "(. (. a b) c)"),
    ])
    func `blanks and comments have no meaning`(text: String, tree: String) {
        #expect(parsed(text) == tree)
    }

    @Test(arguments: [
        ("_", "_"), ("a1_B", "a1_B"), ("b", "b"), ("r", "r"), ("br", "br"), ("inn", "inn"), ("isx", "isx"),
        ("nota", "nota"), ("andy && order", "(&& andy order)"), ("a.in", "(. a in)"),
        ("a.is.match.allow", "(. (. (. a is) match) allow)"), ("a.true", "(. a true)"), ("a in in_", "(in a in_)"),
        ("rules_version", "rules_version"), ("x is null", "(is x null)"), ("x is map_diff", "(is x map_diff)"),
    ])
    func `a name is a whole word`(text: String, tree: String) {
        #expect(parsed(text) == tree)
    }

    @Test(arguments: [
        ("a<b", "(< a b)"), ("a<=b", "(<= a b)"), ("a>b", "(> a b)"), ("a>=b", "(>= a b)"), ("a==b", "(== a b)"),
        ("a!=b", "(!= a b)"), ("a&&b", "(&& a b)"), ("a||b", "(|| a b)"), ("a+b", "(+ a b)"), ("a-b", "(- a b)"),
        ("a*b", "(* a b)"), ("a/b", "(/ a b)"), ("a%b", "(% a b)"), ("a--b", "(- a (- b))"), ("a==!b", "(== a (! b))"),
        ("a<-1", "(< a -1)"), ("!!a", "(! (! a))"), ("a?b:c", "(?: a b c)"), ("a?.5:1", "(?: a 0.5 1)"),
    ])
    func `operators need no blanks`(text: String, tree: String) {
        #expect(parsed(text) == tree)
    }

    @Test func `the range of an expression excludes its parentheses`() throws {
        let source = RuleSource("( a.b ) && !(c || d.e(1))", name: "c")
        var findings = RuleFindings(source)
        let whole = try #require(ExpressionParser.parse(&findings))
        guard case .logical(.and, let operands) = whole.kind else {
            Issue.record("no chain")
            return
        }
        #expect(source.text(whole.range) == "( a.b ) && !(c || d.e(1))")
        #expect(operands.map { source.text($0.range) } == ["a.b", "!(c || d.e(1))"])
    }

    @Test(arguments: [
        ("!a in b", "1:1"), ("!a is bool", "1:1"), ("!a < b", "1:1"), ("c && !a.b() in d", "1:6"), ("!(a in b)", nil),
        ("(!a) in b", nil), ("!a == b", nil), ("!a && b", nil),
    ])
    func `a negation of only the first operand has a warning`(text: String, place: String?) {
        var findings = RuleFindings(RuleSource(text, name: "c"))
        _ = ExpressionParser.parse(&findings)
        #expect(findings.warnings.map { "\($0.location.line):\($0.location.column)" } == (place.map { [$0] } ?? []))
    }
}

@Suite struct PrecedenceTests {
    @Test(arguments: [
        ("a.b.c", "(. (. a b) c)"),
        ("a.b(c)[d].e()", "(.e() (at (.b() a c) d))"),
        ("f(a, b)[1:n]", "(slice (f() a b) 1 n)"),
        ("-a.b", "(- (. a b))"),
        ("!a.b()", "(! (.b() a))"),
        ("!-!a", "(! (- (! a)))"),
        ("-a * b", "(* (- a) b)"),
        ("a * b / c % d", "(% (/ (* a b) c) d)"),
        ("a + b * c - d", "(- (+ a (* b c)) d)"),
        ("a - b - c", "(- (- a b) c)"),
        ("a + b < c + d", "(< (+ a b) (+ c d))"),
        ("a < b in c", "(in (< a b) c)"),
        ("a <= b is bool", "(is (<= a b) bool)"),
        ("a in b == c", "(== (in a b) c)"),
        ("a is int != b", "(!= (is a int) b)"),
        ("a == b && c != d", "(&& (== a b) (!= c d))"),
        ("a && b || c && d", "(|| (&& a b) (&& c d))"),
        ("a || b && c || d", "(|| a (&& b c) d)"),
        ("a && b && c && d", "(&& a b c d)"),
        ("(a && b) && c", "(&& (&& a b) c)"),
        ("a && (b || c)", "(&& a (|| b c))"),
        ("a || b ? c : d", "(?: (|| a b) c d)"),
        ("a ? b : c ? d : e", "(?: a b (?: c d e))"),
        ("a ? b ? c : d : e", "(?: a (?: b c d) e)"),
        ("(a ? b : c).d", "(. (?: a b c) d)"),
        ("a -1", "(- a 1)"),
        ("a - -1", "(- a -1)"),
        ("a >= b > c", "(> (>= a b) c)"),
    ])
    func `operators bind as documented`(text: String, tree: String) {
        #expect(parsed(text) == tree)
    }
}

@Suite struct RuleSourceTests {
    /// Lines of every length around the steps in which columns are counted, with scalars of one to four bytes.
    @Test func `a location is counted in lines and scalars`() {
        let text = (0..<40).map { String(repeating: "aé€😀", count: $0 * 5) }.joined(separator: "\n")
        let source = RuleSource(text, name: "test")
        var (line, column) = (1, 1)
        var offset: Int32 = 0
        for scalar in text.unicodeScalars {
            #expect(source.location(offset) == RuleLocation(source: "test", line: line, column: column))
            offset += Int32(UTF8.width(scalar))
            (line, column) = scalar == "\n" ? (line + 1, 1) : (line, column + 1)
        }
        #expect(source.location(offset) == RuleLocation(source: "test", line: line, column: column))
        #expect(source.location(offset + 1000) == RuleLocation(source: "test", line: line, column: column))
    }

    @Test func `an empty text has one location`() {
        #expect(RuleSource("", name: "test").location(7) == RuleLocation(source: "test", line: 1, column: 1))
    }
}
