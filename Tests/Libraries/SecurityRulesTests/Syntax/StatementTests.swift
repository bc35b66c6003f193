import Testing

@testable import SecurityRules

@Suite struct StatementTests {
    @Test func `a file has functions, matches and allows`() throws {
        let (ruleset, errors, warnings) = file(
            """
            rules_version = '2';  // as Firestore's
            service gatehouse.http {
              function signedIn() { return request.auth != null; }
              match /v1/users/{uid}/{rest=**} {
                allow read: if signedIn() && request.auth.uid == uid;
                allow write, get: if request.auth.token.email_verified;
                allow delete;
                match /a { function f(a, b) { let c = a; let d = b + c; return d; } /* none */ }
              }
            }
            """)
        #expect(errors == [] && warnings == [])
        #expect(
            text(of: try #require(ruleset)) == "signedIn(){(!= (. request auth) null)} [/v1/users/{uid}/{rest=**}"
                + " allow(get,list: (&& (signedIn()) (== (. (. request auth) uid) uid)))"
                + " allow(get,create,update,delete: (. (. (. request auth) token) email_verified)) allow(delete: always)"
                + " [/a f(a,b){c=a; d=(+ b c); d}]]")
    }

    @Test(arguments: [
        ("/", "/"), ("/a", "/a"), ("/a-b.c_d~e", "/a-b.c_d~e"), ("/a:b@c+d!e&f,g=h", "/a:b@c+d!e&f,g=h"),
        ("/%C3%A9%20%2F", "/%C3%A9%20%2F"), ("/{a}", "/{a}"), ("/{a=**}", "/{a=**}"),
        ("/{a}/b/{c=**}/d", "/{a}/b/{c=**}/d"), ("/...", "/..."), ("/a\n", "/a"), ("/a{", nil), ("/a /* c */", "/a"),
        ("/a // c\n", "/a"), ("\n/a", "/a"),
    ])
    func `a pattern has its segments`(written: String, segments: String?) throws {
        let body = segments == nil ? "match \(written) allow read; }" : "match \(written) { allow read; }"
        let (ruleset, errors, _) = file(service(body))
        #expect(errors == [])
        #expect(pattern(try #require(ruleset?.matches.first).segments) == segments ?? "/a")
    }

    @Test(arguments: [
        ("read", "get,list"), ("write", "create,update,delete"), ("get", "get"), ("list", "list"), ("create", "create"),
        ("update", "update"), ("delete", "delete"), ("read, write", "get,list,create,update,delete"),
        ("get,create , delete", "get,create,delete"), ("read, get", "get,list"),
    ])
    func `an allow has its operations`(methods: String, operations: String) throws {
        let (ruleset, errors, _) = file(service("match /a { allow \(methods): if b; }"))
        #expect(errors == [])
        #expect(text(of: try #require(ruleset)) == "[/a allow(\(operations): b)]")
    }

    @Test func `statements have their ranges`() throws {
        let source = RuleSource(service("match /a/{b} { allow read: if c; function f(a, b) { return 1; } }"), name: "f")
        var findings = RuleFindings(source)
        let match = try #require(RulesetParser.parse(&findings)?.matches.first)
        #expect(source.text(match.range) == "match /a/{b}")
        #expect(match.segments.map { source.text($0.range) } == ["a", "{b}"])
        #expect(match.allows.map { source.text($0.range) } == ["allow read: if c;"])
        #expect(match.functions.map { source.text($0.range) } == ["function f(a, b)"])
        #expect(match.functions.flatMap(\.parameters).map { source.text($0.range) } == ["a", "b"])
    }

    @Test func `a function without a result has no tree`() {
        #expect(file(service("function f() { return +; } match /a { allow read: if f(); }")).ruleset == nil)
        #expect(file(service("match /a { allow read: if b === c; }")).ruleset != nil)
    }
}
