import DevelopmentIdentity
import JOSE

/// An invalid token of a provider, the code of its denial, and the reason in the access log.
///
/// The rows represent each kind of check. `ProviderTokenTests` and its neighbours have every value of every claim.
struct BadProviderToken: Sendable {
    let what: String
    let reason: String
    var code = "auth/invalid-id-token"
    /// Makes the token of a provider for Ada.
    let make: @Sendable (DevelopmentProvider, IdentityProvider) throws -> String

    /// A properly signed token with changed claims or header members.
    static func row(
        _ what: String, _ reason: String, code: String = "auth/invalid-id-token",
        _ change: @escaping @Sendable (ProviderToken) -> ProviderToken
    ) -> Self {
        Self(what: what, reason: reason, code: code) { try $0.sign(change($0.idToken(of: $1))) }
    }
}

/// Reasons, as in the access log.
private enum Reason {
    static let audience = "aud is not an accepted audience"
    static let issuer = "iss is not the expected issuer"
    static let party = "azp is not one of the audiences and authorized parties"
    static let type = "typ is not that of an ID token"
    static let algorithm = "the algorithm is not accepted for this provider"
    static let signature = "the signature is invalid"
    static let microsoft =
        "a Microsoft access token or v1.0 token, which does not prove for which client it was issued"
}

// Checks of every provider
extension BadProviderToken {
    static let claims: [Self] = [
        .row("E-01 another client's audience", Reason.audience) { $0.setting("aud", to: "another-client") },
        .row(
            "F-24 an issuer with an additional trailing slash",
            "iss differs from the configured issuer only by a trailing slash"
        ) {
            guard case .string(let issuer)? = $0.claims["iss"] else { return $0 }
            return $0.setting("iss", to: .string(issuer + "/"))
        },
        .row("E-20 another party", Reason.party) { $0.setting("azp", to: "another-client") },
        .row("expired", "expired", code: "auth/id-token-expired") { $0.expiring(at: unixNow() - 1) },
        .row("G-11 no exp", "exp is not an integer") { $0.removing("exp") },
        .row("E-08 issued in the future", "iat is in the future") { $0.issued(at: unixNow() + 60) },
        .row("E-12 a logout token", "a logout or security event token") {
            $0.setting("events", to: ["http://schemas.openid.net/event/backchannel-logout": [:]])
        },
    ]

    static let headers: [Self] = [
        .row("E-12 the type of an access token", Reason.type) { $0.settingHeader("typ", to: "at+jwt") },
        Self(what: "HS256 by the public keys", reason: Reason.algorithm) { development, provider in
            let keys = try RawClient.exchange(
                development.port, .get(DevelopmentProvider.Endpoint.keys(provider).rawValue))
            let token = development.idToken(of: provider).settingHeader("kid", to: "x")
            return try token.signed(secret: keys.body)
        },
        Self(what: "an unknown key with the kid of the provider", reason: Reason.signature) { development, provider in
            let own = try development.signer(of: provider)
            let stranger = try SigningKey.generate(own.algorithm, keyID: own.keyID)
            return try development.idToken(of: provider).signed(by: stranger)
        },
        Self(what: "another provider's key", reason: "no key with this kid") { development, provider in
            let other: IdentityProvider = provider == .yahoo ? .oidc("yahoo-too") : .oidc("partner")
            let key = try development.signer(of: other)
            guard provider == .yahoo else { return try development.idToken(of: provider).signed(by: key) }
            let curve = try SigningKey.generate(.es256, keyID: key.keyID)
            return try development.idToken(of: provider).signed(by: curve)
        },
        Self(what: "a changed payload", reason: Reason.signature) { development, provider in
            let token = try development.sign(development.idToken(of: provider))
            return Tampering.signatureBit.applied(to: token)
        },
    ]

    /// For providers whose `sub` identifies the user: all except Microsoft.
    static let subjects: [Self] = [
        .row("E-09 a subject of 256 bytes", "sub is not 1 to 255 bytes of text") {
            $0.setting("sub", to: .string(String(repeating: "s", count: 256)))
        },
        .row(
            "E-09 a subject that makes a uid of more than 128 bytes",
            "the uid derived from provider and subject exceeds 128 bytes"
        ) { $0.setting("sub", to: .string(String(repeating: "s", count: 127))) },
    ]

