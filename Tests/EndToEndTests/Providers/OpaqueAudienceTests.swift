import DevelopmentIdentity
import Testing

/// An opaque token is accepted only if its provider reports it as active and issued for the gateway.
@Suite(.everyProvider) struct OpaqueAudienceTests: SharedScenarioSuite {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let kind: OpaqueToken.Kind
        /// The reason in the access log.
        let reason: String
        let change: @Sendable (OpaqueToken) -> OpaqueToken

        init(
            _ what: String, _ kind: OpaqueToken.Kind, _ reason: String,
            _ change: @escaping @Sendable (OpaqueToken) -> OpaqueToken
        ) {
            testDescription = what
            self.kind = kind
            self.reason = reason
            self.change = change
        }

        var target: String {
            switch kind {
            case .introspected: "/legacy"
            case .gitHub: "/github"
            case .facebook: "/facebook"
            }
        }

        func token(now: Int64) -> OpaqueToken {
            let token: OpaqueToken =
                switch kind {
                case .introspected: .introspected(for: .ada, now: now)
                case .gitHub: .gitHub(for: .linus, now: now)
                case .facebook: .facebook(for: .dennis, now: now)
                }
            return change(token)
        }
    }

    private static let subject = "sub is not 1 to 128 bytes of text"
    private static let inactive = "the provider reports the token as inactive"

    /// The rows represent each check. `RFC7662IntrospectionTests` and its neighbours have every value.
    static let rows: [Row] = [
        Row("aud is not an accepted audience, client_id is ours", .introspected, "aud is not an accepted audience") {
            $0.setting("aud", to: "another-client").setting("client_id", to: "gatehouse")
        },
        Row("neither audience nor client", .introspected, "aud is not an accepted audience") {
            $0.removing("aud").removing("client_id")
        },
        Row("no subject", .introspected, subject) { $0.removing("sub") },
        Row("a subject that makes too long a uid", .introspected, subject) {
            $0.setting("sub", to: .string(String(repeating: "s", count: 120)))
        },
        Row("a token that is bound to a key", .introspected, "the token is sender-constrained, which is not supported")
        {
            $0.setting("cnf", to: ["x5t#S256": "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2"])
        },
        Row("a refresh token", .introspected, "a token of another type") {
            $0.setting("token_type", to: "refresh_token")
        },
        Row("not active", .introspected, inactive) { $0.setting("active", to: false) },
        Row("GitHub, a token of another application", .gitHub, inactive) {
            var token = $0
            token.clientID = "Iv1.another"
            return token
        },
        Row("GitHub, the response names another application", .gitHub, "aud is not an accepted audience") {
            $0.setting("app", "client_id", to: "Iv1.another")
        },
        Row("GitHub, an expired token", .gitHub, "expired") {
            $0.setting("expires_at", to: "2020-01-01T00:00:00Z")
        },
        Row("Facebook, the response names another application", .facebook, "aud is not an accepted audience") {
            $0.setting("data", "app_id", to: "6543210987654321")
        },
        Row("Facebook, the token of a page", .facebook, "a token of another type") {
            $0.setting("data", "type", to: "PAGE")
        },
        Row("Facebook, an invalid token", .facebook, inactive) {
            $0.setting("data", "is_valid", to: false)
        },
    ]

    @Test(arguments: rows)
    func `G-12: a token that is not proven to be for the gateway is denied`(_ row: Row) async throws {
        let token = row.token(now: scenario.provider.now)
        try scenario.provider.add(token)
        let path = "\(row.target)/g12/\(token.text.suffix(12))"
        let code = row.reason == "expired" ? "auth/id-token-expired" : "auth/invalid-id-token"
        try scenario.expectRefusal(.bearer(token.text, path), 401, code)
        let line = try await scenario.logged(path)
        #expect(line["reason"] == .string(row.reason) && line["uid"] == .null, "\(line.text)")
    }

    @Test func `G-12: a token of another application is denied for every response of Facebook`() throws {
        var token = OpaqueToken.facebook(for: .dennis, now: scenario.provider.now)
        token.clientID = "6543210987654321"
        try scenario.provider.add(token)
        let (response, count) = try scenario.forwarded { try scenario.send(.bearer(token.text, "/facebook/other")) }
        #expect([401, 503].contains(response.status) && count == 0, "\(response.text)")
    }

    /// Each opaque token is accepted by its own provider and by no other.
    @Test func `G-12: a token of one provider is not accepted for another`() throws {
        let now = scenario.provider.now
        let tokens: [OpaqueToken] = [
            .introspected(for: .ada, now: now), .gitHub(for: .linus, now: now), .facebook(for: .dennis, now: now),
        ]
        for token in tokens { try scenario.provider.add(token) }
        for (place, token) in tokens.enumerated() {
            for (route, target) in ["/legacy/x", "/github/x", "/facebook/x"].enumerated() {
                let response = try scenario.send(.bearer(token.text, target))
                #expect(response.status == (place == route ? 200 : 401), "\(token.kind) at \(target)")
            }
        }
    }

    static let presences = [
        "x", "true", "null", "undefined", "0123456789abcdef", "a.b", "a.b.c", "..", "gho_", "EAA", "Bearer", "=",
        "====",
        "ey", "eyJ", "eyJhbGciOiJub25lIn0", String(repeating: "a", count: 4096), String(repeating: "a", count: 16_000),
    ]

    @Test(arguments: presences)
    func `G-15: the presence of a credential proves nothing`(text: String) throws {
        for target in ["/legacy/x", "/github/x", "/facebook/x", "/me/x", "/optional/x", "/apple/x"] {
            let (response, count) = try scenario.forwarded { try scenario.send(.bearer(text, target)) }
            #expect(response.status == 401 && count == 0, "\(target): \(response.status) \(response.text)")
        }
        // A cookie that is not a JWT is not a session cookie of Firebase.
        try scenario.expectRefusal(.cookie(text, "/legacy/x"), 401, "auth/missing-credential", challenge: "Bearer")
    }

    @Test func `G-15: an opaque token is accepted only in the header`() throws {
        let token = try scenario.opaque()
        try scenario.expectRefusal(
            .cookie(token.text, "/legacy/x"), 401, "auth/missing-credential", challenge: "Bearer")
        try scenario.expectRefusal(
            .get("/legacy/x", "X-Access-Token: \(token.text)"), 401, "auth/missing-credential", challenge: "Bearer")
        try scenario.expectRefusal(
            .get("/legacy/x?access_token=\(token.text)"), 401, "auth/missing-credential", challenge: "Bearer")
        try scenario.expectRefusal(
            .get("/legacy/x", "Authorization: Token \(token.text)"), 401, "auth/argument-error")
        #expect(scenario.provider.calls(about: token) == 0)
        _ = try scenario.passes(.bearer(token.text, "/legacy/x"))
    }

    /// Tokens that begin like a JWT and cannot be parsed.
    static let malformed = [
        "eyJhbGciOiJSUzI1NiJ9.", "eyJhbGciOiJSUzI1NiJ9.e30", "eyJhbGciOiJSUzI1NiJ9.e30.AA.AA",
        "eyJhbGciOiJSUzI1NiJ9.%%.AA", "eyJhbGciOiJSUzI1NiJ9.e30.AA=", "eyJh.x.y", "ewogICJhbGciOiAiUlMyNTYiCn0.e30.AA",
        "ew.e30.AA", "eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.AA.AA.AA.AA", "e30.e30.",
    ]

    @Test(arguments: malformed)
    func `G-15: a malformed JWT is never sent to a provider`(text: String) throws {
        // The endpoint would report the token as active.
        try scenario.provider.add(.introspected(for: .ada, text: text, now: scenario.provider.now))
        let calls = scenario.provider.received.count
        for target in ["/legacy/x", "/github/x", "/facebook/x"] {
            let (response, count) = try scenario.forwarded { try scenario.send(.bearer(text, target)) }
            #expect(response.status == 401 && count == 0, "\(response.text)")
        }
        #expect(scenario.provider.received.count == calls)
    }

    /// A valid JWT of another issuer is denied without a lookup.
    @Test func `G-15: a JWT of an unknown issuer is never sent to a provider`() throws {
        let provider = scenario.provider
        let tokens = try [
            provider.sign(provider.idToken(of: .oidc("staging"))), Tampering.payload.applied(to: scenario.token()),
            provider.sign(.accessToken(of: .oidc("staging"), for: .ada, now: provider.now)),
        ]
        for text in tokens {
            try provider.add(.introspected(for: .ada, text: text, now: provider.now))
            try scenario.expectRefusal(.bearer(text, "/legacy/x"), 401, "auth/invalid-id-token")
            #expect(provider.calls(about: text, .introspected) == 0)
        }
    }
}
