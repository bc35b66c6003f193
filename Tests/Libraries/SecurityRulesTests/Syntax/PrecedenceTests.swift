import Testing

@testable import SecurityRules

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
    func operatorsBindAsDocumented(text: String, tree: String) {
        #expect(parsed(text) == tree)
    }
}
