import Testing

@testable import SecurityRules

@Suite struct TokenTests {
    @Test(arguments: [
        ("a /* b */ && // c\n d", "(&& a d)"), ("a//", "a"), ("/**/a/***/", "a"), ("a/*/*/", "a"),
        ("/* \n * \n */\ta", "a"),
        ("a\r\n  && b\r\n", "(&& a b)"), ("\u{FEFF}a", "a"), ("a.b\n.c", "(. (. a b) c)"),
    ])
    func blanksAndCommentsMeanNothing(text: String, tree: String) {
        #expect(parsed(text) == tree)
    }

    @Test(arguments: [
        ("_", "_"), ("a1_B", "a1_B"), ("b", "b"), ("r", "r"), ("br", "br"), ("inn", "inn"), ("isx", "isx"),
        ("nota", "nota"),
        ("andy && order", "(&& andy order)"), ("a.in", "(. a in)"),
        ("a.is.match.allow", "(. (. (. a is) match) allow)"),
        ("a.true", "(. a true)"), ("a in in_", "(in a in_)"), ("rules_version", "rules_version"),
        ("x is null", "(is x null)"), ("x is map_diff", "(is x map_diff)"),
    ])
    func aNameIsAWholeWord(text: String, tree: String) {
        #expect(parsed(text) == tree)
    }

    @Test(arguments: [
        ("a<b", "(< a b)"), ("a<=b", "(<= a b)"), ("a>b", "(> a b)"), ("a>=b", "(>= a b)"), ("a==b", "(== a b)"),
        ("a!=b", "(!= a b)"), ("a&&b", "(&& a b)"), ("a||b", "(|| a b)"), ("a+b", "(+ a b)"), ("a-b", "(- a b)"),
        ("a*b", "(* a b)"), ("a/b", "(/ a b)"), ("a%b", "(% a b)"), ("a--b", "(- a (- b))"), ("a==!b", "(== a (! b))"),
        ("a<-1", "(< a -1)"), ("!!a", "(! (! a))"), ("a?b:c", "(?: a b c)"), ("a?.5:1", "(?: a 0.5 1)"),
    ])
    func operatorsNeedNoBlanks(text: String, tree: String) {
        #expect(parsed(text) == tree)
    }

    @Test func anExpressionKnowsItsPlaceWithoutItsParentheses() throws {
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
        ("!a in b", "1:1"), ("!a is bool", "1:1"), ("!a < b", "1:1"), ("c && !a.b() in d", "1:6"),
        ("!(a in b)", nil), ("(!a) in b", nil), ("!a == b", nil), ("!a && b", nil),
    ])
    func aNotThatBindsTighterThanItLooksIsWorthAWarning(text: String, place: String?) {
        var findings = RuleFindings(RuleSource(text, name: "c"))
        _ = ExpressionParser.parse(&findings)
        #expect(findings.warnings.map { "\($0.location.line):\($0.location.column)" } == (place.map { [$0] } ?? []))
    }
}
