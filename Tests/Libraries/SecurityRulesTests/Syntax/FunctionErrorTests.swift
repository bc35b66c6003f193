import Testing

@testable import SecurityRules

@Suite struct FunctionErrorTests {
    @Test(arguments: [
        ("function f() { return true }", ["2:27 ';' is missing after the result"]),
        ("function f() { true; }", ["2:16 'return' is missing"]),
        ("function f() { request.auth != null }", ["2:16 'return' is missing"]),
        ("function f() { }", ["2:10 this function has no return"]),
        ("function f() { let x = 1; }", ["2:10 this function has no return"]),
        ("function f() { let x = 1 return x; }", ["2:25 ';' is missing after the value"]),
        ("function f() { let x = 1\n return x; }", ["2:25 ';' is missing after the value"]),
        ("function f() { return 1; return 2; }", ["2:26 a function has exactly one return"]),
        ("function f() { return 1; let x = 2; }", ["2:26 unexpected 'let' after return; move it before return"]),
        ("function f() { return 1; x }", ["2:26 expected '}', found 'x'"]),
        ("function f() { let x; return 2; }", ["2:21 expected '=', found ';'; write let x = value;"]),
        ("function f() { let x == 2; return 2; }", ["2:22 expected '=', found '=='"]),
        ("function f() { let 1 = 2; return 2; }", ["2:20 expected the name of a let, found '1'"]),
        ("function f() { let if = 2; return 2; }", ["2:20 'if' is a reserved word and cannot name a let"]),
        ("function f() { var x = 2; const y = 3; return 2; }", ["2:16 there is no var", "2:27 there is no const"]),
        ("function f() { x = 2; return 2; }", ["2:16 'let' is missing"]),
        ("function f() { if (a) { return 1; } else { return 2; } }", ["2:16 there is no if in a function"]),
        ("function f() { for (x in a) { } return 2; }", ["2:16 there is no for in a function"]),
        ("function f() { return; }", ["2:22 expected a value, found ';'; the expression is incomplete: add "]),
        ("function f() { return return 1; }", ["2:23 expected a value, found 'return'"]),
        ("function f() { return 1;; }", ["2:25 unexpected ';'"]),
        ("function f { return 2; }", ["2:12 expected '(', found '{'"]),
        ("function f(a b) { return 2; }", ["2:14 expected ')', found 'b'"]),
        ("function f(a: string) { return 2; }", ["2:13 expected ')', found ':'"]),
        ("function f(a = 2) { return 2; }", ["2:14 expected ')', found '='"]),
        ("function f(a,) { return 2; }", ["2:14 expected the name of a parameter, found ')'"]),
        ("function (a) { return 2; }", ["2:10 expected the name of a function, found '('"]),
        ("function f(a) return 2;", ["2:15 expected '{', found 'return'"]),
        ("function f(a) => 2;", ["2:15 there is no '=>'"]),
        ("function return(a) { return 2; }", ["2:10 'return' is a reserved word and cannot name a function"]),
        ("function f(if) { return 2; }", ["2:12 'if' is a reserved word and cannot name a parameter"]),
        ("function f(a) { return 2;\nmatch /a { allow read; }", ["2:15 this '{' is not closed"]),
        ("function f() { allow read; return 1; }", ["2:16 expected let or return, found 'allow'"]),
        ("function 'f'() { return 1; }", ["2:10 expected the name of a function, found the string 'f'"]),
    ])
    func `an invalid function is reported`(text: String, messages: [String]) {
        #expect(begin(serviceErrors(text), with: messages))
    }
}
