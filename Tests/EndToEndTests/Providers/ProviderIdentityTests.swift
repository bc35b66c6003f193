import DevelopmentIdentity
import Foundation
import Testing

/// What the upstream learns from providers' own tokens: what Firebase would have told it.
@Suite(.everyProvider) struct ProviderIdentityTests {
    let scenario: Scenario

    init() throws { scenario = try Scenario.current }

    @Test(
        arguments: GoodProviderToken.apple + GoodProviderToken.google + GoodProviderToken.microsoft
            + GoodProviderToken.others + GoodProviderToken.opaque)
    func aGoodTokenPassesAndIsToldInFirebasesWords(_ row: GoodProviderToken) throws {
        let token = try row.make(scenario.provider)
        let report = try scenario.passes(.bearer(token.text, row.target, "X-Auth-Uid: root", "X-Auth-Time: 1"))
        #expect(report.values("X-Auth-Uid").map { $0.removingPercentEncoding } == [row.uid])
        #expect(report.values("X-Auth-Provider") == [row.provider])
        #expect(report.values("X-Auth-Email") == (row.email.map { [$0] } ?? []))
        #expect(report.values("X-Auth-Email-Verified") == (row.email == nil ? [] : ["\(row.isVerified)"]))
        #expect((token.claims["auth_time"] != nil) == row.tellsTime)
        #expect(report.values("X-Auth-Time") == (token.claims["auth_time"].map { [$0.text] } ?? []))
        #expect(report.auth?.sorted == row.variable(of: token.claims).sorted)
    }

    @Test(arguments: GoodProviderToken.others + GoodProviderToken.opaque)
    func theTokenItselfIsNotForwarded(_ row: GoodProviderToken) throws {
        let token = try row.make(scenario.provider)
        let report = try scenario.passes(.bearer(token.text, row.target, "X-Kept: yes"))
        #expect(report["X-Kept"] == "yes" && report["Authorization"] == nil)
        let secret = token.text.suffix(30)
        #expect(!report.lines.contains { $0.contains(secret.lowercased()) })
        #expect(report.auth?.text.contains(secret) == false)
    }

    /// As on every route that needs no credential.
    @Test(arguments: GoodProviderToken.opaque)
    func aPublicRouteNeitherAsksNorForwards(_ row: GoodProviderToken) throws {
        let token = try row.make(scenario.provider)
        let report = try scenario.passes(.bearer(token.text, "/public/opaque"))
        #expect(report["Authorization"] == nil && report["X-Auth-Uid"] == nil)
        for kind in OpaqueToken.Kind.allCases { #expect(scenario.provider.calls(about: token.text, kind) == 0) }
    }

    @Test(arguments: IdentityProvider.tested)
    func g14aProvidersTokenCountsInTheHeaderOnly(_ id: String) throws {
        let provider = scenario.provider
        let token = try provider.sign(provider.idToken(of: .named(id)))
        #expect(try scenario.send(.bearer(token, "/me/header")).status == 200)
        try scenario.expectRefusal(.cookie(token, "/me/cookie"), 401, "auth/invalid-session-cookie")
    }

    @Test func aSecondFactorIsWhatTheProvidersEntrySaysItIs() throws {
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
