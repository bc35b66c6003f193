import DevelopmentIdentity
import Testing

/// `allow` on routes, tested from outside.
@Suite(.sharedScenario { $0.addConditions() }) struct RouteConditionTests: SharedScenarioSuite {
    private func expectDenied(
        _ request: WireRequest, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = scenario.echo.requestCount
        let response = try scenario.send(request)
        expectDenial(response, 403, "auth/permission-denied", sourceLocation: sourceLocation)
        // The response does not contain the reason.
        #expect(
            !response.text.contains("rule") && !response.text.contains("gatehouse.yaml"), sourceLocation: sourceLocation
        )
        #expect(scenario.echo.requestCount == before, sourceLocation: sourceLocation)
    }

    @Test func `the user in the capture passes`() throws {
        #expect(try scenario.passes(.bearer(scenario.token(), "/users/ada")).path == "/users/ada")
        #expect(try scenario.passes(.bearer(scenario.token(), "/users/ada/a/b")).path == "/users/ada/a/b")
        #expect(try scenario.passes(.cookie(scenario.cookie(), "/users/ada/x")).path == "/users/ada/x")
    }

    @Test func `another user is denied`() throws {
        try expectDenied(.bearer(scenario.token(.alan), "/users/ada"))
        try expectDenied(.bearer(scenario.token(.alan), "/users/ada/alan"))
    }

    @Test func `G-02: each request of a token is decided anew`() throws {
        let token = try scenario.token(.grace)
        for _ in 0..<3 {
            #expect(try scenario.send(.bearer(token, "/users/grace")).status == 200)
            #expect(try scenario.send(.bearer(token, "/users/ada")).status == 403)
        }
    }

    @Test func `a condition can use claims`() throws {
        let token = try scenario.token {
            $0.setting("email", to: "ada@example.com").setting("email_verified", to: true)
        }
        #expect(try scenario.send(.bearer(token, "/verified/x")).status == 200)
        try expectDenied(.bearer(scenario.token { $0.setting("email", to: "b@example.com") }, "/verified/x"))
        try expectDenied(.bearer(scenario.token { $0.setting("email_verified", to: "true") }, "/verified/x"))
    }

    @Test(arguments: [
        (#"["admins"]"#, 200), (#"["users","admins"]"#, 200), ("[]", 403), (#"["admin"]"#, 403), (#"["xadmins"]"#, 403),
        (#""admins""#, 403), (#"[["admins"]]"#, 403), (#"["ADMINS"]"#, 403), (#"{"admins":true}"#, 200), ("null", 403),
    ])
    func `E-16: only the groups of the token count`(_ groups: String, _ status: Int) throws {
        let claim = try #require(JSON(parsing: Array(groups.utf8)))
        #expect(
            try scenario.send(.bearer(scenario.token { $0.setting("groups", to: claim) }, "/group/x")).status == status)
    }

    @Test(arguments: [
        ("a@corp.example", 200), ("a@evilcorp.example", 403), ("a@corp.example.evil.example", 403),
        ("a@evil.example@corp.example", 403), ("a@corpXexample", 403), ("a@corp.example.", 403), ("@corp.example", 403),
        ("a@corp.example\n", 403), ("a@corp\u{3002}example", 403), ("a@CORP.example", 403),
    ])
    func `B-17 E-14: a domain is compared as a whole`(_ email: String, _ status: Int) throws {
        let token = try scenario.token { $0.setting("email", to: .string(email)) }
        #expect(try scenario.send(.bearer(token, "/corp/x")).status == status)
    }

    @Test func `a failing condition denies`() throws {
        try expectDenied(.bearer(scenario.token(), "/broken/x"))
        #expect(try scenario.send(.bearer(scenario.token { $0.setting("nowhere", to: 1) }, "/broken/x")).status == 200)
    }

    @Test(arguments: ["9223372036854775808", "1e999", "[]", "\"1\"", "null", "{\"a\":{}}"])
    func `a claim that rules cannot read denies`(_ claim: String) throws {
        let value = try #require(JSON(parsing: Array(claim.utf8)))
        try expectDenied(.bearer(scenario.token { $0.setting("nowhere", to: value) }, "/broken/x"))
    }

    @Test func `a condition can permit anonymous requests`() throws {
        #expect(try scenario.send(.get("/any/guest")).status == 200)
        expectDenial(try scenario.send(.get("/any/ada")), 401, "auth/missing-credential", challenge: "Bearer")
        #expect(try scenario.send(.bearer(scenario.token(), "/any/x")).status == 200)
        expectDenial(try scenario.send(.bearer("nonsense", "/any/guest")), 401, "auth/argument-error")
    }

    @Test func `a missing credential is reported before the condition`() throws {
        expectDenial(try scenario.send(.get("/users/ada")), 401, "auth/missing-credential", challenge: "Bearer")
    }

    @Test(arguments: [
        ("/query/x?mode=safe", 200), ("/query/x?a=1&mode=s%61fe", 200), ("/query/x?mode=unsafe", 403),
        ("/query/x", 403),
        ("/query/x?Mode=safe", 403), ("/query/x?mode=safe&mode=unsafe", 403), ("/query/x?mode=safe&mode=safe", 403),
        ("/query/x?mode=safe&m%6Fde=unsafe", 403), ("/query/x?mode=safe&%FF=1", 403), ("/query/x?mode=safe&a=%FF", 200),
        ("/query/x?mode=safe;mode=unsafe", 403),
    ])
    func `a condition reads only an unambiguous query parameter`(_ target: String, _ status: Int) throws {
        #expect(try scenario.send(.bearer(scenario.token(), target)).status == status)
    }

    @Test(arguments: [
        (["X-Mode: safe"], 200), (["x-mode:  safe "], 200), (["X-Mode: safe", "X-Mode: unsafe"], 403), ([], 403),
        (["X-Mode: Safe"], 403), (["X_Mode: safe"], 403), (["Connection: X-Mode", "X-Mode: safe"], 403),
    ])
    func `a condition reads a field as the upstream gets it`(_ fields: [String], _ status: Int) throws {
        var request = WireRequest.bearer(try scenario.token(), "/header/x")
        request.fields += fields
        #expect(try scenario.send(request).status == status)
    }

    @Test func `credentials and managed fields are hidden from conditions`() throws {
        var request = WireRequest.bearer(try scenario.token(), "/hidden/x")
        request.fields += [
            "Cookie: theme=dark", "Proxy-Authorization: Basic eDp5", "X-Auth-Uid: root", "X-Forwarded-For: 192.0.2.1",
        ]
        #expect(try scenario.send(request).status == 200)
    }

    @Test func `a condition applies to every method`() throws {
        let token = try scenario.token()
        #expect(try scenario.send(.bearer(token, "/method").by("OPTIONS")).status == 200)
        for method in ["GET", "PUT", "DELETE", "PROPFIND"] {
            #expect(try scenario.send(.bearer(token, "/method").by(method)).status == 403, "\(method)")
        }
    }

    // MARK: - Step-up

    @Test func `a condition for a recent sign-in names the maximum age`() throws {
        let old = try scenario.token { $0.signedIn(at: unixNow() - 4000) }
        let challenge = #"Bearer error="insufficient_user_authentication", max_age="300""#
        expectDenial(
            try scenario.send(.bearer(old, "/fresh/x")), 401, "auth/requires-recent-login", challenge: challenge)
        let new = try scenario.token { $0.signedIn(at: unixNow() - 10) }
        #expect(try scenario.send(.bearer(new, "/fresh/x")).status == 200)
    }

    @Test func `a condition can require a second factor`() throws {
        expectDenial(
            try scenario.send(.bearer(scenario.token(), "/factor/x")), 401, "auth/second-factor-required",
            challenge: #"Bearer error="insufficient_user_authentication""#)
        #expect(try scenario.send(.bearer(scenario.token { $0.withSecondFactor("totp") }, "/factor/x")).status == 200)
    }
}
