import DevelopmentIdentity
import Testing

/// Where a credential may stand, and what happens without one or with several.
@Suite(.sharedScenario) struct CredentialTests {
    let scenario: Scenario

    init() throws { scenario = try Scenario.current }

    @Test func withoutACredentialTheChallengeIsPlain() throws {
        expectDenial(
            try scenario.send(.get("/me/none")), 401, "auth/missing-credential", challenge: "Bearer")
    }

    @Test func d17TwoDifferentCredentialsAreRefused() throws {
        let request = WireRequest.bearer(
            try scenario.token(.ada), "/me/two", "Cookie: __session=\(try scenario.cookie(.grace))")
        expectDenial(try scenario.send(request), 400, "request/ambiguous-credentials")
    }

    @Test func d17TwoDifferentSessionCookiesAreRefused() throws {
        let cookies = "__session=\(try scenario.cookie(.ada)); __session=\(try scenario.cookie(.grace))"
        expectDenial(try scenario.send(.get("/me/two", "Cookie: \(cookies)")), 400, "request/ambiguous-credentials")
    }

    @Test(arguments: ["bearer", "BEARER", "bEaReR"])
    func d18TheSchemeHasNoCase(scheme: String) throws {
        _ = try scenario.passes(.get("/me/scheme", "Authorization: \(scheme) \(try scenario.token())"))
    }

    @Test(arguments: [
        "Bearer", "Bearer ", "Bearer  TOKEN", "Bearer\tTOKEN", "BearerTOKEN", "Bearer TOKEN,",
        "Bearer TOKEN, Bearer TOKEN", "TOKEN", "Basic dTpw",
    ])
    func d18AnythingButSchemeSpaceTokenIsRefused(value: String) throws {
        let field = value.replacing("TOKEN", with: try scenario.token())
        expectDenial(try scenario.send(.get("/me/scheme", "Authorization: \(field)")), 401, "auth/argument-error")
    }

    @Test(arguments: ["access_token", "token", "auth"])
    func d19ATokenInTheQueryIsNoCredential(name: String) throws {
        let response = try scenario.send(.get("/me/query?\(name)=\(try scenario.token())"))
        expectDenial(response, 401, "auth/missing-credential", challenge: "Bearer")
    }

    @Test func anOptionalRouteTakesNone() throws {
        let report = try scenario.passes(.get("/optional/none"))
        #expect(report["X-Auth-Uid"] == nil)
    }

    @Test func anOptionalRouteTakesAValidOne() throws {
        let report = try scenario.passes(.bearer(scenario.token(), "/optional/some"))
        #expect(report["X-Auth-Uid"] == "ada")
    }

    @Test func aCookieOfTheNameThatIsNoTokenPassesUnchanged() throws {
        let report = try scenario.passes(.get("/optional/cookie", "Cookie: __session=legacy; a=1"))
        #expect(report["Cookie"] == "__session=legacy; a=1")
    }

    @Test(arguments: ["GoogleHC/1.0", "kube-probe/1.30", "ELB-HealthChecker/2.0"])
    func c01AHealthCheckersNameIsNoCredential(agent: String) throws {
        let response = try scenario.send(.get("/me/health", "User-Agent: \(agent)"))
        expectDenial(response, 401, "auth/missing-credential", challenge: "Bearer")
    }

    @Test(arguments: ["OPTIONS", "HEAD", "PUT", "PROPFIND"])
    func c02NoMethodIsExempt(method: String) throws {
        let request = WireRequest(method: method, target: "/me/method", fields: ["Origin: https://a.example"])
        #expect(try scenario.send(request).status == 401)
    }

    @Test func theCookieMayBeInASecondField() throws {
        let report = try scenario.passes(
            .get("/me/fields", "Cookie: a=1", "Cookie: __session=\(try scenario.cookie(.alan))", "Cookie: b=2"))
        #expect(report["X-Auth-Uid"] == "alan")
        #expect(report.values("Cookie") == ["a=1", "b=2"])
    }

    @Test func theSameCookieTwiceIsOneCredential() throws {
        let cookie = try scenario.cookie(.alan)
        let report = try scenario.passes(.get("/me/twice", "Cookie: __session=\(cookie); a=1; __session=\(cookie)"))
        #expect(report["X-Auth-Uid"] == "alan")
        #expect(report.values("Cookie") == ["a=1"])
    }
}
