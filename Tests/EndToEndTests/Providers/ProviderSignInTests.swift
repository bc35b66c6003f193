import DevelopmentIdentity
import Testing

/// Tokens of providers on routes that require a provider or a recent sign-in.
@Suite(.everyProvider) struct ProviderSignInTests: SharedScenarioSuite {
    private func token(_ provider: IdentityProvider, _ change: (ProviderToken) -> ProviderToken = { $0 }) throws
        -> String
    {
        try scenario.provider.sign(change(scenario.provider.idToken(of: provider)))
    }

    @Test(arguments: IdentityProvider.tested)
    func `E-06: only tokens of the listed provider pass`(_ id: String) throws {
        let token = try token(.named(id))
        for (route, listed) in [("/apple/x", "apple.com"), ("/google/x", "google.com"), ("/admin/x", "saml.corp")] {
            guard id != listed else {
                #expect(try scenario.send(.bearer(token, route)).status == 200)
                continue
            }
            try scenario.expectRefusal(.bearer(token, route), 403, "auth/permission-denied", "\(id) on \(route)")
        }
    }

    @Test func `E-06: a Firebase user who signed in at the provider passes too`() throws {
        _ = try scenario.passes(.bearer(scenario.token(.alan), "/apple/x"))
        _ = try scenario.passes(.bearer(scenario.token(.linus), "/github/x"))
        try scenario.expectRefusal(.bearer(scenario.token(.ada), "/apple/x"), 403, "auth/permission-denied")
        try scenario.expectRefusal(.bearer(scenario.token(.ada), "/github/x"), 403, "auth/permission-denied")
    }

    /// The claims of a token do not determine its provider.
    @Test func `E-06: no claim makes a token one of another provider`() throws {
        let claims: [(String, JSON)] = [
            ("firebase", ["sign_in_provider": "apple.com"]), ("provider", "apple.com"),
            ("firebase.sign_in_provider", "apple.com"), ("idp", "apple.com"),
        ]
        for (name, value) in claims {
            let token = try token(.google) { $0.setting(name, to: value) }
            try scenario.expectRefusal(.bearer(token, "/apple/x"), 403, "auth/permission-denied", name)
        }
        let opaque = try scenario.opaque { $0.setting("firebase", to: ["sign_in_provider": "github.com"]) }
        #expect(try scenario.passes(.bearer(opaque.text, "/legacy/x"))["X-Auth-Provider"] == "oauth.legacy")
    }

    @Test func `E-17: one subject at several providers is several users`() throws {
        let opaque = try scenario.opaque(.ada)
        let rows: [(String, String, String)] = try [
            (token(.oidc("corp")), "/me/x", "oidc.corp:ada"), (token(.oidc("partner")), "/me/x", "oidc.partner:ada"),
            (token(.apple) { $0.setting("sub", to: "ada") }, "/me/x", "apple.com:ada"),
            (token(.yahoo) { $0.setting("sub", to: "ada") }, "/me/x", "yahoo.com:ada"),
            (opaque.text, "/legacy/x", "oauth.legacy:ada"), (scenario.token(.ada), "/me/x", "ada"),
        ]
        for row in rows { #expect(try scenario.passes(.bearer(row.0, row.1))["X-Auth-Uid"] == row.2) }
        // Disabling one of the users has no effect on the others.
        for row in rows.prefix(5) {
            try scenario.admin("POST", "/v1/users/\(row.2)/disable")
            for other in rows {
                #expect(try scenario.send(.bearer(other.0, other.1)).status == (other.2 == row.2 ? 401 : 200))
            }
            try scenario.admin("POST", "/v1/users/\(row.2)/enable")
        }
    }

    private static let challenge = "Bearer error=\"insufficient_user_authentication\", max_age=\"300\""

    /// The age of the sign-in in seconds. `nil` if the token does not contain the time.
    static let signIns: [(provider: String, age: Int64?, passes: Bool)] = [
        ("apple.com", 0, true), ("apple.com", 200, true), ("apple.com", 400, false), ("apple.com", nil, false),
        ("google.com", nil, false), ("google.com", 200, true), ("google.com", 400, false),
        ("microsoft.com", nil, false), ("microsoft.com", 200, true), ("facebook.com", nil, false),
        ("yahoo.com", nil, false), ("linkedin.com", nil, false), ("oidc.corp", 0, true), ("oidc.corp", 400, false),
        ("oidc.corp", nil, false),
    ]

    @Test func `I-11: only a sign-in time makes a token recent`() throws {
        for row in Self.signIns {
            let token = try token(.named(row.provider)) { token in
                // The `iat` is recent in each row.
                row.age.map { token.signedIn(at: unixNow() - $0) } ?? token.removing("auth_time")
            }
            #expect(try scenario.send(.bearer(token, "/me/x")).status == 200)
            guard !row.passes else {
                #expect(try scenario.send(.bearer(token, "/recent/x")).status == 200, "\(row)")
                continue
            }
            try scenario.expectRefusal(
                .bearer(token, "/recent/x"), 401, "auth/requires-recent-login", challenge: Self.challenge, "\(row)")
        }
    }

    @Test func `I-07 I-11: an opaque token is recent only with a sign-in time of its provider`() throws {
        let provider = scenario.provider
        let gitHub = OpaqueToken.gitHub(for: .linus, now: provider.now)
        try provider.add(gitHub)
        #expect(try scenario.send(.bearer(gitHub.text, "/github/x")).status == 200)
        try scenario.expectRefusal(
            .bearer(gitHub.text, "/recent-github/x"), 401, "auth/requires-recent-login", challenge: Self.challenge)
        // Seconds since 1970, with or without a fraction.
        let times: [(JSON?, Bool)] = [
            (nil, false), (.integer(provider.now - 100), true), (.number(Double(provider.now) - 100.5), true),
            (.integer(provider.now - 400), false), (0, false),
        ]
        for (time, passes) in times {
            let token = try scenario.opaque { token in time.map { token.setting("auth_time", to: $0) } ?? token }
            #expect(try scenario.send(.bearer(token.text, "/legacy/x")).status == 200)
            let response = try scenario.send(.bearer(token.text, "/recent-legacy/x"))
            #expect(response.status == (passes ? 200 : 401), "\(time?.text ?? "none")")
        }
        // A value in milliseconds is a time in the future.
        let token = try scenario.opaque { $0.setting("auth_time", to: .integer(provider.now * 1000)) }
        try scenario.expectRefusal(.bearer(token.text, "/recent-legacy/x"), 401, "auth/invalid-id-token")
    }
}
