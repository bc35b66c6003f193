import DevelopmentIdentity
import Testing

/// What the admin API revokes, on the very next request.
@Suite(.sharedScenario) struct RevocationTests {
    let scenario: Scenario

    init() throws { scenario = try Scenario.current }

    private func status(_ token: String, _ target: String = "/me/r") throws -> Int {
        try scenario.send(.bearer(token, target)).status
    }

    @Test func aRevokedUsersTokenIsRefusedAtOnce() throws {
        let token = try scenario.token(.named("revoked")) { $0.signedIn(at: unixNow() - 100) }
        #expect(try status(token) == 200)
        #expect(try scenario.admin("POST", "/v1/users/revoked/revoke").status == 200)
        expectDenial(try scenario.send(.bearer(token, "/me/r")), 401, "auth/id-token-revoked")
        expectDenial(try scenario.send(.bearer(token, "/strict/r")), 401, "auth/id-token-revoked")
        expectDenial(try scenario.send(.bearer(token, "/optional/r")), 401, "auth/id-token-revoked")
    }

    @Test func aRevokedUsersSessionCookieIsRefusedToo() throws {
        let cookie = try scenario.cookie(.named("revoked-cookie")) { $0.signedIn(at: unixNow() - 100) }
        try scenario.admin("POST", "/v1/users/revoked-cookie/revoke")
        expectDenial(try scenario.send(.cookie(cookie, "/me/r")), 401, "auth/session-cookie-revoked")
    }

    @Test func otherUsersAreNotConcerned() throws {
        let token = try scenario.token(.named("bystander")) { $0.signedIn(at: unixNow() - 100) }
        try scenario.admin("POST", "/v1/users/somebody/revoke")
        #expect(try status(token) == 200)
    }

    @Test func h01ASignInOfTheSameSecondSurvives() throws {
        let time = unixNow() - 50
        try scenario.admin("POST", "/v1/users/same-second/revoke", body: "{\"at\": \(time)}")
        let same = try scenario.token(.named("same-second")) { $0.signedIn(at: time) }
        let earlier = try scenario.token(.named("same-second")) { $0.signedIn(at: time - 1) }
        #expect(try status(same) == 200)
        #expect(try status(earlier) == 401)
    }

    @Test func h05ARefreshedTokenOfARevokedSignInIsRefused() throws {
        try scenario.admin("POST", "/v1/users/refreshed/revoke")
        let token = try scenario.token(.named("refreshed")) { $0.signedIn(at: unixNow() - 100).issued(at: unixNow()) }
        expectDenial(try scenario.send(.bearer(token, "/me/r")), 401, "auth/id-token-revoked")
    }

    @Test func unrevokingLetsTheTokenPassAgain() throws {
        let token = try scenario.token(.named("unrevoked")) { $0.signedIn(at: unixNow() - 100) }
        try scenario.admin("POST", "/v1/users/unrevoked/revoke")
        #expect(try status(token) == 401)
        #expect(try scenario.admin("POST", "/v1/users/unrevoked/unrevoke").status == 200)
        #expect(try status(token) == 200)
    }

    @Test func disablingAndEnablingTakeEffectAtOnce() throws {
        let token = try scenario.token(.named("disabled"))
        try scenario.admin("POST", "/v1/users/disabled/disable")
        expectDenial(try scenario.send(.bearer(token, "/me/r")), 401, "auth/user-disabled")
        try scenario.admin("POST", "/v1/users/disabled/enable")
        #expect(try status(token) == 200)
    }

    @Test func h02DisabledIsToldBeforeRevoked() throws {
        let token = try scenario.token(.named("both")) { $0.signedIn(at: unixNow() - 100) }
        try scenario.admin("POST", "/v1/users/both/revoke")
        try scenario.admin("POST", "/v1/users/both/disable")
        expectDenial(try scenario.send(.bearer(token, "/me/r")), 401, "auth/user-disabled")
    }

    @Test func revokingASessionSparesTheUsersOthers() throws {
        let first = unixNow() - 200
        let tokens = try [first, first + 100].map { time in
            try scenario.token(.named("sessions")) { $0.signedIn(at: time) }
        }
        #expect(try scenario.admin("POST", "/v1/users/sessions/sessions/\(first)/revoke").status == 200)
        expectDenial(try scenario.send(.bearer(tokens[0], "/me/r")), 401, "auth/id-token-revoked")
        #expect(try status(tokens[1]) == 200)
    }

    @Test func aUidMayHaveASlash() throws {
        let token = try scenario.token(.named("org/käthe:1")) { $0.signedIn(at: unixNow() - 100) }
        try scenario.admin("POST", "/v1/users/org%2Fk%C3%A4the:1/revoke")
        #expect(try status(token) == 401)
    }

    @Test func revocationIsAskedBeforeRecency() throws {
        let token = try scenario.token(.named("old-and-revoked")) { $0.signedIn(at: unixNow() - 4000) }
        try scenario.admin("POST", "/v1/users/old-and-revoked/revoke")
        expectDenial(try scenario.send(.bearer(token, "/recent/r")), 401, "auth/id-token-revoked")
    }

    @Test func aRouteThatDoesNotAskPasses() throws {
        let token = try scenario.token(.named("unasked")) { $0.signedIn(at: unixNow() - 100) }
        try scenario.admin("POST", "/v1/users/unasked/revoke")
        #expect(try status(token, "/unrevocable/r") == 200)
        #expect(try status(token) == 401)
    }

    @Test func theAdminAPITellsTheRecord() throws {
        try scenario.admin("POST", "/v1/users/told/revoke", body: "{\"at\": 1700000000}")
        let record = JSON(parsing: try scenario.admin("GET", "/v1/users/told").body)
        #expect(record?["valid_since"] == 1_700_000_000)
        #expect(record?["disabled"] == false)
    }
}
