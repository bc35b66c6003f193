import Testing

@testable import SecurityRules

@Suite struct FunctionTests {
    private let ada = TestRequest("GET", "/users/ada", auth: auth("ada", ["role": "admin"]))

    private func expectTrue(_ file: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try ada.verdict(file: file) == .isTrue, sourceLocation: sourceLocation)
    }

    @Test func `a function sees the captures and functions of the blocks around it`() throws {
        try expectTrue(
            """
            function signedIn() { return request.auth != null; }
            match /users/{user} {
              function isOwner() { return signedIn() && request.auth.uid == user; }
              allow read: if isOwner();
            }
            """)
    }

    @Test func `a function may be declared after its use`() throws {
        try expectTrue(
            """
            match /users/{user} {
              allow read: if first();
              function first() { return second(user); }
              function second(name) { return name == 'ada'; }
            }
            """)
    }

    @Test func `arguments are evaluated in the scope of the caller`() throws {
        try expectTrue(
            """
            function same(a, b) { return twice(b, a); }
            function twice(a, b) { let c = a + b; return c == 'xy' && a == 'x' && b == 'y'; }
            match /users/{user} { allow read: if same('y', 'x'); }
            """)
    }

    @Test func `a let sees the lets before it`() throws {
        try expectTrue(
            """
            function f(n) { let a = n + 1; let b = a * 2; let c = g(b) + a; return c == 13 && n == 3; }
            function g(n) { let a = n; return a + 1; }
            match /users/{user} { allow read: if f(3); }
            """)
    }

    @Test(arguments: [
        "function f(a) { return true; } match /users/{user} { allow read: if f(auth.token.missing); }",
        "function f() { let a = auth.token.missing; return true; } match /users/{user} { allow read: if f(); }",
    ])
    func `an error in an argument or let is the error of the call`(file: String) throws {
        #expect(try ada.verdict(file: file) == .failed)
    }

    @Test func `an error of a call is absorbed like any other`() throws {
        try expectTrue(
            """
            function f(a) { let b = a; return b; }
            match /users/{user} { allow read: if f(auth.token.missing) || f(user) == 'ada'; }
            """)
    }

    @Test(arguments: [("ada", true), ("%61da", true), ("bob", false), ("%FF", false)])
    func `a capture has the same value as an argument`(segment: String, isAllowed: Bool) throws {
        let request = TestRequest("GET", "/users/\(segment)", auth: auth("ada"))
        let file = """
            function same(a) { return other(a) && a == request.auth.uid && request.auth.uid == a; }
            function other(b) { let c = b; return c == 'ada' && b.size() == 3; }
            match /users/{user} { allow read: if same(user); }
            """
        #expect(try request.verdict(file: file).isAllowed == isAllowed)
    }
}
