import Testing

@testable import SecurityRules

@Suite struct PatternErrorTests {
    @Test(arguments: [
        ("/a/{name=*}", ["2:10 there is no {name=*}"]),
        ("/a/{name:**}", ["2:10 this is not a capture"]),
        ("/a/{name**}", ["2:10 this is not a capture"]),
        ("/a/{**}", ["2:10 this is not a capture"]),
        ("/a/{*}", ["2:10 this is not a capture"]),
        ("/a/{}", ["2:10 this is not a capture"]),
        ("/a/{x", ["2:10 this is not a capture", "2:15 expected '{', found 'allow'"]),
        ("/a/{x y}", ["2:10 this is not a capture"]),
        ("/a/{x}y", ["2:13 a capture is a whole segment"]),
        ("/a/x{y}", ["2:11 a capture is a whole segment"]),
        ("/a/{x}{y}", ["2:13 a capture is a whole segment"]),
        ("/{match}", ["2:8 'match' is a reserved word and cannot name a capture"]),
        ("/{x}/{in=**}", ["2:12 'in' is a reserved word and cannot name a capture"]),
        ("/a/{x=**}/{y=**}", ["2:17 duplicate {name=**} in this path"]),
        ("/*", ["2:8 '*' is not a segment"]),
        ("/a/*", ["2:10 '*' is not a segment"]),
        ("/a/**", ["2:10 '*' is not a segment"]),
        ("/a/b*", ["2:11 '*' is not a wildcard within a segment"]),
        ("/a/$uid", ["2:10 unexpected '$' in a pattern"]),
        ("/a/$(uid)", ["2:10 unexpected '$' in a pattern"]),
        ("/a/<uid>", ["2:10 unexpected '<' in a pattern"]), ("/a/<", ["2:10 unexpected '<' in a pattern"]),
        ("/a/", ["2:9 a pattern does not end in '/'"]),
        ("/a//b", ["2:9 a segment is empty"]),
        ("//a", ["2:7 a segment is empty"]),
        ("/a/../b", ["2:10 canonical paths have no '.' or '..' segments"]),
        ("/a/.", ["2:10 canonical paths have no '.' or '..' segments"]),
        ("/a/%c3%a9", ["2:10 this escape is in lower case"]),
        ("/a/%41", ["2:10 this escape is needless"]),
        ("/a/%4", ["2:10 '%' does not begin an escape here"]),
        ("/a/%", ["2:10 '%' does not begin an escape here"]),
        ("/café", ["2:11 'é' must be escaped in a pattern"]),
        ("/a?b", ["2:9 '?' must be escaped in a pattern"]),
        ("/a/'b'", ["2:10 ''' must be escaped in a pattern"]),
        ("/a/b(c)", ["2:11 '(' must be escaped in a pattern"]),
        (
            "/a/b;c",
            [
                "2:11 expected '{', found ';'; write '{' here, and '}' after",
                "2:12 expected match, function or '}', found 'c'",
            ]
        ),
        ("/a|b", ["2:9 '|' must be escaped in a pattern"]),
        ("users/{id}", ["2:7 a pattern begins with '/'"]),
        ("'/users'", ["2:7 expected a path, found the string '/users'"]),
        ("users", ["2:7 a pattern begins with '/'"]),
        ("=", ["2:7 expected a path, found '='"]),
        ("", ["2:1 this match has no path"]),
    ])
    func `an invalid pattern is reported`(pattern: String, messages: [String]) {
        let text = pattern.isEmpty ? "match { allow read; }" : "match \(pattern) { allow read; }"
        #expect(begin(serviceErrors(text), with: messages))
    }

    @Test(arguments: ["/users/$uid", "/users/<uid>"]) func `a capture of another language is reported with its name`(
        _ pattern: String
    ) {
        let errors = serviceErrors("match \(pattern) { allow read; }")
        #expect(errors.count == 1 && errors[0].hasSuffix("write {uid} to capture a segment"))
    }

    @Test func `a colon before a name has a warning`() {
        let (ruleset, errors, warnings) = file(service("match /users/:uid { allow read; }"))
        #expect(ruleset != nil && errors == [])
        #expect(warnings == ["2:14 ':uid' is a literal here; write {uid} to capture a segment"])
    }
}
