import DevelopmentIdentity
import Testing

/// An opaque token counts only where its provider says that it counts, and that it was issued for us.
@Suite(.everyProvider) struct OpaqueAudienceTests {
    let scenario: Scenario

    init() throws { scenario = try Scenario.current }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let kind: OpaqueToken.Kind
        /// What the access log says.
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

    static let introspected: [Row] = [
        Row("another audience", .introspected, "another audience") { $0.setting("aud", to: "another-client") },
        Row("a list of other audiences", .introspected, "another audience") {
            $0.setting("aud", to: ["another-client", "gatehouse2"])
        },
        Row("an audience that only begins like ours", .introspected, "another audience") {
            $0.setting("aud", to: "gatehouse ")
        },
        Row("another audience, issued to us", .introspected, "another audience") {
            $0.setting("aud", to: "another-client").setting("client_id", to: "gatehouse")
        },
        Row("no audience, issued to another client", .introspected, "another audience") {
            $0.removing("aud").setting("client_id", to: "another-client")
        },
        Row("neither audience nor client", .introspected, "another audience") {
            $0.removing("aud").removing("client_id")
        },
        Row("no subject", .introspected, "sub is not 1 to 128 bytes of text") { $0.removing("sub") },
        Row("an empty subject", .introspected, "sub is not 1 to 128 bytes of text") { $0.setting("sub", to: "") },
        Row("a number for subject", .introspected, "sub is not 1 to 128 bytes of text") { $0.setting("sub", to: 7) },
        Row("a subject that makes too long a uid", .introspected, "sub is not 1 to 128 bytes of text") {
            $0.setting("sub", to: .string(String(repeating: "s", count: 120)))
        },
        Row("a token that is bound to a key", .introspected, "the token is bound to a key whose proof is not asked for")
        {
            $0.setting("cnf", to: ["x5t#S256": "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2"])
        },
        Row("a refresh token", .introspected, "a token of another type") {
            $0.setting("token_type", to: "refresh_token")
        },
        Row("not active", .introspected, "the provider says that the token does not count") {
            $0.setting("active", to: false)
        },
    ]

    static let others: [Row] = [
        Row("GitHub, a token of another application", .gitHub, "the provider says that the token does not count") {
            var token = $0
            token.clientID = "Iv1.another"
            return token
        },
        Row("GitHub, an answer about another application", .gitHub, "another audience") {
            $0.setting("app", "client_id", to: "Iv1.another")
        },
        Row("GitHub, a token without a user", .gitHub, "sub is not 1 to 128 bytes of text") {
            $0.setting("user", to: nil)
        },
        Row("GitHub, a token that has ended", .gitHub, "expired") {
            $0.setting("expires_at", to: "2020-01-01T00:00:00Z")
        },
        Row("Facebook, an answer about another application", .facebook, "another audience") {
            $0.setting("data", "app_id", to: "6543210987654321")
        },
        Row("Facebook, an application's own token", .facebook, "a token of another type") {
            $0.setting("data", "type", to: "APP")
        },
        Row("Facebook, a page's token", .facebook, "a token of another type") {
            $0.setting("data", "type", to: "PAGE")
        },
        Row("Facebook, a token that is not valid", .facebook, "the provider says that the token does not count") {
            $0.setting("data", "is_valid", to: false)
        },
        Row("Facebook, a token that has ended", .facebook, "expired") { $0.setting("data", "expires_at", to: 1) },
        Row("Facebook, a token without a user", .facebook, "sub is not 1 to 128 bytes of text") {
            $0.removing("data", "user_id")
        },
    ]

    @Test(arguments: introspected + others)
    func g12ATokenThatIsNotProvenToBeForUsIsRefused(_ row: Row) async throws {
        let token = row.token(now: scenario.provider.now)
        try scenario.provider.add(token)
        let path = "\(row.target)/g12/\(token.text.suffix(12))"
        let code = row.reason == "expired" ? "auth/id-token-expired" : "auth/invalid-id-token"
        try scenario.expectRefusal(.bearer(token.text, path), 401, code)
        let line = try await scenario.logged(path)
        #expect(line["reason"] == .string(row.reason) && line["uid"] == .null, "\(line.text)")
    }

    /// What is told of another application's token is nothing to go by.
    @Test func g12AnotherAppsTokenOpensNothingWhateverFacebookAnswers() throws {
        var token = OpaqueToken.facebook(for: .dennis, now: scenario.provider.now)
        token.clientID = "6543210987654321"
        try scenario.provider.add(token)
        let (response, count) = try scenario.forwarded { try scenario.send(.bearer(token.text, "/facebook/other")) }
        #expect([401, 503].contains(response.status) && count == 0, "\(response.text)")
    }

    /// Good where it is known, nothing anywhere else.
    @Test func g12ATokenOfOneProviderIsNothingToAnother() throws {
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
    func g15ThatSomethingIsThereProvesNothing(text: String) throws {
        for target in ["/legacy/x", "/github/x", "/facebook/x", "/me/x", "/optional/x", "/apple/x"] {
            let (response, count) = try scenario.forwarded { try scenario.send(.bearer(text, target)) }
            #expect(response.status == 401 && count == 0, "\(target): \(response.status) \(response.text)")
        }
        // A cookie that is no JWT is not ours.
        try scenario.expectRefusal(.cookie(text, "/legacy/x"), 401, "auth/missing-credential", challenge: "Bearer")
    }

    @Test func g15AnOpaqueTokenCountsInTheHeaderOnly() throws {
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

    /// Each begins like a JWT and is none that can be read.
    static let malformed = [
        "eyJhbGciOiJSUzI1NiJ9.", "eyJhbGciOiJSUzI1NiJ9.e30", "eyJhbGciOiJSUzI1NiJ9.e30.AA.AA",
        "eyJhbGciOiJSUzI1NiJ9.%%.AA", "eyJhbGciOiJSUzI1NiJ9.e30.AA=", "eyJh.x.y", "ewogICJhbGciOiAiUlMyNTYiCn0.e30.AA",
        "ew.e30.AA", "eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.AA.AA.AA.AA", "e30.e30.",
    ]

    @Test(arguments: malformed)
    func g15AMalformedJWTIsNeverShownToAnybody(text: String) throws {
        // Even where the endpoint would call it good.
        try scenario.provider.add(.introspected(for: .ada, text: text, now: scenario.provider.now))
        let calls = scenario.provider.received.count
        for target in ["/legacy/x", "/github/x", "/facebook/x"] {
            let (response, count) = try scenario.forwarded { try scenario.send(.bearer(text, target)) }
            #expect(response.status == 401 && count == 0, "\(response.text)")
        }
        #expect(scenario.provider.received.count == calls)
    }

    /// A whole JWT that is somebody else's is refused, and not asked about either.
    @Test func g15AJWTOfNobodyIsNeverShownToAnybody() throws {
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
