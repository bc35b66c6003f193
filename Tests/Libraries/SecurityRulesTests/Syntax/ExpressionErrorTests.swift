import Testing

@testable import SecurityRules

@Suite struct ExpressionErrorTests {
    @Test(arguments: [
        ("&& a", ["1:1 expected a value, found '&&'"]),
        ("a &&", ["1:5 expected a value, found the end"]),
        ("a +", ["1:4 expected a value, found the end"]),
        ("+a", ["1:1 expected a value, found '+'"]),
        ("!", ["1:2 expected a value, found the end"]),
        ("-", ["1:2 expected a value, found the end"]),
        ("a.", ["1:3 expected a name after '.', found the end"]),
        ("a..b", ["1:3 expected a name after '.', found '.'"]),
        (".a", ["1:1 expected a value, found '.'"]),
        ("a.1", ["1:2 expected an operator or the end, found '.1'"]),
        ("1.", ["1:3 expected a name after '.', found the end"]),
        ("a.'b'", ["1:3 expected a name after '.', found the string 'b'"]),
        ("a['b'", ["1:6 expected ']', found the end"]),
        ("a[]", ["1:3 expected a value, found ']'"]),
        ("a[1:2:3]", ["1:6 expected ']', found ':'"]),
        ("a[1", ["1:4 expected ']', found the end"]),
        ("a[1:2", ["1:6 expected ']', found the end"]),
        ("(a", ["1:3 expected an operator or ')', found the end"]),
        ("(a && b", ["1:8 expected an operator or ')', found the end"]),
        ("()", ["1:2 expected a value, found ')'"]),
        ("f(a", ["1:4 expected an operator or ')', found the end"]),
        ("f(a,", ["1:5 expected a value, found the end"]),
        ("f(,a)", ["1:3 expected a value, found ','"]),
        ("f(a b)", ["1:5 expected an operator or ')', found 'b'"]),
        ("[,]", ["1:2 expected a value, found ','"]),
        ("[1 2]", ["1:4 expected an operator or ']', found '2'"]),
        ("auth.token.role in ['a', 'b'", ["1:29 expected an operator or ']', found the end"]),
        ("{'a' 1}", ["1:6 expected ':', found '1'"]),
        ("{'a': }", ["1:7 expected a value, found '}'"]),
        ("{'a': 1", ["1:8 expected an operator or '}', found the end"]),
        ("{", ["1:2 expected a value, found the end"]),
        ("a ? b", ["1:6 expected ':', found the end"]),
        ("a ? : b", ["1:5 expected a value, found ':'"]),
        ("a == b : c", ["1:8 expected an operator or the end, found ':'"]),
        ("a, b", ["1:2 expected an operator or the end, found ','"]),
        ("a := b", ["1:3 expected an operator or the end, found ':'"]),
        ("a)", ["1:2 unmatched ')'; remove it, or add the '(' that it closes"]),
        ("a]", ["1:2 unmatched ']'; remove it, or add the '[' that it closes"]),
        ("a}", ["1:2 unmatched '}'; remove it, or add the '{' that it closes"]),
        ("a b", ["1:3 expected an operator or the end, found 'b'"]),
        ("a 'b'", ["1:3 expected an operator or the end, found the string 'b'"]),
        ("a 1", ["1:3 expected an operator or the end, found '1'"]),
        ("1.2.3", ["1:4 expected an operator or the end, found '.3'"]),
        ("a.b(c)(d)", ["1:7 only functions and methods can be called"]),
        ("(a)(b)", ["1:4 only functions and methods can be called"]),
        ("'a'(b)", ["1:4 only functions and methods can be called"]),
        ("x is", ["1:5 expected the name of a type, found the end"]),
        ("x is 1", ["1:6 expected the name of a type, found '1'"]),
        ("x in", ["1:5 expected a value, found the end"]),
        ("match.a", ["1:1 expected a value, found 'match'"]),
        ("let x = 1", ["1:1 expected a value, found 'let'"]),
        ("", ["1:1 expected a value, found the end"]),
    ])
    func `an invalid expression is reported`(text: String, messages: [String]) {
        #expect(begin(conditionErrors(text), with: messages))
    }

    @Test(arguments: [
        ("x == /", ["1:6 this is neither a path nor a division"]),
        ("x == /a/", ["1:6 a path does not end in '/'"]),
        ("x == [/a/b/]", ["1:7 a path does not end in '/'"]),
        ("x == /a//b", ["1:8 a segment is empty"]),
        ("x == /a/{uid}", ["1:9 a path in an expression has no '{...}'"]),
        ("x == /a/*", ["1:6 regular expressions are not delimited by '/'"]),
        ("x == /a?", ["1:6 this is neither a path nor a division"]),
        ("x == /a$(b)", ["1:6 this is neither a path nor a division"]),
        ("x == /a/$b", ["1:9 '$' without '(...)'"]),
        ("x == /a/%4", ["1:9 '%' does not begin an escape here"]),
        ("x == /a/%FF", ["1:9 the escapes of this segment are not UTF-8"]),
        ("x == /a/$(b", ["1:12 expected an operator or ')', found the end"]),
        ("x == /a/$(b]/c", ["1:12 expected an operator or ')', found ']'"]),
        ("x == /a/$()/c", ["1:11 expected a value, found ')'"]),
        ("x == /a/b.c()", ["1:12 only functions and methods can be called"]),
        ("x == /café", ["1:6 this is neither a path nor a division"]),
    ])
    func `an invalid path is reported`(text: String, messages: [String]) {
        #expect(begin(conditionErrors(text), with: messages))
    }
}
