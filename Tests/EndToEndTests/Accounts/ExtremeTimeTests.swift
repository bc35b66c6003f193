import DevelopmentIdentity
import Testing

/// Times at the limits of their type, in tokens and responses of a provider: the gateway rejects them and continues.
@Suite(.accounts) struct ExtremeTimeTests: SharedScenarioSuite {
    private static let extremes: [Int64] = [
        .min, -.max, .min / 1000, -100_000_000_001, -1, 100_000_000_001, .max / 1000, .max - 1, .max,
    ]

    private static let claims = ["iat", "auth_time", "exp", "nbf"]

    @Test(arguments: claims) func `a token with an extreme time causes no server error and ends no session`(
        _ claim: String
    )
        throws
    {
        var app = AccountApp(scenario)
        let user = DevelopmentUser.named("extreme-\(claim)")
        try app.signIn(.oidc("corp"), as: user)
        for time in Self.extremes {
            for call in ["reauthenticate", "sign-in", "link"] {
                let proof = try app.proof(.oidc("corp"), of: user) {
                    $0.removing("auth_time").setting(claim, to: .integer(time))
                }
                let request = app.request(call, proof)
                #expect(try scenario.send(request).status < 500, "\(call) \(claim) \(time)")
            }
            #expect(try app.get("/me/x").status == 200, "\(claim) \(time)")
        }
    }

    @Test func `a token issued before 1970 does not prove a sign-in`() throws {
        var app = AccountApp(scenario)
        try app.signIn(.oidc("corp"), as: .named("prehistoric"))
        let proof = try app.proof(.oidc("corp"), of: .named("prehistoric")) {
            $0.removing("auth_time").issued(at: -9_223_372_036_854_775_807)
        }
        expectDenial(try app.call("reauthenticate", proof), 400, "auth/invalid-credential")
        #expect(try app.get("/me/x").status == 200)
    }

    @Test(arguments: ["issued_at", "expires_at"])
    func `an opaque token with an extreme time causes no server error and ends no session`(_ member: String) throws {
        var app = AccountApp(scenario)
        #expect(try app.call("sign-in", try facebookProof()).status == 200)
        for time in Self.extremes {
            let proof = try facebookProof { $0.setting("data", member, to: .integer(time)) }
            #expect(try scenario.send(app.request("reauthenticate", proof)).status < 500, "\(member) \(time)")
            #expect(try app.get("/me/x").status == 200, "\(member) \(time)")
        }
    }

    private func facebookProof(_ change: (OpaqueToken) -> OpaqueToken = { $0 }) throws -> JSON {
        let token = change(OpaqueToken.facebook(for: .dennis, now: scenario.provider.now))
        try scenario.provider.add(token)
        return ["provider": "facebook.com", "access_token": .string(token.text)]
    }
}
