import DevelopmentIdentity
import Testing

/// A provider's token that must pass, and what the upstream must learn from it.
struct GoodProviderToken: Sendable, CustomTestStringConvertible {
    /// A signed, or known, token and what it says.
    struct Made {
        var text: String
        var claims: JSONObject
    }

    let what: String
    var target = "/me/good"
    let uid: String
    /// `firebase.sign_in_provider`.
    let provider: String
    /// `auth.provider`, where it is another.
    var shortName: String?
    /// What Firebase has in `identities`.
    let identity: String
    var email: String?
    var isVerified = false
    /// Whether the provider tells when its user signed in.
    var tellsTime = false
    /// The claims that are told in another way than the provider writes them.
    var rewritten: JSONObject = [:]
    let make: @Sendable (DevelopmentProvider) throws -> Made
    var testDescription: String { what }

    /// What the upstream must be told as `auth`.
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

    /// Makes an ID token.
    private static func idToken(
        _ provider: IdentityProvider, _ user: DevelopmentUser, _ change: @escaping Change = { $0 }
    ) -> @Sendable (DevelopmentProvider) throws -> Made {
        { development in
            let token = change(development.idToken(of: provider, for: user))
            return Made(text: try development.sign(token), claims: token.claims)
        }
    }

    static let apple: [Self] = [
        GoodProviderToken(
            what: "Apple, an address of the relay", uid: "apple.com:000123.0123456789abcdef0123456789abcdef.0123",
            provider: "apple.com", identity: "000123.0123456789abcdef0123456789abcdef.0123",
            email: "x7qk2@privaterelay.appleid.com", isVerified: true, tellsTime: true,
            rewritten: ["email_verified": true, "is_private_email": true], make: idToken(.apple, .alan)),
        GoodProviderToken(
            what: "Apple, which does not say that the address is a relay's",
            uid: "apple.com:000123.0123456789abcdef0123456789abcdef.0123", provider: "apple.com",
            identity: "000123.0123456789abcdef0123456789abcdef.0123", email: "x7qk2@privaterelay.appleid.com",
            isVerified: true, tellsTime: true, rewritten: ["email_verified": true, "is_private_email": true],
            make: idToken(.apple, .alan) { $0.removing("is_private_email") }),
        GoodProviderToken(
            what: "E-14 Apple, a domain that only ends like the relay's",
            uid: "apple.com:000123.0123456789abcdef0123456789abcdef.0123", provider: "apple.com",
            identity: "000123.0123456789abcdef0123456789abcdef.0123", email: "a@evilprivaterelay.appleid.com",
            isVerified: true, tellsTime: true, rewritten: ["email_verified": true, "is_private_email": false],
            make: idToken(.apple, .alan) {
                $0.removing("is_private_email").setting("email", to: "a@evilprivaterelay.appleid.com")
            }),
        GoodProviderToken(
            what: "E-13 Apple, false in quotes", uid: "apple.com:1", provider: "apple.com", identity: "1",
            email: "ada@example.com", tellsTime: true,
            rewritten: ["email_verified": false, "is_private_email": false],
            make: idToken(.apple, .ada) { $0.setting("email_verified", to: "false").setting("sub", to: "1") }),
        GoodProviderToken(
            what: "Apple, nothing but the subject", uid: "apple.com:1", provider: "apple.com", identity: "1",
            make: idToken(.apple, .margaret) { $0.setting("sub", to: "1").removing("auth_time") }),
    ]

    static let google: [Self] = [
        GoodProviderToken(
            what: "Google", uid: "google.com:104242424242424242424", provider: "google.com", shortName: "google",
            identity: "104242424242424242424", email: "ada@example.com", isVerified: true, make: idToken(.google, .ada)
        ),
        GoodProviderToken(
            what: "Google, the issuer without its scheme", uid: "google.com:104242424242424242424",
            provider: "google.com", shortName: "google", identity: "104242424242424242424", email: "ada@example.com",
            isVerified: true, make: idToken(.google, .ada) { $0.setting("iss", to: "accounts.google.com") }),
        GoodProviderToken(
            what: "E-13 Google, true in quotes", uid: "google.com:104242424242424242424", provider: "google.com",
            shortName: "google", identity: "104242424242424242424", email: "ada@example.com",
            make: idToken(.google, .ada) { $0.setting("email_verified", to: "true") }),
        GoodProviderToken(
            what: "Google, a claim called firebase and a user_id of its own", uid: "google.com:104242424242424242424",
            provider: "google.com", shortName: "google", identity: "104242424242424242424", email: "ada@example.com",
            isVerified: true,
            make: idToken(.google, .ada) {
                $0.setting("firebase", to: ["sign_in_provider": "saml.corp"]).setting("user_id", to: "root")
            }),
    ]

