import DevelopmentIdentity
import JOSE
import Testing

/// The name and the attributes of the configuration.
@Suite struct ConfiguredCookieTests {
    @Test func `H-08: a cookie is cleared under all names with the attributes with which it was set`() async throws {
        try await Scenario.withAccounts(
            "{ session_same_site: strict, session_idle: 2d }",
            arrange: {
                $0["identity"]?.replace(
                    "{ firebase:",
                    with: "{ credentials: { cookie: __Host-Http-session, previous_cookies: __session }, firebase:",
                    maxReplacements: 1)
            }
        ) { scenario in
            var app = AccountApp(scenario)
            let set = try app.call("sign-in", app.proof(.oidc("corp"), of: .named("renamed"))).values("Set-Cookie")
            let fixed = "; Path=/; HttpOnly; Secure; SameSite=Strict"
            let value = try #require(set.first).dropFirst("__Host-Http-session=".count).prefix { $0 != ";" }
            #expect(set == ["__Host-Http-session=\(value); Max-Age=172800\(fixed)", "__session=; Max-Age=0\(fixed)"])
            for name in ["__Host-Http-session", "__session"] {
                #expect(try scenario.passes(.get("/me/x", "Cookie: a=1; \(name)=\(value)"))["Cookie"] == "a=1")
            }
            let both = WireRequest.get("/me/x", "Cookie: __session=eyJ.a.b; __Host-Http-session=\(value)")
            #expect(try scenario.passes(both)["Cookie"] == nil)
            let again = try app.call("sign-in", app.proof(.oidc("corp"), of: .named("renamed"))).values("Set-Cookie")
            let second = try #require(again.first).dropFirst("__Host-Http-session=".count).prefix { $0 != ";" }
            let cookies = "Cookie: __session=\(second); __Host-Http-session=\(value)"
            let cleared = try app.call("sign-out", [:], cookies).values("Set-Cookie")
            #expect(cleared == ["__Host-Http-session=; Max-Age=0\(fixed)", "__session=; Max-Age=0\(fixed)"])
            for ended in [value, second] {
                let after = try scenario.send(.get("/me/x", "Cookie: __Host-Http-session=\(ended)"))
                expectDenial(after, 401, "auth/session-cookie-revoked")
            }
        }
    }
}

