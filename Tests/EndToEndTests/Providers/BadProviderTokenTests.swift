import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// Invalid ID tokens of providers: denied with a code, not forwarded, and logged with the reason.
@Suite(.everyProvider) struct BadProviderTokenTests: SharedScenarioSuite {
    @Test(.tags(.e01, .e03, .e04, .e08, .e09, .e12, .e19, .f24), arguments: IdentityProvider.tested)
    func `E-05 E-20: an invalid token is denied with its reason, also after a valid one`(_ id: String) async throws {
        let provider = try IdentityProvider.named(id)
        let rows = BadProviderToken.all(of: provider)
        let good = try scenario.provider.sign(scenario.provider.idToken(of: provider))
        for target in ["/me/good", "/optional/good"] { _ = try scenario.passes(.bearer(good, target)) }
        for (number, row) in rows.enumerated() {
            let token = try row.make(scenario.provider, provider)
            try scenario.expectRefusal(.bearer(token, "/me/\(id)/\(number)"), 401, row.code, row.what)
            try scenario.expectRefusal(.bearer(token, "/optional/bad"), 401, row.code, row.what)
        }
        for (number, row) in rows.enumerated() {
            let line = try await scenario.logged("/me/\(id)/\(number)")
            #expect(line["reason"] == .string(row.reason), "\(row.what)")
            #expect(line["code"] == .string(row.code) && line["uid"] == .null, "\(row.what) \(line.text)")
        }
    }

    /// Session cookies, custom tokens and tokens of other providers are not tokens of Apple.
    @Test func `E-17: a Firebase uid with the prefix of a provider is rejected`() async throws {
        for (number, uid) in ["apple.com:1", "oidc.corp:ada", "github.com:583231", "oauth.legacy:ada"].enumerated() {
            try scenario.expectRefusal(
                .bearer(scenario.token(.named(uid)), "/me/e17/\(number)"), 401, "auth/invalid-id-token", uid)
            let line = try await scenario.logged("/me/e17/\(number)")
            #expect(line["reason"] == "sub begins with the prefix of a configured provider")
        }
        for uid in ["apple.com", "apple.comx:1", "xoidc.corp:ada", "oidc.other:ada"] {
            let report = try scenario.passes(.bearer(scenario.token(.named(uid)), "/me/e17"))
            #expect(report["X-Auth-Uid"] == uid)
        }
    }
}
