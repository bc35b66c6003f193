import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// Users of providers are revoked by the uid that the upstream receives.
@Suite(.everyProvider) struct ProviderRevocationTests: SharedScenarioSuite {
    private func token(
        _ provider: IdentityProvider, _ subject: String, _ change: (ProviderToken) -> ProviderToken = { $0 }
    ) throws -> String {
        let draft = scenario.provider.idToken(of: provider).setting("sub", to: .string(subject))
        return try scenario.provider.sign(change(draft))
    }

    private func revoke(_ uid: String, at time: Int64? = nil) throws {
        let body = time.map { "{\"at\": \($0)}" } ?? ""
        #expect(try scenario.admin("POST", "/v1/users/\(uid)/revoke", body: body).status == 200)
    }

    @Test func `the command revokes a user of Apple`() async throws {
        let subject = "000123.0a1b2c3d4e5f60718293a4b5c6d7e8f9.0456"
        let token = try token(.apple, subject) { $0.signedIn(at: unixNow() - 100) }
        let other = try self.token(.apple, subject + "0") { $0.signedIn(at: unixNow() - 100) }
        #expect(try scenario.send(.bearer(token, "/me/x")).status == 200)
        let run = try await CommandRun.admin(["revoke", "apple.com:\(subject)"], at: scenario.gateway)
        #expect(run.exitCode == 0, "\(run.errors)")
        for route in ["/me/x", "/strict/x", "/optional/x", "/apple/x", "/recent/x"] {
            try scenario.expectRefusal(.bearer(token, route), 401, "auth/id-token-revoked", route)
        }
        #expect(try scenario.send(.bearer(token, "/unrevocable/x")).status == 200)
        #expect(try scenario.send(.bearer(other, "/me/x")).status == 200)
        // A new sign-in passes. A refreshed token does not.
        #expect(try scenario.send(.bearer(self.token(.apple, subject), "/me/x")).status == 200)
        let refreshed = try self.token(.apple, subject) { $0.signedIn(at: unixNow() - 100).issued(at: unixNow()) }
        try scenario.expectRefusal(.bearer(refreshed, "/me/x"), 401, "auth/id-token-revoked")
    }

    /// `auth_time` and `iat` in seconds after the revocation.
    static let times: [(what: String, authTime: Int64?, issuedAt: Int64, passes: Bool)] = [
        ("before", -1, -1, false), ("the same second", 0, 0, true), ("after", 1, 1, true),
        ("a new token of an old sign-in", -100, 50, false), ("without auth_time, before", nil, -1, false),
        ("without auth_time, the same second", nil, 0, true), ("without auth_time, after", nil, 50, true),
    ]

    @Test(arguments: IdentityProvider.tested)
    func `H-01 H-05: without a sign-in time the issue time is used`(_ id: String) throws {
        let provider = try IdentityProvider.named(id)
        let moment = unixNow() - 1000
        let draft = scenario.provider.idToken(of: provider, for: .named("revoked-at-\(id)"))
            .setting("hd", to: "example.com").removing("auth_time")
        let report = try scenario.passes(.bearer(scenario.provider.sign(draft), "/me/x"))
        try revoke(#require(report["X-Auth-Uid"]), at: moment)
        for row in Self.times {
            // Microsoft writes `iat` 300 seconds before it issues a token.
            var token = draft.issued(at: moment + row.issuedAt - (provider == .microsoft ? 300 : 0))
            if let time = row.authTime { token = token.signedIn(at: moment + time) }
            let response = try scenario.send(.bearer(scenario.provider.sign(token), "/me/x"))
            #expect(response.status == (row.passes ? 200 : 401), "\(row) \(response.text)")
            if !row.passes { expectDenial(response, 401, "auth/id-token-revoked", row.what) }
        }
    }

    @Test func `every revocation applies to an opaque token without a time`() throws {
        let token = try scenario.opaque(.named("timeless")) { $0.removing("iat") }
        #expect(try scenario.send(.bearer(token.text, "/legacy/x")).status == 200)
        try revoke("oauth.legacy:timeless", at: 1)
        try scenario.expectRefusal(.bearer(token.text, "/legacy/x"), 401, "auth/id-token-revoked")
    }

    @Test func `a revocation applies to opaque tokens created before it`() throws {
        let now = scenario.provider.now
        let old = OpaqueToken.gitHub(for: .linus, now: now - 500)
        let new = OpaqueToken.gitHub(for: .linus, now: now - 100)
        for token in [old, new] { try scenario.provider.add(token) }
        try revoke("github.com:583231", at: now - 300)
        try scenario.expectRefusal(.bearer(old.text, "/github/x"), 401, "auth/id-token-revoked")
        #expect(try scenario.send(.bearer(new.text, "/github/x")).status == 200)
        try scenario.admin("POST", "/v1/users/github.com:583231/unrevoke")
    }

    @Test func `H-02: disabled is reported before revoked for providers too`() throws {
        let token = try token(.apple, "both") { $0.signedIn(at: unixNow() - 100) }
        try revoke("apple.com:both")
        try scenario.admin("POST", "/v1/users/apple.com:both/disable")
        try scenario.expectRefusal(.bearer(token, "/me/x"), 401, "auth/user-disabled")
    }

    @Test func `the name of a session includes its provider`() throws {
        let time = unixNow() - 200
        let first = try token(.apple, "sessions") { $0.signedIn(at: time) }
        let second = try token(.apple, "sessions") { $0.signedIn(at: time + 50) }
        let path = "/v1/users/apple.com:sessions/sessions/"
        // Without the provider, it is the name of a Firebase session.
        #expect(try scenario.admin("POST", "\(path)\(time)/revoke").status == 200)
        #expect(try scenario.send(.bearer(first, "/me/x")).status == 200)
        #expect(try scenario.admin("POST", "\(path)apple.com:\(time)/revoke").status == 200)
        try scenario.expectRefusal(.bearer(first, "/me/x"), 401, "auth/id-token-revoked")
        #expect(try scenario.send(.bearer(second, "/me/x")).status == 200)
    }

    @Test func `users of Microsoft are revoked by tenant and object`() throws {
        let provider = scenario.provider
        let token = try provider.sign(provider.idToken(of: .microsoft, for: .barbara).issued(at: unixNow() - 400))
        let uid = try #require(try scenario.passes(.bearer(token, "/me/x"))["X-Auth-Uid"])
        // The object ID without its tenant, or with another tenant, identifies another user.
        let object = DevelopmentUser.barbara.microsoftObjectID
        for other in ["microsoft.com:\(object)", "microsoft.com:\(DevelopmentUser.personalMicrosoftTenant):\(object)"] {
            try revoke(other)
            #expect(try scenario.send(.bearer(token, "/me/x")).status == 200)
        }
        try revoke(uid)
        try scenario.expectRefusal(.bearer(token, "/me/x"), 401, "auth/id-token-revoked")
        try scenario.admin("POST", "/v1/users/\(uid)/unrevoke")
    }
}
