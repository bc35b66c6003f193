import Testing

@testable import SecurityRules

@Suite struct SlipTests {
    @Test(arguments: [
        ("a === b", ["1:3 there is no '==='"]),
        ("a !== b", ["1:3 there is no '!=='"]),
        ("a = b", ["1:3 '=' compares nothing"]),
        ("a & b", ["1:3 there is no '&'"]),
        ("a | b || c", ["1:3 there is no '|'"]),
        ("a and b or not c", ["1:3 there is no 'and'", "1:9 there is no 'or'", "1:12 there is no 'not'"]),
        ("not (a)", ["1:1 there is no 'not'"]),
        ("a AND b OR c", ["1:3 there is no 'AND'", "1:9 there is no 'OR'"]),
        ("a => b", ["1:3 there is no '=>'"]),
        ("a =< b", ["1:3 there is no '=<'"]),
        ("a <> b", ["1:3 there is no '<>'"]),
        ("a ** b", ["1:3 there is no '**'"]),
        ("a mod b div c", ["1:3 there is no 'mod'", "1:9 there is no 'div'"]),
        ("a ?? b", ["1:3 there is no '??'"]),
        ("a?.b == 1", ["1:2 there is no '?.'"]),
        ("a++", ["1:3 expected a value, found '+'"]),
        ("typeof a == 'string'", ["1:1 there is no 'typeof'"]),
        ("new Foo()", ["1:1 there is no 'new'"]),
        ("a == undefined", ["1:6 there is no 'undefined'"]),
        ("a instanceof string", ["1:3 there is no 'instanceof'"]),
        ("a is not string", ["1:6 there is no 'is not'"]),
        ("a is 'string'", ["1:6 expected the name of a type, found the string 'string'"]),
        ("a not in b", ["1:3 there is no 'not in'"]),
        ("$uid == a", ["1:1 names cannot contain '$'"]),
        ("auth.$uid == a", ["1:6 names cannot contain '$'"]),
        ("a # comment", ["1:3 '#' does not begin a comment"]),
        ("a ~ b", ["1:3 there is no '~'"]),
        ("a ^ b", ["1:3 there is no '^'"]),
        ("a[:2]", ["1:3 expected a value, found ':'"]),
        ("f(a,)", ["1:5 a call has no ',' after its last argument"]),
        ("function() { }", ["1:1 expected a value, found 'function'"]),
        ("return a", ["1:1 expected a value, found 'return'"]),
        ("if a", ["1:1 unexpected 'if' before the condition"]),
        ("a;", ["1:2 unexpected ';' after the expression"]),
        ("a == b;;", ["1:7 unexpected ';' after the expression"]),
        ("a.matches(/^[a-z]+$/)", ["1:11 regular expressions are not delimited by '/'"]),
        ("a.matches(/abc/i)", ["1:11 regular expressions are not delimited by '/'"]),
        ("a.matches(/^it's/) && b", ["1:11 regular expressions are not delimited by '/'"]),
        ("a.replace(/a b/, 'c')", ["1:11 regular expressions are not delimited by '/'"]),
        ("a.split(/,/)", ["1:9 regular expressions are not delimited by '/'"]),
        ("a.matches(/^[a-z", ["1:11 regular expressions are not delimited by '/'"]),
    ])
    func `syntax of other languages is reported with its equivalent`(text: String, messages: [String]) {
        #expect(begin(conditionErrors(text), with: messages))
    }

    @Test(arguments: [
        ("a = b and c = d", ["1:3 '=' compares nothing", "1:7 there is no 'and'", "1:13 '=' compares nothing"]),
        (
            "a === b & c !== d | not e",
            [
                "1:3 there is no '==='", "1:9 there is no '&'", "1:13 there is no '!=='", "1:19 there is no '|'",
                "1:21 there is no 'not'",
            ]
        ),
        (
            #"1_0 == 0x && '\q' == `a`"#,
            [
                "1:1 a number cannot contain letters or '_'", "1:8 a number cannot contain letters or '_'",
                #"1:15 '\q' is not an escape"#, "1:22 strings are not delimited by backticks",
            ]
        ),
    ])
    func `several slips are reported together`(text: String, messages: [String]) {
        #expect(begin(conditionErrors(text), with: messages))
    }
}
