import DevelopmentIdentity
import Foundation
import Testing

/// The tenants of an entry for Microsoft.
struct MicrosoftTenantTests {
    private static let foreign = "11111111-2222-4333-8444-555555555555"

    /// Whether tokens of an organization, of another organization and of a personal account pass.
    static let policies: [(tenants: String, passes: [Bool])] = [
        ("'*'", [true, true, false]), ("['\(DevelopmentUser.microsoftTenant)']", [true, false, false]),
        ("['\(DevelopmentUser.personalMicrosoftTenant)']", [false, false, true]),
        ("['\(foreign)', '\(DevelopmentUser.microsoftTenant.uppercased())']", [true, true, false]),
    ]

    @Test func `an authentication context proves a second factor, and the challenge requests it`() async throws {
        try await Scenario.run(arrange: { provider, _, configuration in
            let keys = provider.url(.keys(.microsoft))
            configuration.identify(
                provider,
                [
                    """
                    microsoft.com: { audiences: ['\(IdentityProvider.microsoft.demoAudience)'], keys_url: '\(keys)',
                    tenants: '*', second_factor: { acrs: [c1, c2] } }
                    """.replacing("\n", with: " ")
                ])
        }) { scenario in
            let provider = scenario.provider
            let token = provider.idToken(of: .microsoft, for: .barbara)
            for context in ["c1", "c2"] {
                let proof = try provider.sign(token.setting("acrs", to: ["p1", .string(context)]))
                _ = try scenario.passes(.bearer(proof, "/second/x"))
            }
            let claims = #"{"id_token":{"acrs":{"essential":true,"value":"c1"}}}"#
            let challenge =
                "Bearer error=\"insufficient_user_authentication\", acr_values=\"c1 c2\", "
                + "claims=\"\(Data(claims.utf8).base64EncodedString())\""
            for other in [token, token.setting("acrs", to: ["p1"]), token.setting("amr", to: ["mfa"])] {
                try scenario.expectRefusal(
                    .bearer(provider.sign(other), "/second/x"), 401, "auth/second-factor-required",
                    challenge: challenge)
            }
        }
    }

    @Test(arguments: policies)
    func `E-05: only the listed tenants are accepted`(row: (tenants: String, passes: [Bool])) async throws {
        try await Scenario.run(arrange: { provider, _, configuration in
            let audience = IdentityProvider.microsoft.demoAudience
            let keys = provider.url(.keys(.microsoft))
            configuration.identify(
                provider,
                ["microsoft.com: { audiences: ['\(audience)'], keys_url: '\(keys)', tenants: \(row.tenants) }"])
        }) { scenario in
            let provider = scenario.provider
            let ours = provider.idToken(of: .microsoft, for: .barbara)
            let tokens = [ours, ours.inTenant(Self.foreign), provider.idToken(of: .microsoft, for: .hedy)]
            var uids: Set<String> = []
            for (token, passes) in zip(tokens, row.passes) {
                let request = try WireRequest.bearer(provider.sign(token), "/me/x")
                guard passes else {
                    try scenario.expectRefusal(request, 401, "auth/invalid-id-token", "\(row)")
                    continue
                }
                uids.insert(try scenario.passes(request)["X-Auth-Uid"] ?? "")
            }
            // The same object ID in two tenants identifies two users.
            #expect(uids.count == row.passes.count { $0 })
        }
    }
}