/// The gateway's session cookies, tested from outside.
@Suite(.accounts) struct SessionCookieTests: SharedScenarioSuite {
    /// A header with an unknown key id.
    private static let otherKey = Base64URL.encode(
        Array(#"{"alg":"ES256","typ":"gatehouse-session+jwt","kid":"nobodys"}"#.utf8))

    private func attributes(of response: WireResponse) throws -> [String] {
        let line = try #require(response["Set-Cookie"])
        return line.split(separator: ";").dropFirst().map { $0.trimmingPrefix(" ") }.map(String.init)
    }

    @Test func `H-08: a cookie is cleared with the attributes with which it was set`() throws {
        var app = AccountApp(scenario)
        let set = try app.call("sign-in", app.proof(.oidc("corp"), of: .named("cleared")))
        let cleared = try app.call("sign-out")
        #expect(cleared.status == 204 && cleared.body.isEmpty)
        let fixed = ["Path=/", "HttpOnly", "Secure", "SameSite=Lax"]
        #expect(try attributes(of: set) == ["Max-Age=432000"] + fixed)
        #expect(try attributes(of: cleared) == ["Max-Age=0"] + fixed)
        #expect(cleared["Set-Cookie"]?.hasPrefix("__session=;") == true)
    }

    @Test func `H-03: a cookie is revoked when its session signs out`() throws {
        var app = AccountApp(scenario)
        try app.signIn(.oidc("corp"), as: .named("leaving"))
        var elsewhere = AccountApp(scenario)
        try elsewhere.signIn(.oidc("corp"), as: .named("leaving"))
        let cookie = try #require(app.session)
        #expect(try app.call("sign-out").status == 204)
        try expectDenial(scenario.send(.cookie(cookie, "/me/x")), 401, "auth/session-cookie-revoked")
        #expect(try elsewhere.get("/me/x").status == 200)
    }

    @Test func `H-08: a sign-out clears an invalid cookie`() throws {
        var app = AccountApp(scenario)
        try app.signIn(.oidc("corp"), as: .named("twice"))
        let cookie = app.session
        #expect(try app.call("sign-out").status == 204)
        app.session = cookie
        let again = try app.call("sign-out")
        expectDenial(again, 401, "auth/session-cookie-revoked")
        #expect(again["Set-Cookie"]?.hasPrefix("__session=; Max-Age=0; ") == true)
    }

    @Test func `H-09: ids of sessions and users have 128 random bits`() throws {
        var seen: Set<String> = []
        for number in 0..<20 {
            var app = AccountApp(scenario)
            let uid = try #require(app.signIn(.oidc("corp"), as: .named("random\(number)"))["uid"]?.stringValue)
            let cookie = try #require(app.session)
            let session = try #require(claims(of: cookie)?["sid"]?.stringValue)
            for id in [uid, session] {
                #expect(id.utf8.count == 32 && id.allSatisfy { $0.isHexDigit })
                #expect(seen.insert(id).inserted)
            }
        }
    }

    @Test func `H-12: the session cookie is removed and other cookies are forwarded`() throws {
        var app = AccountApp(scenario)
        try app.signIn(.oidc("corp"), as: .named("jar"))
        let cookie = try #require(app.session)
        let request = WireRequest.get("/me/x", "Cookie: a=1;  b=\"2\"; __session=\(cookie); c=%20")
        #expect(try scenario.passes(request)["Cookie"] == "a=1;  b=\"2\"; c=%20")
    }

    /// The response is the same for each flaw of a readable cookie.
    @Test func `H-10: every tampered cookie gets the same response`() throws {
        let cookies = try ["tampered", "others"].map { name in
            var app = AccountApp(scenario)
            try app.signIn(.oidc("corp"), as: .named(name))
            return try #require(app.session).split(separator: ".").map(String.init)
        }
        let (mine, others) = (cookies[0], cookies[1])
        let first = mine[2].hasPrefix("A") ? "B" : "A"
        let variants = [
            [mine[0], mine[1], others[2]], [mine[0], others[1], mine[2]],
            [mine[0], mine[1], first + mine[2].dropFirst()],
            [Self.otherKey, mine[1], mine[2]],
        ].map { $0.joined(separator: ".") }
        var answers: Set<String> = []
        for variant in variants {
            let response = try scenario.send(.cookie(variant, "/me/x"))
            expectDenial(response, 401, "auth/invalid-session-cookie")
            let problem = try #require(response.json)
            answers.insert("\(problem["title"]?.text ?? "") \(problem["detail"]?.text ?? "")")
        }
        #expect(answers.count == 1)
    }

    @Test func `a session cookie is not accepted as a bearer token`() throws {
        var app = AccountApp(scenario)
        try app.signIn(.oidc("corp"), as: .named("place"))
        let cookie = try #require(app.session)
        #expect(try scenario.send(.bearer(cookie, "/me/x")).status == 401)
    }

    @Test func `the keys that sign cookies are published`() throws {
        var app = AccountApp(scenario)
        try app.signIn(.oidc("corp"), as: .named("published"))
        let cookie = try #require(app.session)
        let keys = try KeySet(jwkSet: scenario.send(.get("/.gatehouse/jwks.json")).body)
        let token = try Array(cookie.utf8).withUnsafeBytes { try UnverifiedJWS($0, maximumSize: 16_384) }
        let key = try #require(keys.key(id: token.keyID ?? ""))
        #expect(token.verify(with: key, algorithm: .es256) != nil)
    }
}
