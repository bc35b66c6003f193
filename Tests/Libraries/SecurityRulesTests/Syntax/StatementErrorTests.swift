import Testing

@testable import SecurityRules

@Suite struct StatementErrorTests {
    @Test(arguments: [
        ("service gatehouse.http { match /a { allow read; } }", ["1:1 rules_version is missing"]),
        (
            "rules_version = '1';\nservice gatehouse.http { match /a { allow read; } }",
            ["1:17 rules of version '1' are not supported"]
        ),
        ("rules_version = '3'; service gatehouse.http { }", ["1:17 there is no version '3'"]),
        ("rules_version = 2; service gatehouse.http { }", ["1:17 the version is a string"]),
        ("rules_version = \"2\"\nservice gatehouse.http { }", ["1:20 ';' is missing after rules_version"]),
        ("rules_version '2'; service gatehouse.http { }", ["1:15 expected '=', found the string '2'"]),
        ("rules_version == '2'; service gatehouse.http { }", ["1:15 expected '=', found '=='"]),
        ("rules_version = two; service gatehouse.http { }", ["1:17 expected '2', found 'two'"]),
        ("rules_version = '2';", ["1:21 there is no service block"]),
        ("", ["1:1 rules_version is missing"]),
        (
            "rules_version = '2';\nservice cloud.firestore { match /databases/{database}/documents { allow read; } }",
            ["2:9 there is no service 'cloud.firestore' here"]
        ),
        ("rules_version = '2';\nservice firebase.storage { }", ["2:9 there is no service 'firebase.storage' here"]),
        ("rules_version = '2';\nservice gatehouse { }", ["2:9 there is no service 'gatehouse' here"]),
        (
            "rules_version = '2';\nservice { match /a { allow read; } }",
            ["2:9 expected the name of the service, found '{'"]
        ),
        (
            "rules_version = '2';\nservice gatehouse.http\nmatch /a { allow read; } }",
            ["3:1 expected '{', found 'match'"]
        ),
        ("rules_version = '2';\nmatch /a { allow read; }", ["2:1 unexpected 'match' outside of the service block"]),
        (
            "rules_version = '2';\nfunction f() { return 1; }",
            ["2:1 unexpected 'function' outside of the service block"]
        ),
        (
            "rules_version = '2';\nservice gatehouse.http { }\nservice gatehouse.http { }",
            ["3:1 a file has exactly one service block"]
        ),
        (
            "rules_version = '2';\nservice gatehouse.http { match /a { allow read; } } }",
            ["2:53 unmatched '}'; remove it, or add the '{' of the block that it closes"]
        ),
        ("rules_version = '2';\nservice gatehouse.http { match /a { allow read; }", ["2:24 this '{' is not closed"]),
        (
            "rules_version = '2';\nservice gatehouse.http { match /a { allow read;",
            ["2:24 this '{' is not closed", "2:35 this '{' is not closed"]
        ),
        ("rules_version = '2';\nservice gatehouse.http { };", ["2:27 unexpected ';'"]),
        (#"{"rules": {".read": "auth != null"}}"#, ["1:1 this is JSON, the format of Realtime Database rules"]),
        ("rules_version = '2';\nimport 'x';\nservice gatehouse.http { }", ["2:1 expected service, found 'import'"]),
        (
            "service gatehouse.http { }\nrules_version = '2';",
            ["1:1 rules_version is missing", "2:1 rules_version must be the first statement, and occur once"]
        ),
    ])
    func `an invalid file is reported`(text: String, messages: [String]) {
        #expect(begin(file(text).errors, with: messages))
    }

    @Test(arguments: [
        ("allow read;", ["2:1 allow outside of a match"]),
        ("let x = 1;", ["2:1 let outside of a function"]),
        ("var x = 1;", ["2:1 there is no var"]),
        ("const x = 1;", ["2:1 there is no const"]),
        ("return 1;", ["2:1 return outside of a function"]),
        ("if (a) { b; }", ["2:1 if is not a statement"]),
        ("deny read: if true;", ["2:1 there is no deny"]),
        ("match /a { allow read; } ;", ["2:26 unexpected ';'"]),
        ("match /a allow read; }", ["2:10 expected '{', found 'allow'"]),
        ("match /a\n /b { allow read; }", ["3:2 expected '{', found '/'"]),
        (
            "match /a; { allow read; }",
            [
                "2:9 expected '{', found ';'; write '{' here, and '}' after",
                "2:11 expected match, function or '}', found '{'",
            ]
        ),
        ("func f() { return 1; }", ["2:1 there is no func"]),
        ("def f():", ["2:1 there is no def"]),
        ("isOwner() { return 1; }", ["2:1 expected match, function or '}', found 'isOwner'"]),
        ("service gatehouse.http { }", ["2:1 service in another block"]),
        ("rules_version = '2';", ["2:1 rules_version must be the first statement, and occur once"]),
        ("'a';", ["2:1 expected match, function or '}', found the string 'a'"]),
        ("@;", ["2:1 unexpected '@'"]),
    ])
    func `an invalid statement of a service is reported`(text: String, messages: [String]) {
        #expect(begin(serviceErrors(text), with: messages))
    }

    @Test(arguments: [
        ("allow get_all: if true;", ["2:7 there is no method 'get_all'"]),
        ("allow GET, post: if true;", ["2:7 there is no method 'GET'", "2:12 there is no method 'post'"]),
        (
            "allow HEAD, PUT, PATCH, DELETE;",
            [
                "2:7 there is no method 'HEAD'", "2:13 there is no method 'PUT'", "2:18 there is no method 'PATCH'",
                "2:25 there is no method 'DELETE'",
            ]
        ),
        ("allow all; allow *;", ["2:7 there is no method 'all'", "2:18 expected a method, found '*'"]),
        ("allow options;", ["2:7 there is no method 'options'"]),
        ("allow;", ["2:6 expected a method, found ';'; write allow read: if ..."]),
        ("allow: if true;", ["2:6 expected a method, found ':'"]),
        ("allow if true;", ["2:7 expected a method, found 'if'"]),
        ("allow read if true;", ["2:11 ':' is missing after the methods"]),
        ("allow read: true;", ["2:13 'if' is missing before the condition"]),
        ("allow read = if true;", ["2:12 expected ':', found '='"]),
        ("allow read write: if a;", ["2:12 expected ',', ':' or ';' after a method, found 'write'; write a"]),
        ("allow read,: if a;", ["2:12 expected a method, found ':'"]),
        ("allow read: if true", ["2:20 ';' is missing after the condition"]),
        ("allow read: if true\nallow write: if false;", ["2:20 ';' is missing after the condition"]),
        ("allow read: if true allow write: if false;", ["2:20 ';' is missing after the condition"]),
        ("allow read\nallow write;", ["2:11 ';' is missing after the methods"]),
        ("allow read: if a &&\nallow write: if b;", ["3:1 expected a value, found 'allow'"]),
        (
            "allow read: if (a && b;\nallow write: if c === d;",
            ["2:23 expected an operator or ')', found ';'; the '(' of line 2, colum", "3:19 there is no '==='"]
        ),
        (
            "allow read: if (a && b\nallow write: if c === d;",
            ["3:1 expected an operator or ')', found 'allow'", "3:19 there is no '==='"]
        ),
        (
            "allow read: if a) && b;\nallow write: if c === d;",
            ["2:17 unmatched ')'; remove it", "3:19 there is no '==='"]
        ),
        ("allow read: if;", ["2:15 the condition is missing"]),
        ("allow read: ;", ["2:12 the condition is missing"]),
        ("allow read:", ["2:12 the condition is missing"]),
        ("allow read: if { return true; }", ["2:18 unexpected 'return' in a condition; write the condition alone"]),
        ("allow read: if a { b }", ["2:18 expected an operator or ';', found '{'; remove it, or add the missing"]),
        ("allow read: if a b;", ["2:18 expected an operator or ';', found 'b'; write an operator between"]),
        (
            "allow read: if (a) { allow write; }\nallow list: if 1_0 == b;",
            [
                "2:20 expected an operator or ';', found '{'; remove it, or add the missing",
                "3:16 a number cannot contain letters or '_'",
            ]
        ),
        (
            "allow read: if a ? b;\nallow write: if c === d;",
            ["2:21 expected ':', found ';'; write 'condition ? one : other'", "3:19 there is no '==='"]
        ),
        (
            "allow read: if 'abc == b;\nallow write: if c === d;",
            ["2:16 this string is not closed on its line", "3:19 there is no '==='"]
        ),
        (
            "allow read: if a.matches(/^it's [a-z]+;$/);\nallow write: if c === d;",
            ["2:26 regular expressions are not delimited by '/'", "3:19 there is no '==='"]
        ),
        ("deny read: if true;", ["2:1 there is no deny"]),
        ("write;", ["2:1 expected allow, match, function or '}', found 'write'"]),
        ("return true;", ["2:1 return outside of a function"]),
        ("functoin f() { return true; }", ["2:1 expected allow, match, function or '}', found 'functoin'"]),
        ("let x = 1;", ["2:1 let outside of a function"]),
    ])
    func `an invalid allow is reported`(text: String, messages: [String]) {
        #expect(begin(allowErrors(text), with: messages))
    }

    @Test(arguments: [
        ("functoin f() { return 1; }", "did you mean function?"), ("mach /a { }", "did you mean match?"),
        ("match /a { alow read; }", "did you mean allow?"), ("function f() { retrun a; }", "did you mean return?"),
        ("match /a { allow craete; }", "did you mean create?"), ("match /a { allow Read; }", "did you mean read?"),
    ])
    func `a misspelt word is reported with the nearest one`(text: String, hint: String) {
        let errors = serviceErrors(text)
        #expect(errors.count == 1 && errors[0].contains(hint))
    }
}