    private static let tenant = DevelopmentUser.microsoftTenant
    private static let personal = DevelopmentUser.personalMicrosoftTenant

    static let microsoft: [Self] = [
        GoodProviderToken(
            what: "Microsoft, an organization's user",
            uid: "microsoft.com:\(tenant):8eaef023-2b34-4da1-9baa-8bc8c9d6a490", provider: "microsoft.com",
            identity: "8eaef023-2b34-4da1-9baa-8bc8c9d6a490", email: "barbara@contoso.example",
            make: idToken(.microsoft, .barbara)),
        GoodProviderToken(
            what: "Microsoft, a personal account",
            uid: "microsoft.com:\(personal):00000000-0000-0000-4b2e-abcdef012345", provider: "microsoft.com",
            identity: "4b2eabcdef012345", email: "hedy@outlook.example", make: idToken(.microsoft, .hedy)),
    ]

    static let others: [Self] = [
        GoodProviderToken(
            what: "Facebook, Limited Login", uid: "facebook.com:1234567890", provider: "facebook.com",
            shortName: "facebook", identity: "1234567890", email: "dennis@example.com",
            make: idToken(.facebook, .dennis)),
        GoodProviderToken(
            what: "Yahoo", uid: "yahoo.com:Y4", provider: "yahoo.com", identity: "Y4", email: "ada@example.com",
            isVerified: true, make: idToken(.yahoo, .ada) { $0.setting("sub", to: "Y4") }),
        GoodProviderToken(
            what: "E-13 LinkedIn, true in quotes", uid: "linkedin.com:L1", provider: "linkedin.com", identity: "L1",
            email: "ada@example.com", isVerified: true, rewritten: ["email_verified": true],
            make: idToken(.linkedIn, .ada) { $0.setting("sub", to: "L1") }),
        GoodProviderToken(
            what: "E-13 LinkedIn, false in quotes", uid: "linkedin.com:L1", provider: "linkedin.com", identity: "L1",
            email: "grace@example.com", rewritten: ["email_verified": false],
            make: idToken(.linkedIn, .grace) { $0.setting("sub", to: "L1") }),
        GoodProviderToken(
            what: "OpenID Connect", uid: "oidc.corp:ada", provider: "oidc.corp", identity: "ada",
            email: "ada@example.com", isVerified: true, tellsTime: true, make: idToken(.oidc("corp"), .ada)),
        GoodProviderToken(
            what: "E-20 OpenID Connect, several audiences and azp", uid: "oidc.corp:ada", provider: "oidc.corp",
            identity: "ada", email: "ada@example.com", isVerified: true, tellsTime: true,
            make: idToken(.oidc("corp"), .ada) {
                $0.setting("aud", to: ["another-client", "gatehouse"]).setting("azp", to: "gatehouse")
            }),
        GoodProviderToken(
            what: "E-09 OpenID Connect, a subject that is not ASCII", uid: "oidc.corp:käthe/%25", provider: "oidc.corp",
            identity: "käthe/%25", tellsTime: true,
            make: idToken(.oidc("corp"), .margaret) { $0.setting("sub", to: "käthe/%25") }),
    ]

    /// Makes an opaque token that its endpoint knows.
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
            what: "introspection", target: "/legacy/good", uid: "oauth.legacy:ada", provider: "oauth.legacy",
            identity: "ada",
            make: opaque {
                .introspected(for: .ada, now: $0)
            } claims: { token in
                var claims = token.response
                claims["active"] = nil
                return claims
            }),
        GoodProviderToken(
            what: "introspection, with what it may tell besides", target: "/legacy/good", uid: "oauth.legacy:grace",
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
