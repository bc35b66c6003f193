import Testing

@testable import SecurityRules

@Suite struct CheckedDeclarationTests {
    @Test(arguments: [
        CheckedRow(
            "function f() { return true; } function f() { return false; }", "2:40",
            "duplicate function 'f', already declared on line 2"),
        CheckedRow(
            "function f() { return true; }\nmatch /a { function f() { return false; } allow read: if f(); }", "3:21",
            "duplicate function 'f', already declared on line 2"),
        CheckedRow("function debug(x) { return x; }", "2:10", "'debug' is a built-in function"),
        CheckedRow("function f(a, a) { return a; }", "2:15", "duplicate name 'a': a parameter on line 2"),
        CheckedRow("function f(a) { let a = 1; return a == 1; }", "2:21", "duplicate name 'a': a parameter"),
        CheckedRow("function f() { let a = 1; let a = 2; return a == 1; }", "2:31", "duplicate name 'a': a let"),
        CheckedRow("function f(auth) { return auth; }", "2:12", "'auth' is a built-in name"),
        CheckedRow("function f() { let request = 1; return true; }", "2:20", "'request' is a built-in name"),
        CheckedRow(
            "function f(duration) { return true; }", "2:12",
            "'duration' is a built-in name, as in duration.value(5, 'm')"),
        CheckedRow(
            "match /a/{id}/{id} { allow read: if id == 'a'; }", "2:15", "duplicate name 'id': a capture on line 2"),
        CheckedRow(
            "match /a/{id} { match /{id} { allow read: if id == 'a'; } }", "2:24",
            "duplicate name 'id': a capture on line 2"),
        CheckedRow("match /{math} { allow read: if true; }", "2:8", "'math' is a built-in name"),
        CheckedRow(
            "match /{id} { function f(id) { return id == 'a'; } allow read: if f('a'); }", "2:26",
            "duplicate name 'id': a capture"),
        CheckedRow(
            "match /{id} { function f() { let id = 1; return id == 1; } allow read: if f(); }", "2:34",
            "duplicate name 'id': a capture"),
    ])
    func `a name that is declared twice is refused`(row: CheckedRow) {
        expect(Checked.service(row.source).errors, toBe: row)
    }

    @Test(arguments: [
        CheckedRow(
            "match /{id} { allow read: if f(); }\nfunction f() { return id == 'a'; }", "3:23",
            "the capture on line 2 belongs to another block; give the function a parameter"),
        CheckedRow(
            "match /{id} { allow read: if id == 'a'; }\nmatch /b { allow read: if id == 'a'; }", "3:27",
            "the capture on line 2 belongs to another block; move this into that block"),
        CheckedRow(
            "match /a { function f() { return true; } allow read: if f(); }\nmatch /b { allow read: if f(); }", "3:27",
            "the one on line 2 is in another block: move it"),
        CheckedRow(
            "function f(a) { return a; }\nmatch /b { allow read: if f(); }", "3:27",
            "f takes 1 argument, but has 0; it is declared as f(a)"),
        CheckedRow(
            "function f(a, b) { return a == b; }\nmatch /b { allow read: if f('a'); }", "3:27",
            "f takes 2 arguments, but has 1; it is declared as f(a, b)"),
        CheckedRow(
            "function f() { return 'a'; }\nmatch /b { allow read: if f(); }", "3:27",
            "a condition must be a bool, but this is a string"),
        CheckedRow(
            "function f() { return g() + 1; } function g() { return 1; }\nmatch /b { allow read: if f() == 'a'; }",
            "3:27", "f() is an int, and 'a' is a string"),
        CheckedRow(
            "function f() { let n = 1; return n == 'a'; }\nmatch /b { allow read: if f(); }", "2:34", "n is an int"),
        CheckedRow(
            "function f() { return f == 1; }\nmatch /b { allow read: if f(); }", "2:23",
            "'f' is a function without a call; write f(...)"),
    ])
    func `a name that is used outside of its scope is refused`(row: CheckedRow) {
        expect(Checked.service(row.source).errors, toBe: row)
    }

    @Test func `a function may use the captures and functions around it`() {
        let findings = Checked.service(
            """
            function same(a, b) { return a == b; }
            match /{id} {
              function mine() { return same(auth.uid, id); }
              match /{other} { function both() { return mine() && same(other, id); } allow read: if both(); }
            }
            """)
        expectNothing(in: findings)
    }

    @Test func `sibling blocks may declare the same names`() {
        let findings = Checked.service(
            """
            match /a/{id} { function f() { return id == 'a'; } allow read: if f(); }
            match /b/{id} { function f() { return id == 'b'; } allow read: if f(); }
            """)
        expectNothing(in: findings)
    }

    @Test func `a condition has at most 20 captures`() {
        func captures(_ count: Int) -> [RuleCapture] {
            (0..<count).map { RuleCapture(name: "c\($0)", segment: $0, isRest: false) }
        }
        func errors(_ count: Int) -> [String] {
            Checked.condition("c0 == 'a'", captures: captures(count)).errors.map(\.what)
        }
        #expect(errors(RuleLimits.captures) == [])
        #expect(errors(RuleLimits.captures + 1) == ["a condition can use at most 20 captures, but the path has 21"])
    }

    @Test func `a capture of a route with a name of the language is refused`() {
        let captures = [RuleCapture(name: "auth", segment: 0, isRest: false)]
        let errors = Checked.condition("auth != null", captures: captures).errors
        #expect(errors.map(\.what) == ["'auth' is a built-in name"])
    }
}
