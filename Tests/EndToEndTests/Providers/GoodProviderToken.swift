import DevelopmentIdentity
import Testing

/// A valid token of a provider, and the identity that the upstream receives.
struct GoodProviderToken: Sendable, CustomTestStringConvertible {
    /// The text and the claims of a token.
    struct Made {
        var text: String
        var claims: JSONObject
    }

    let what: String
    var target = "/me/good"
    let uid: String
    /// `firebase.sign_in_provider`.
    let provider: String
    /// `auth.provider`, if it differs.
    var shortName: String?
    /// The entry of Firebase's `identities`.
    let identity: String
    var email: String?
    var isVerified = false
    /// Whether the token contains the time of the sign-in.
    var tellsTime = false
    /// Claims whose values differ from the token.
    var rewritten: JSONObject = [:]
    let make: @Sendable (DevelopmentProvider) throws -> Made
    var testDescription: String { what }

    /// The expected value of `auth`.
    func variable(of claims: JSONObject) -> JSON {
        var token = claims
        token.merge(rewritten)
        var identities: JSONObject = [provider: [.string(identity)]]
        if let email { identities["email"] = [.string(email)] }
        token.merge([
            "sub": .string(uid), "user_id": .string(uid),
            "firebase": ["sign_in_provider": .string(provider), "identities": .object(identities)],
        ])
        return ["uid": .string(uid), "provider": .string(shortName ?? provider), "token": .object(token)]
    }
}

extension GoodProviderToken {
    typealias Change = @Sendable (ProviderToken) -> ProviderToken

    /// Creates the row of an ID token. By default, the uid consists of the provider and the identity.
    private static func idToken(
        _ what: String, _ provider: IdentityProvider, _ user: DevelopmentUser, _ identity: String, uid: String? = nil,
        shortName: String? = nil, email: String? = nil, isVerified: Bool = false, tellsTime: Bool = false,
        rewritten: JSONObject = [:], _ change: @escaping Change = { $0 }
    ) -> Self {
        Self(
            what: what, uid: uid ?? "\(provider.id):\(identity)", provider: provider.id, shortName: shortName,
            identity: identity, email: email, isVerified: isVerified, tellsTime: tellsTime, rewritten: rewritten
        ) { development in
            let token = change(development.idToken(of: provider, for: user))
            return Made(text: try development.sign(token), claims: token.claims)
        }
    }

    private static let relayed = "000123.0123456789abcdef0123456789abcdef.0123"

    static let apple: [Self] = [
        idToken(
            "Apple, an address of the relay", .apple, .alan, relayed, email: "x7qk2@privaterelay.appleid.com",
            isVerified: true, tellsTime: true, rewritten: ["email_verified": true, "is_private_email": true]),
        idToken(
            "E-14 Apple, a domain that only ends like the domain of the relay", .apple, .alan, relayed,
            email: "a@evilprivaterelay.appleid.com", isVerified: true, tellsTime: true,
            rewritten: ["email_verified": true, "is_private_email": false]
        ) { $0.removing("is_private_email").setting("email", to: "a@evilprivaterelay.appleid.com") },
        idToken(
            "E-13 Apple, false in quotes", .apple, .ada, "1", email: "ada@example.com", tellsTime: true,
            rewritten: ["email_verified": false, "is_private_email": false]
        ) { $0.setting("email_verified", to: "false").setting("sub", to: "1") },
        idToken("Apple, only a subject", .apple, .margaret, "1") {
            $0.setting("sub", to: "1").removing("auth_time")
        },
    ]

    private static let googleID = "104242424242424242424"

    static let google: [Self] = [
        idToken(
            "Google", .google, .ada, googleID, shortName: "google", email: "ada@example.com", isVerified: true),
        idToken("E-13 Google, true in quotes", .google, .ada, googleID, shortName: "google", email: "ada@example.com") {
            $0.setting("email_verified", to: "true")
        },
        idToken(
            "Google, a claim called firebase and another user_id", .google, .ada, googleID, shortName: "google",
            email: "ada@example.com", isVerified: true
        ) { $0.setting("firebase", to: ["sign_in_provider": "saml.corp"]).setting("user_id", to: "root") },
    ]

