import Testing

@testable import Diagnostics

@Suite struct RuleTestReadingTests {
    /// The lines before the tests, which begin in line 3.
    private static let start = "allow: auth.uid == uid\npath: /users/{uid}\n"
    /// The keys of a test, each on its own line from line 4 and column 5, in an otherwise valid file.
    private static func test(_ lines: String) -> String {
        start + "tests:\n  - " + lines.split(separator: "\n").joined(separator: "\n    ") + "\n"
    }
    private static let whole = "name: n\nrequest: GET /users/ann\nexpect: allow\n"

    /// A test with this request.
    private static func request(_ request: String) -> String { test("name: n\nrequest: \(request)\nexpect: deny\n") }

    /// A test with this expectation.
    private static func expect(_ outcome: String) -> String {
        test("name: n\nrequest: GET /users/ann\nexpect: \(outcome)\n")
    }

    /// Files with errors: the exact position, and a part of the message.
    static let broken: [(yaml: String, expected: [String])] = [
        ("", ["1:1 the file is empty"]),
        ("tests: [\n", ["2:1 not valid YAML"]),
        ("- 1\n", ["1:1 the file is not a mapping"]),
        (start, ["1:1 tests is missing; add at least one"]),
        (start + "tests: []\n", ["3:8 tests is an empty list"]),
        (start + "tests: 7\n", ["3:8 tests is not a list"]),
        (
            start + "test: []\ntests: [{ name: n, request: GET /users/a, expect: deny }]\n",
            ["3:1 did you mean 'tests'?"]
        ),
        (start + "user: {}\n", ["1:1 tests is missing", "3:1 unknown key 'user'; did you mean 'users'?"]),
        (
            start + "now: today\n",
            ["1:1 tests is missing", "3:6 now is 'today', not a time; write it as in 2026-01-01T12"]
        ),
        (start + "users: { ann: {} }\n", ["1:1 tests is missing", "3:15 users.ann.uid is missing"]),
        (start + "rules: x.rules\n", ["1:1 tests is missing", "3:1 both rules and allow are specified"]),
        ("path: /a\ntests: 7\n", ["1:1 path requires allow", "2:8", "1:1 cannot be read"]),
        ("allow: 'true'\ntests: 7\n", ["1:1 path is missing; add the route's pattern", "2:8"]),
        (
            "allow: 'true'\npath: a\ntests: 7\n",
            ["2:7 path is not a valid pattern: the path does not begin with '/'; add it", "3:8"]
        ),
        ("allow: \"auth.uid ==\"\npath: /a\ntests: 7\n", ["1:20 ", "3:8"]),
        ("allow: auth.uid == yd\npath: /{id}\ntests: 7\n", ["1:20 yd", "3:8"]),
        (test("request: GET /users/ann\nexpect: allow\n"), ["4:5 tests[].name is missing"]),
        (test("name: n\nexpect: allow\n"), ["4:5 tests[].request is missing; as in GET"]),
        (test("name: n\nrequest: GET /users/ann\n"), ["4:5 tests[].expect is missing; write allow, deny"]),
        (test(whole + "result: allow\n"), ["7:5 unknown key 'result' in tests[]"]),
        (test(whole + "auth: bob\n"), ["7:11 there is no user 'bob'; add bob to users"]),
        (test(whole + "auth: { name: bob }\n"), ["7:11 tests[].auth.uid is missing", "7:13 unknown key 'name'"]),
        (test(whole + "rule: first\n"), ["7:11 tests[].rule is 'first', not a whole number"]),
        (test(whole + "rule: 0\n"), ["7:11 out of range"]),
        (test("name: n\nrequest: GET /users/ann\nexpect: deny\nrule: 7\n"), ["7:5 a denial has no deciding rule"]),
        (expect("alow"), ["6:13 cannot be 'alow'; did you mean 'allow'?"]),
        (expect("401"), ["6:13 write allow or deny or step-up or second-factor"]),
        (expect("{ step_up: soon }"), ["6:24 is 'soon', not a duration"]),
        (expect("{ step-up: 5m }"), ["6:13 step_up is missing", "6:15 did you mean 'step_up'?"]),
        (request("/users/ann"), ["5:14 not a method and a path; write it as in GET"]),
        (request("get /users/ann"), ["5:14 'get' is no method; write one in upper case"]),
        (request("GET users/ann"), ["5:14 is refused before any rule (notAbsolute)"]),
        (request("GET /users/%00"), ["5:14 is refused before any rule (encodedNUL)"]),
        (request("GET /../a"), ["5:14 is refused before any rule (aboveRoot)"]),
        (request("GET /other"), ["5:5 the request's path does not match the route's pattern"]),
        (request("GET /users/ann/b"), ["5:5 the request's path does not match the route's pattern"]),
        (request("{ method: GET }"), ["5:14 tests[].request.path is missing"]),
        (request("{ path: /users/a, body: x }"), ["5:32 unknown key 'body'"]),
        (request("{ path: /users/a, time: 7pm }"), ["5:38 is '7pm', not a time"]),
        (request("{ path: /users/a, headers: { Cookie: a=b } }"), ["5:51 rules cannot read the field 'Cookie'"]),
        (request("{ path: /users/a, headers: { X-Forwarded-For: b } }"), ["5:60 removes the field 'X-Forwarded-For'"]),
        (
            request("{ path: /users/a, headers: { x_auth_uid: b, TE: c } }"),
            ["5:55 removes the field 'x_auth_uid'", "5:62 removes the field 'TE'"]
        ),
        (request("{ path: /users/a, host: 'a.example:8080' }"), ["5:22 has a port; remove it"]),
        (request("GET /users/a?b=#c"), ["5:14 write them as %HH"]),
        (request("GET /users/a?b=ä"), ["5:14 write them as %HH"]),
        (request("{ path: /users/a, headers: { 'a b': c } }"), ["5:50 'a b' is not a field name"]),
        (request("{ path: /users/a, headers: { A: b, a: c } }"), ["5:52 the field 'a' is repeated"]),
        (request("{ path: /users/a, headers: { a: \"b\\r\\nc\" } }"), ["5:46 contains a control character"]),
        (test(whole + "auth: { uid: a, token: { sub: b } }\n"), ["7:21 tests[].auth.token has sub; write it as uid"]),
        (test(whole + "auth: { uid: a, token: { a: TRUE } }\n"), ["7:33 which YAML and JSON read differently"]),
        (test(whole + "auth: { uid: a, token: { a: 0x10 } }\n"), ["7:33 which YAML and JSON read differently"]),
        (test(whole + "auth: { uid: a, token: { a: 0123 } }\n"), ["7:33 which YAML and JSON read differently"]),
        (test(whole + "auth: { uid: a, token: { a: .nan } }\n"), ["7:33 which YAML and JSON read differently"]),
        (
            test(whole + "auth: { uid: a, signed_in: 5m, token: { auth_time: 7 } }\n"),
            ["7:21 both signed_in and token.auth_time"]
        ),
        (
            test(whole + "auth: { uid: a, provider: google, token: { firebase: { sign_in_provider: b } } }\n"),
            ["7:21 both provider and token.firebase"]
        ),
        (test(whole + "auth: { uid: 7 }\n"), ["7:18 tests[].auth.uid is '7', not a string; put it in quotes"]),
        (test(whole + "auth: { uid: a, signed_in: -5m }\n"), ["7:32 is '-5m', not a duration"]),
        (test(whole + "name: again\n"), ["7:5 duplicate key 'name'"]),
        (test(whole + "auth: *ann\n"), ["7:11 YAML aliases"]),
    ]