    /// Tokens of an unknown issuer. The rules for Firebase check the algorithm first.
    static func issuers(_ reason: String) -> [Self] {
        [.row("E-04 iss is not the expected issuer", reason) { $0.setting("iss", to: "https://id.evil.example") }]
    }

    /// For providers that reject every list of audiences: all except `oidc.NAME`.
    static let lists: [Self] = [
        .row("E-03 a list of only our audience", Reason.audience) {
            $0.setting("aud", to: $0.claims["aud"].map { [$0] } ?? nil)
        }
    ]
}

// Checks of one provider
extension BadProviderToken {
    static let apple: [Self] = [
        Self(what: "another algorithm", reason: Reason.algorithm) { development, provider in
            try development.idToken(of: provider).signed(by: .generate(.es256, keyID: "es"))
        }
    ]

    static let google: [Self] = [
        .row("E-14 no Workspace domain", "hd is not the hosted domain") { $0.removing("hd") }
    ]

    private static let foreign = "11111111-2222-4333-8444-555555555555"

    static let microsoft: [Self] = [
        .row("E-05 a foreign tenant", "tid is not one of the accepted tenants") { $0.inTenant(foreign) },
        .row("E-05 our tenant, another's issuer", Reason.issuer) {
            $0.setting("iss", to: .string(IdentityProvider.microsoftIssuer(tenant: foreign)))
        },
        .row("F-14 a path for tenant", "tid is not a GUID in lower case") {
            $0.inTenant("../\(DevelopmentUser.microsoftTenant)")
        },
        Self(what: "E-05 the key of personal accounts for an organization", reason: "the key is not of this issuer") {
            development, provider in
            let personal = try development.keys(of: provider)[1]
            return try development.idToken(of: provider).signed(by: personal.key)
        },
        .row("E-09 no object id, though there is a sub", "oid is not a GUID in lower case") { $0.removing("oid") },
        Self(what: "E-12 an access token of version 1.0 for us", reason: Reason.microsoft) { development, provider in
            try development.sign(
                .microsoftAccessTokenV1(for: .ada, audience: provider.demoAudience, now: development.now))
        },
    ]

    static let yahoo: [Self] = [
        Self(what: "the provider's own RSA key, which signs no ID tokens", reason: Reason.algorithm) {
            development, provider in
            try development.idToken(of: provider).signed(by: development.keys(of: provider)[0].key)
        }
    ]

    static let openIDConnect: [Self] = [
        .row("E-20 several audiences and no party", "several audiences without azp") {
            $0.setting("aud", to: ["gatehouse", "another-client"])
        },
        .row("E-03 our audience in a list with a non-string", Reason.audience) {
            $0.setting("aud", to: ["gatehouse", 7]).setting("azp", to: "gatehouse")
        },
        Self(what: "E-19 staging, with the same audience", reason: Reason.issuer) { development, _ in
            try development.sign(development.idToken(of: .oidc("staging")))
        },
        .row("E-12 an access token of Keycloak", "not an ID token but an access token or another kind of token") {
            $0.setting("typ", to: "Bearer")
        },
        Self(what: "an algorithm that the discovery document does not list", reason: Reason.algorithm) {
            development, provider in
            try development.idToken(of: provider).signed(by: .generate(.es256, keyID: "es"))
        },
    ]

    /// Every row for a provider.
    static func all(of provider: IdentityProvider) -> [Self] {
        let common = claims + headers
        let rows =
            switch provider {
            case .apple: common + subjects + lists + apple
            case .google: common + subjects + lists + google
            case .microsoft: common + lists + microsoft
            case .yahoo: common + subjects + lists + yahoo
            case .facebook, .linkedIn: common + subjects + lists
            case .oidc: common + subjects + openIDConnect
            }
        return rows + issuers(provider == .yahoo ? "the algorithm is not RS256" : Reason.issuer)
    }
}

extension DevelopmentProvider {
    /// The key that signs a provider's tokens.
    func signer(of provider: IdentityProvider) throws -> SigningKey {
        let keys = try keys(of: provider)
        return provider == .microsoft ? keys[0].key : keys[keys.count - 1].key
    }
}