    private static let object = "8eaef023-2b34-4da1-9baa-8bc8c9d6a490"
    private static let personal =
        "microsoft.com:\(DevelopmentUser.personalMicrosoftTenant):00000000-0000-0000-4b2e-abcdef012345"

    static let microsoft: [Self] = [
        idToken(
            "Microsoft, an organization's user", .microsoft, .barbara, object,
            uid: "microsoft.com:\(DevelopmentUser.microsoftTenant):\(object)", email: "barbara@contoso.example"),
        idToken(
            "Microsoft, a personal account", .microsoft, .hedy, "4b2eabcdef012345", uid: personal,
            email: "hedy@outlook.example"),
    ]

    static let others: [Self] = [
        idToken(
            "Facebook, Limited Login", .facebook, .dennis, "1234567890", shortName: "facebook",
            email: "dennis@example.com"),
        idToken("Yahoo", .yahoo, .ada, "Y4", email: "ada@example.com", isVerified: true) {
            $0.setting("sub", to: "Y4")
        },
        idToken(
            "E-13 LinkedIn, true in quotes", .linkedIn, .ada, "L1", email: "ada@example.com", isVerified: true,
            rewritten: ["email_verified": true]
        ) { $0.setting("sub", to: "L1") },
        idToken(
            "E-20 OpenID Connect, several audiences and azp", .oidc("corp"), .ada, "ada", email: "ada@example.com",
            isVerified: true, tellsTime: true
        ) { $0.setting("aud", to: ["another-client", "gatehouse"]).setting("azp", to: "gatehouse") },
        idToken(
            "E-09 OpenID Connect, a subject that is not ASCII", .oidc("corp"), .margaret, "käthe/%25", tellsTime: true
        ) { $0.setting("sub", to: "käthe/%25") },
    ]

    /// Creates an opaque token that its endpoint accepts.
    private static func opaque(
        _ make: @escaping @Sendable (Int64) -> OpaqueToken, claims: @escaping @Sendable (OpaqueToken) -> JSONObject
    ) -> @Sendable (DevelopmentProvider) throws -> Made {
        { development in
            let token = make(development.now)
            try development.add(token)
            return Made(text: token.text, claims: claims(token))
        }
    }

    static let opaque: [Self] = [
        GoodProviderToken(
            what: "GitHub", target: "/github/good", uid: "github.com:583231", provider: "github.com",
            shortName: "github", identity: "583231",
            make: opaque { _ in
                .gitHub(for: .linus, now: 1_700_000_000)
            } claims: { _ in
                [
                    "client_id": "Iv1.gatehouse", "scope": "user:email", "iat": 1_700_000_000, "login": "linus",
                    "picture": "https://example.com/linus.png",
                ]
            }),
        GoodProviderToken(
            what: "Facebook, classic", target: "/facebook/good", uid: "facebook.com:1234567890",
            provider: "facebook.com", shortName: "facebook", identity: "1234567890",
            make: opaque {
                .facebook(for: .dennis, now: $0)
            } claims: { token in
                var claims: JSONObject = ["app_id": "1234567890123456", "scope": "email public_profile"]
                claims["iat"] = token.response["data"]?["issued_at"]
                claims["exp"] = token.response["data"]?["expires_at"]
                return claims
            }),
        GoodProviderToken(
            what: "introspection, with optional claims", target: "/legacy/good", uid: "oauth.legacy:grace",
            provider: "oauth.legacy", identity: "grace", email: "grace@example.com", isVerified: true, tellsTime: true,
            make: opaque {
                .introspected(for: .grace, now: $0).setting("auth_time", to: .integer($0 - 50))
                    .setting("email", to: "grace@example.com").setting("email_verified", to: true)
                    .setting("role", to: "admin")
            } claims: { token in
                var claims = token.response
                claims["active"] = nil
                return claims
            }),
    ]
}