    @Test(arguments: broken)
    func `each error is reported with its location and remedy`(yaml: String, expected: [String]) {
        let errors = RuleTesting.errors(in: yaml)
        let comment = Comment(rawValue: yaml + "\n" + errors.joined(separator: "\n"))
        #expect(errors.count == expected.count, comment)
        for expectation in expected {
            let parts = expectation.split(separator: " ", maxSplits: 1)
            let isReported = errors.contains { error in
                error.contains(":\(parts[0]) ") && (parts.count == 1 || error.contains(parts[1]))
            }
            #expect(isReported, comment)
        }
    }

    @Test func `rules are read from the folder of their tests, with their locations`() {
        let tests = RuleTesting.test(auth: "null", expect: "deny")
        #expect(RuleTesting.errors(in: tests, rules: RuleTesting.rules("allow read: if auth == null;")) == [])
        let broken = RuleTesting.errors(in: tests, rules: RuleTesting.rules("allow read: if auht == null;"))
        #expect(broken.count == 1 && broken[0].hasPrefix("notes.rules:3:16 "), "\(broken)")
        let missing = RuleTesting.errors(in: tests)
        #expect(missing.count == 1 && missing[0].contains("'notes.rules' cannot be read"), "\(missing)")
    }

    @Test func `a path of rules is relative to the tests`() throws {
        let yaml = "rules: ../b.rules\n" + RuleTesting.test(auth: "null", expect: "deny")
        let rules = Array(RuleTesting.rules("allow read;").utf8)
        let file = try RuleTestFile.load(
            bytes: Array(yaml.utf8), file: "x/a.yaml", files: ["x/../b.rules": rules])
        #expect(file.rules.file == "x/../b.rules")
    }

    @Test func `the tests of a rules file are in the same folder`() {
        #expect(RuleTestFile.testFile(for: "a/notes.rules") == "a/notes.test.yaml")
        #expect(RuleTestFile.testFile(for: "a/notes.test.yaml") == "a/notes.test.yaml")
    }

    @Test func `a file beyond the limits is rejected`() {
        let users = (0...RuleTestFile.maximumUsers).map { "  u\($0): { uid: a }\n" }.joined()
        #expect(
            RuleTesting.errors(in: Self.start + "users:\n" + users + "tests: 7\n").contains {
                $0.contains("more than 1000 users")
            })
        let tests = String(repeating: "  - 7\n", count: RuleTestFile.maximumTests + 1)
        #expect(
            RuleTesting.errors(in: Self.start + "tests:\n" + tests).contains { $0.contains("more than 10000 tests") })
        let nested = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        let deep = RuleTesting.errors(in: Self.test(Self.whole + "auth: { uid: a, token: { a: \(nested) } }\n"))
        #expect(deep.count == 1 && deep[0].contains("nests deeper than 32 levels"), "\(deep)")
        let large = RuleTesting.errors(in: String(repeating: "#", count: 1_048_577))
        #expect(large.count == 1 && large[0].contains("larger than 1 MiB"))
    }
}
