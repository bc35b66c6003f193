import Testing

@testable import SecurityRules

@Suite struct MatchingTests {
    @Test(arguments: [
        ("/a/{x}", "/a/b", true), ("/a/{x}", "/a", false), ("/a/{x}", "/a/", false), ("/a/{x}", "/a/b/c", false),
        ("/a/{x}", "/a//", false), ("/a/{x}", "/A/b", false), ("/a", "/a/", true), ("/a", "/ab", false),
        ("/ab", "/a", false), ("/{x=**}", "/", true), ("/{x=**}", "/a/b", true), ("/a/{x=**}", "/a", true),
        ("/a/{x=**}", "/b", false), ("/a/{x=**}/z", "/a/z", true), ("/a/{x=**}/z", "/a/b/c/z", true),
        ("/a/{x=**}/z", "/a/b/c", false), ("/a/{x=**}/z", "/a", false), ("/{x=**}/{y}/z", "/b/z", true),
        ("/{x=**}/{y}/z", "/z", false), ("/{x=**}/z/z", "/z/z/z", true), ("/a%20b", "/a%20b", true),
        ("/a/{x=**}/a", "/a", false),
    ])
    func `a pattern matches whole paths`(pattern: String, path: String, isMatch: Bool) throws {
        for method in ["GET", "DELETE"] {
            let verdict = try TestRequest(method, path).verdict(
                file: "match \(pattern) { allow read, delete: if true; }")
            #expect(verdict == (isMatch ? .isTrue : .noRule), "\(pattern) \(path)")
        }
    }

    @Test(arguments: [
        ("/a/b/c/d", "x == 'b' && y == 'd' && rest == /c", true), ("/a/b/d", "rest == path('/')", true),
        ("/a/b/c/e/d", "rest[1] == 'e' && rest == path('/c/e')", true), ("/a/b%2Fc/d", "x == 'b/c'", true),
        ("/a/b%252F/d", "x == 'b%2F'", true), ("/a/b/%C3%A4/d", "rest[0] == 'ä'", true),
        ("/a/%FF/d", "x == 'b'", false), ("/a/%FF/d", "x != 'b'", false), ("/a/%FF/d", "y == 'd'", true),
        ("/a/b/%FF/d", "rest == /c", false), ("/a/b/d", "x == y || x == 'b'", true), ("/a/b/d", "x + y == 'bd'", true),
        ("/a/b/d", "request.path == /a/b/d && request.path[2] == y", true), ("/a/b/d/", "request.path == /a/b/d", true),
        ("/a/%FF/d", "request.path == /a/b/d || true", true), ("/a/%FF/d", "request.path != /a/b/d", false),
    ])
    func `captures are the segments, decoded once`(path: String, condition: String, isAllowed: Bool) throws {
        let file = "match /a/{x} { match /{rest=**}/{y} { allow read, list: if \(condition); } }"
        #expect(try TestRequest("GET", path).verdict(file: file).isAllowed == isAllowed)
    }

    @Test(arguments: [
        ("/a", 0), ("/a/b", 1), ("/a/b/c", 2), ("/a/x/c", 3), ("/a/x/y", nil), ("/q", 4), ("/", nil),
    ])
    func `nested blocks match the longer paths`(path: String, rule: Int?) throws {
        let file = """
            match /a {
              allow read: if true;
              match /b {
                allow read: if true;
                match /c { allow read: if true; }
              }
              match /{x}/c { allow read: if true; }
            }
            match /q { allow read: if true; }
            """
        let expected = rule.map { RuleVerdict.allowed(rule: $0, signedInAt: nil) } ?? .noRule
        #expect(try TestRequest("GET", path).verdict(file: file) == expected)
    }

