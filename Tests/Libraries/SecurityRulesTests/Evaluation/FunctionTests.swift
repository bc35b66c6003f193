import Testing

@testable import SecurityRules

@Suite struct FunctionTests {
    private let ada = Asked("GET", "/users/ada", auth: auth("ada", ["role": "admin"]))

    @Test func aFunctionSeesCapturesAndFunctionsOfTheBlocksAround() throws {
        let verdict = try ada.verdict(
            file: """
                function signedIn() { return request.auth != null; }
                match /users/{user} {
                  function isOwner() { return signedIn() && request.auth.uid == user; }
                  allow read: if isOwner();
                }
                """)
        #expect(verdict == .isTrue)
    }

    @Test func functionsOfABlockMayBeDeclaredAfterTheirUse() throws {
        let verdict = try ada.verdict(
            file: """
                match /users/{user} {
                  allow read: if first();
                  function first() { return second(user); }
                  function second(name) { return name == 'ada'; }
                }
                """)
        #expect(verdict == .isTrue)
    }

    @Test func argumentsAreEvaluatedWhereTheCallStands() throws {
        let verdict = try ada.verdict(
            file: """
                function same(a, b) { return twice(b, a); }
                function twice(a, b) { let c = a + b; return c == 'xy' && a == 'x' && b == 'y'; }
                match /users/{user} { allow read: if same('y', 'x'); }
                """)
        #expect(verdict == .isTrue)
    }

    @Test func letsSeeThoseBefore() throws {
        let verdict = try ada.verdict(
            file: """
                function f(n) { let a = n + 1; let b = a * 2; let c = g(b) + a; return c == 13 && n == 3; }
                function g(n) { let a = n; return a + 1; }
                match /users/{user} { allow read: if f(3); }
                """)
        #expect(verdict == .isTrue)
    }

    @Test(arguments: [
        "function f(a) { return true; } match /users/{user} { allow read: if f(auth.token.missing); }",
        "function f() { let a = auth.token.missing; return true; } match /users/{user} { allow read: if f(); }",
    ])
    func anErrorInAnArgumentOrLetIsTheErrorOfTheCall(file: String) throws {
        #expect(try ada.verdict(file: file) == .failed)
    }

    @Test func anErrorOfACallIsAbsorbedLikeAnyOther() throws {
        let verdict = try ada.verdict(
            file: """
                function f(a) { let b = a; return b; }
                match /users/{user} { allow read: if f(auth.token.missing) || f(user) == 'ada'; }
                """)
        #expect(verdict == .isTrue)
    }

    @Test(arguments: [("ada", true), ("%61da", true), ("bob", false), ("%FF", false)])
    func aCaptureIsTheSameAsAnArgument(segment: String, isAllowed: Bool) throws {
        let asked = Asked("GET", "/users/\(segment)", auth: auth("ada"))
        let file = """
            function same(a) { return other(a) && a == request.auth.uid && request.auth.uid == a; }
            function other(b) { let c = b; return c == 'ada' && b.size() == 3; }
            match /users/{user} { allow read: if same(user); }
            """
        #expect(try asked.verdict(file: file).isAllowed == isAllowed)
    }

    @Test(arguments: [(20, true), (21, false)])
    func callsAreAtMostTwentyDeep(depth: Int, isAllowed: Bool) throws {
        var source = "function f1(a) { return a; }"
        for number in 2..<depth + 1 { source += "function f\(number)(a) { return f\(number - 1)(a); }" }
        source += "match /users/{user} { allow read: if f\(depth)(true); }"
        let ruleset = try? Ruleset.file(source)
        #expect((ruleset.map(ada.verdict)?.isAllowed ?? false) == isAllowed)
    }
}
