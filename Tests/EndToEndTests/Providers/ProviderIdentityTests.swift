import DevelopmentIdentity
import Foundation
import Testing

/// The identity that the upstream receives for tokens of providers. It equals the identity of Firebase's tokens.
@Suite(.everyProvider) struct ProviderIdentityTests: SharedScenarioSuite {
    @Test(
        arguments: GoodProviderToken.apple + GoodProviderToken.google + GoodProviderToken.microsoft
            + GoodProviderToken.others + GoodProviderToken.opaque)
    func `a good token passes with the identity that Firebase would give it`(_ row: GoodProviderToken) throws {
        let token = try row.make(scenario.provider)
        let report = try scenario.passes(.bearer(token.text, row.target, "X-Auth-Uid: root", "X-Auth-Time: 1"))
        #expect(report.values("X-Auth-Uid").map { $0.removingPercentEncoding } == [row.uid])
        #expect(report.values("X-Auth-Provider") == [row.provider])
        #expect(report.values("X-Auth-Email") == (row.email.map { [$0] } ?? []))
        #expect(report.values("X-Auth-Email-Verified") == (row.email == nil ? [] : ["\(row.isVerified)"]))
        #expect((token.claims["auth_time"] != nil) == row.tellsTime)
        #expect(report.values("X-Auth-Time") == (token.claims["auth_time"].map { [$0.text] } ?? []))
        #expect(report.auth?.sorted == row.variable(of: token.claims).sorted)
        let secret = token.text.suffix(30)
        #expect(report["Authorization"] == nil && report.auth?.text.contains(secret) == false)
        #expect(!report.lines.contains { $0.contains(secret.lowercased()) })
    }

    /// This applies to every route that needs no credential.
    @Test(arguments: GoodProviderToken.opaque)
    func `a public route neither verifies nor forwards an opaque token`(_ row: GoodProviderToken) throws {
        let token = try row.make(scenario.provider)
        let report = try scenario.passes(.bearer(token.text, "/public/opaque"))
        #expect(report["Authorization"] == nil && report["X-Auth-Uid"] == nil)
        for kind in OpaqueToken.Kind.allCases { #expect(scenario.provider.calls(about: token.text, kind) == 0) }
    }

    @Test(arguments: IdentityProvider.tested)
    func `G-14: a provider's token is accepted only in the header`(_ id: String) throws {
        let provider = scenario.provider
        let token = try provider.sign(provider.idToken(of: .named(id)))
        #expect(try scenario.send(.bearer(token, "/me/header")).status == 200)
        try scenario.expectRefusal(.cookie(token, "/me/cookie"), 401, "auth/invalid-session-cookie")
    }

    @Test func `the provider's entry defines a second factor`() throws {
        let provider = scenario.provider
        let token = provider.idToken(of: .oidc("corp"))
        let proofs = [
            token.setting("amr", to: ["pwd", "mfa"]), token.setting("acr", to: "urn:loa:2"),
        ]
        for token in proofs { _ = try scenario.passes(.bearer(provider.sign(token), "/second/x")) }
        let others = [
            token, token.setting("amr", to: "mfa"), token.setting("amr", to: ["pwd"]), token.setting("acr", to: "mfa"),
            token.setting("firebase", to: ["sign_in_second_factor": "totp"]),
        ]
        for token in others {
            try scenario.expectRefusal(
                .bearer(provider.sign(token), "/second/x"), 401, "auth/second-factor-required",
                challenge: "Bearer error=\"insufficient_user_authentication\", acr_values=\"urn:loa:2\"")
        }
    }
}