    @Test func `overlapping rules are alternatives`() throws {
        let file = """
            match /a/{x} { allow read: if false; allow read: if auth.token.missing; }
            match /{x=**} { allow write: if true; allow read: if x[0] == 'a'; }
            """
        #expect(try TestRequest("GET", "/a/b").verdict(file: file) == .allowed(rule: 3, signedInAt: nil))
        #expect(try TestRequest("PUT", "/a/b").verdict(file: file) == .allowed(rule: 2, signedInAt: nil))
        #expect(try TestRequest("GET", "/b/b").verdict(file: file) == .denied(RuleDenial(.conditionIsFalse, rule: 3)))
    }

    @Test(arguments: [
        ("read", "GET", "/a", true), ("get", "GET", "/a", true), ("list", "GET", "/a", false),
        ("list", "GET", "/a/", true), ("read", "HEAD", "/a/", true), ("write", "POST", "/a", true),
        ("create", "POST", "/a", true), ("update", "PATCH", "/a", true), ("update, delete", "POST", "/a", false),
        ("read, write", "OPTIONS", "/a", false),
    ])
    func `an allow applies to its methods`(methods: String, method: String, path: String, isAllowed: Bool) throws {
        let verdict = try TestRequest(method, path).verdict(file: "match /a { allow \(methods): if true; }")
        #expect(verdict == (isAllowed ? .isTrue : .noRule))
    }

    @Test func `the condition of a route applies to every method`() throws {
        #expect(try TestRequest("OPTIONS", "/a").verdict("request.method == 'OPTIONS'") == .isTrue)
    }

    @Test(arguments: [
        ("/v1/users/ada/x/y", "uid == 'ada' && rest == /x/y", true), ("/v1/users/ada/", "rest == path('/')", true),
        ("/v1/users/ada", "uid == 'ada' && rest == path('/')", true), ("/v1/users", "uid == 'ada'", false),
        ("/v1/users", "uid != 'ada'", false), ("/v1/users", "rest == path('/')", true),
        ("/", "rest == path('/')", true),
    ])
    func `the captures of a route are segments of the path`(path: String, condition: String, isAllowed: Bool) throws {
        let captures = [
            RuleCapture(name: "uid", segment: 2, isRest: false), RuleCapture(name: "rest", segment: 3, isRest: true),
        ]
        #expect(try TestRequest("GET", path).verdict(condition, captures: captures).isAllowed == isAllowed)
    }

    @Test func `captures have the values of their own block`() throws {
        let file = """
            match /{a}/{b} { allow read: if a.size() == 9; }
            match /{b}/{a} { allow read: if a.size() == 3 && b.size() == 2; }
            """
        #expect(try TestRequest("GET", "/xx/yyy").verdict(file: file) == .allowed(rule: 1, signedInAt: nil))
    }

    @Test func `a rule has its label, pattern, methods and text`() throws {
        let ruleset = try Ruleset.file(
            "match /a/{x} { match /{y=**}/c {\nallow get, write, list: if true;\nallow create; } }")
        let rule = ruleset.rules[0]
        #expect(rule.label == "test.rules:4")
        #expect(rule.pattern == "/a/{x}/{y=**}/c")
        #expect(rule.methods == "read, write")
        #expect(rule.text == "allow get, write, list: if true;")
        #expect(ruleset.rules[1].methods == "create")
        #expect(ruleset.rules[1].condition == nil)
    }
}

@Suite struct RuleOperationTests {
    @Test(arguments: [
        ("GET", "/a", RuleOperation.get), ("HEAD", "/a", .get), ("GET", "/a/", .list), ("HEAD", "/", .list),
        ("POST", "/a", .create), ("POST", "/a/", .create), ("PUT", "/a", .update), ("PATCH", "/a", .update),
        ("DELETE", "/a", .delete), ("OPTIONS", "/a", nil), ("get", "/a", nil), ("GETS", "/a", nil),
    ])
    func `an HTTP method is an operation of rules`(method: String, path: String, operation: RuleOperation?) {
        let found = Array(method.utf8).withUnsafeBytes { method in
            Array(path.utf8).withUnsafeBytes { RuleOperation(method: method, path: $0) }
        }
        #expect(found == operation)
    }
}
