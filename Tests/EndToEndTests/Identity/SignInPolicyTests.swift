import DevelopmentIdentity
import Testing

/// What routes ask of a sign-in besides that it is valid.
@Suite(.sharedScenario) struct SignInPolicyTests {
    let scenario: Scenario

    init() throws { scenario = try Scenario.current }

    static let stepUp = "Bearer error=\"insufficient_user_authentication\", max_age=\"300\""

    @Test func aListedProviderPasses() throws {
        _ = try scenario.passes(.bearer(scenario.token(.alan), "/apple/x"))
    }

    @Test func anotherProviderIsForbidden() throws {
        expectDenial(try scenario.send(.bearer(scenario.token(.ada), "/apple/x")), 403, "auth/permission-denied")
    }

    @Test func e06AnotherProvidersSessionCookieIsForbiddenToo() throws {
        expectDenial(try scenario.send(.cookie(scenario.cookie(.ada), "/apple/x")), 403, "auth/permission-denied")
    }

    @Test func aSecondFactorPasses() throws {
        _ = try scenario.passes(.bearer(scenario.token { $0.withSecondFactor("totp") }, "/second/x"))
    }

    @Test func withoutTheSecondFactorAStepUpIsAsked() throws {
        let response = try scenario.send(.bearer(scenario.token(), "/second/x"))
        expectDenial(
            response, 401, "auth/second-factor-required",
            challenge: "Bearer error=\"insufficient_user_authentication\"")
    }

    @Test func aFreshSignInPasses() throws {
        let token = try scenario.token { $0.signedIn(at: unixNow() - 290) }
        _ = try scenario.passes(.bearer(token, "/recent/x"))
    }

    @Test func i01AnOldSignInIsToldHowOldItMayBe() throws {
        let token = try scenario.token { $0.signedIn(at: unixNow() - 301) }
        expectDenial(
            try scenario.send(.bearer(token, "/recent/x")), 401, "auth/requires-recent-login", challenge: Self.stepUp)
    }

    @Test func i02ARefreshedTokenIsNoFreshSignIn() throws {
        let token = try scenario.token { $0.signedIn(at: unixNow() - 4000).issued(at: unixNow()) }
        expectDenial(
            try scenario.send(.bearer(token, "/recent/x")), 401, "auth/requires-recent-login", challenge: Self.stepUp)
    }

    @Test func anOldSessionCookieIsNoFreshSignInEither() throws {
        let cookie = try scenario.cookie { $0.signedIn(at: unixNow() - 4000) }
        expectDenial(
            try scenario.send(.cookie(cookie, "/recent/x")), 401, "auth/requires-recent-login", challenge: Self.stepUp)
    }

    @Test func anOldSignInPassesWhereNothingIsAsked() throws {
        let token = try scenario.token { $0.signedIn(at: unixNow() - 1_000_000) }
        _ = try scenario.passes(.bearer(token, "/me/old"))
    }
}

/// A gateway for the users of one tenant.
@Suite(
    .sharedScenario { configuration in
        configuration["identity"] = configuration["identity"]?.replacing(
            "{ project:", with: "{ tenant: corp-abc12, project:")
    })
struct TenantTests {
    let scenario: Scenario

    init() throws { scenario = try Scenario.current }

    @Test func theTenantsUsersPass() throws {
        let report = try scenario.passes(.bearer(scenario.token(.edsger), "/me/tenant"))
        #expect(report.auth?["token"]?["firebase"]?["tenant"] == "corp-abc12")
    }

    @Test func e11UsersOfNoTenantDoNot() throws {
        expectDenial(try scenario.send(.bearer(scenario.token(.ada), "/me/tenant")), 401, "auth/tenant-id-mismatch")
    }

    @Test func e11UsersOfAnotherTenantDoNot() throws {
        let token = try scenario.token(.edsger) { $0.inTenant("corp-abc123") }
        expectDenial(try scenario.send(.bearer(token, "/me/tenant")), 401, "auth/tenant-id-mismatch")
    }
}
