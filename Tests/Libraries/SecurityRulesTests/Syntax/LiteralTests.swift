import Testing

@testable import SecurityRules

@Suite struct LiteralTests {
    @Test(arguments: [
        ("0", "0"), ("42", "42"), ("0xFF", "255"), ("0Xff", "255"), ("-0x10", "-16"), ("- 7", "-7"),
        ("9223372036854775807", "9223372036854775807"), ("-9223372036854775808", "-9223372036854775808"),
        ("-0x8000000000000000", "-9223372036854775808"), ("- -9223372036854775808", "(- -9223372036854775808)"),
        ("1.5", "1.5"), (".5", "0.5"), ("-2.5e-3", "-0.0025"), ("1e3", "1000.0"), ("1E+3", "1000.0"), ("0.0", "0.0"),
        ("1.7976931348623157e308", "1.7976931348623157e+308"), ("1e-400", "0.0"), ("0e5", "0.0"),
        ("1.size()", "(.size() 1)"), ("1.e5", "(. 1 e5)"), ("1 .5 ? 2 : 3", nil), ("true", "true"), ("false", "false"),
        ("null", "null"),
    ])
    func `a number or keyword has its value`(text: String, tree: String?) {
        #expect(tree == nil ? !conditionErrors(text).isEmpty : parsed(text) == tree)
    }

    @Test(arguments: [
        (#"''"#, ""), (#""""#, ""), (#"'a"b'"#, #"a"b"#), (#""a'b""#, "a'b"), (#"'ä🎉'"#, "ä🎉"), ("'\t'", "\t"),
        (#"'\n\t\r\a\b\f\v'"#, "\n\t\r\u{7}\u{8}\u{C}\u{B}"), (#"'\\\'\"\?\`'"#, #"\'"?`"#), (#"'\x41\X7a'"#, "Az"),
        (#"'\xe9'"#, "\u{E9}"), (#"'\u00e9\u20AC'"#, "é€"), (#"'\U0001F389'"#, "🎉"), (#"'\101\377\000'"#, "A\u{FF}\0"),
        (#"r'\d+\n'"#, #"\d+\n"#), (#"R"a\""#, #"a\"#), (#"r'\\'"#, #"\\"#), ("'//' ", "//"), ("'/* '", "/* "),
        ("'\u{65}\u{301}'", "e\u{301}"),
    ])
    func `a string literal has its scalars`(text: String, value: String) throws {
        var findings = RuleFindings(RuleSource(text, name: "c"))
        let expression = try #require(ExpressionParser.parse(&findings))
        guard case .string(let found) = expression.kind else { throw Failure() }
        #expect(findings.isUsable)
        #expect(Array(found.utf8) == Array(value.utf8))
    }

    @Test(arguments: [
        (#"b''"#, []), (#"b'abc'"#, [97, 98, 99]), (#"B"\xff\000\377""#, [255, 0, 255]), (#"b'é'"#, [0xC3, 0xA9]),
        (#"br'\x'"#, [92, 120]), (#"bR"\\""#, [92, 92]), (#"b'\n'"#, [10]),
    ])
    func `a bytes literal has its bytes`(text: String, bytes: [UInt8]) {
        #expect(parsed(text) == "b\(bytes)")
    }

    @Test(arguments: [
        ("[]", "(list)"), ("[1]", "(list 1)"), ("[1, 'a', [b]]", "(list 1 'a' (list b))"), ("[1,]", "(list 1)"),
        ("{}", "(map)"), ("{'a': 1}", "(map 'a' 1)"), ("{'a': 1, b: {},}", "(map 'a' 1 b (map))"),
        ("{'a': x ? 1 : 2}", "(map 'a' (?: x 1 2))"), ("[1, 2][0]", "(at (list 1 2) 0)"),
        ("{'a': 1}.a", "(. (map 'a' 1) a)"),
        ("[a ? b : c]", "(list (?: a b c))"), ("a[b ? c : d]", "(at a (?: b c d))"),
        ("a[b ? c : d : e]", "(slice a (?: b c d) e)"),
    ])
    func `lists and maps hold expressions`(text: String, tree: String) {
        #expect(parsed(text) == tree)
    }

    @Test(arguments: [
        ("/a", "(path a)"), ("/a/b-c/d.e_f~g", "(path a b-c d.e_f~g)"), ("/a/$(b)/c", "(path a $b c)"),
        ("/$(a.b + 'x')/$(f(c))", "(path $(+ (. a b) 'x') $(f() c))"), ("/a%2Fb%20c/%C3%A9", "(path a/b c é)"),
        ("/a == /b", "(== (path a) (path b))"), ("[/a, /b]", "(list (path a) (path b))"),
        ("f(/a/$(b))", "(f() (path a $b))"),
        ("/a[0]", "(at (path a) 0)"), ("x ? /a : /b", "(?: x (path a) (path b))"), ("a / b", "(/ a b)"),
        ("a /b", "(/ a b)"),
        ("/a / /b", "(/ (path a) (path b))"), ("/a // b", "(path a)"), ("/a /* b */ == c", "(== (path a) c)"),
        ("(/a)", "(path a)"), ("{'a': /b}", "(map 'a' (path b))"),
    ])
    func `a raw path is read where a value is expected`(text: String, tree: String) {
        #expect(parsed(text) == tree)
    }

    private struct Failure: Error {}
}
