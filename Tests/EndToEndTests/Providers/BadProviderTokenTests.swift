import DevelopmentIdentity
import Testing

/// Providers' ID tokens that are not what they should be: refused, told with a code, forwarded to nobody, and logged with the reason.
@Suite(.everyProvider) struct BadProviderTokenTests {
    let scenario: Scenario

    init() throws { scenario = try Scenario.current }

    @Test(arguments: IdentityProvider.tested)
    func e01e03e04e05e08e09e12e19e20f24ABadTokenIsRefusedForItsReason(_ id: String) async throws {
        let provider = try IdentityProvider.named(id)
        let rows = BadProviderToken.all(of: provider)
        for (number, row) in rows.enumerated() {
            let token = try row.make(scenario.provider, provider)
            try scenario.expectRefusal(.bearer(token, "/me/\(id)/\(number)"), 401, row.code, row.what)
        }
        for (number, row) in rows.enumerated() {
            let line = try await scenario.logged("/me/\(id)/\(number)")
            #expect(line["reason"] == .string(row.reason), "\(row.what)")
            #expect(line["code"] == .string(row.code) && line["uid"] == .null, "\(row.what) \(line.text)")
        }
    }

    /// After a good one was taken, and where nobody needs to sign in.
    @Test(arguments: IdentityProvider.tested)
    func aGoodTokenHelpsNoBadOne(_ id: String) throws {
        let provider = try IdentityProvider.named(id)
        let good = try scenario.provider.sign(scenario.provider.idToken(of: provider))
        for row in BadProviderToken.all(of: provider) {
            #expect(try scenario.send(.bearer(good, "/optional/good")).status == 200)
            let token = try row.make(scenario.provider, provider)
            try scenario.expectRefusal(.bearer(token, "/optional/bad"), 401, row.code, row.what)
        }
    }

    /// Seconds from now, and whether the token counts; the skew is 5 s.
    static let times: [(claim: String, offset: Int64, passes: Bool)] = [
        ("iat", 3, true), ("iat", 12, false), ("iat", -1_000_000_000, true), ("nbf", 3, true), ("nbf", 12, false),
        ("auth_time", 3, true), ("auth_time", 12, false), ("exp", 30, true), ("exp", 0, false), ("exp", -3, false),
    ]

    @Test(arguments: IdentityProvider.tested)
    func e08TheSkewIsForTheFutureAndNeverForTheEnd(_ id: String) throws {
        for row in Self.times {
            let draft = try scenario.provider.idToken(of: .named(id))
            let token = try scenario.provider.sign(draft.setting(row.claim, to: .integer(unixNow() + row.offset)))
            let response = try scenario.send(.bearer(token, "/me/e08"))
            guard !row.passes else {
                #expect(response.status == 200, "\(row) \(response.text)")
                continue
            }
            expectDenial(
                response, 401, row.claim == "exp" ? "auth/id-token-expired" : "auth/invalid-id-token", "\(row)")
        }
    }

    /// A token that is a session cookie, a custom token or another provider's is nothing of Apple's.
    @Test func e17AFirebaseUIDThatLooksLikeAProvidersIsRefused() async throws {
        for (number, uid) in ["apple.com:1", "oidc.corp:ada", "github.com:583231", "oauth.legacy:ada"].enumerated() {
            try scenario.expectRefusal(
                .bearer(scenario.token(.named(uid)), "/me/e17/\(number)"), 401, "auth/invalid-id-token", uid)
            let line = try await scenario.logged("/me/e17/\(number)")
            #expect(line["reason"] == "sub begins as the uids of a provider's own tokens do")
        }
        for uid in ["apple.com", "apple.comx:1", "xoidc.corp:ada", "oidc.other:ada"] {
            let report = try scenario.passes(.bearer(scenario.token(.named(uid)), "/me/e17"))
            #expect(report["X-Auth-Uid"] == uid)
        }
    }
}
