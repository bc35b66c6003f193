import DevelopmentIdentity
import JOSE

/// A provider's token that must not pass, what its bearer is told, and what the access log says of it.
struct BadProviderToken: Sendable {
    let what: String
    let reason: String
    var code = "auth/invalid-id-token"
    /// Makes the token of a provider for Ada.
    let make: @Sendable (DevelopmentProvider, IdentityProvider) throws -> String

    /// A token that is signed properly and says something else than it should.
    static func saying(
        _ what: String, _ reason: String, code: String = "auth/invalid-id-token",
        _ change: @escaping @Sendable (ProviderToken) -> ProviderToken
    ) -> Self {
        Self(what: what, reason: reason, code: code) { try $0.sign(change($0.idToken(of: $1))) }
    }
}

/// Why, as the access log says it.
private enum Reason {
    static let audience = "another audience"
    static let issuer = "another issuer"
    static let issuedAt = "iat is not an integer, or before 1970"
    static let notBefore = "nbf is not an integer, before 1970, or in the future"
    static let expiry = "exp is not an integer"
    static let party = "azp is none of the audiences and authorized parties"
    static let parties = "several audiences and no azp"
    static let type = "typ is of another kind of token"
    static let algorithm = "the algorithm is none that the provider signs with"
    static let noKey = "no key with this kid"
    static let signature = "the signature does not fit"
    static let subject = "sub is not 1 to 255 bytes of text"
    static let object = "oid is not a GUID in lower case"
    static let tenantID = "tid is not a GUID in lower case"
    static let tenant = "tid is none of the tenants"
    static let version = "ver is not 2.0"
    static let keyIssuer = "the key is not of this issuer"
    static let domain = "hd is not the hosted domain"
    static let access = "an access token, or another one that is no ID token"
    static let microsoft =
        "a Microsoft access or v1.0 token: they are never taken, since nothing proves whom they were issued for"
}

// What is wrong with any provider's token
extension BadProviderToken {
    static let claims: [Self] = [
        .saying("E-01 another client's audience", Reason.audience) { $0.setting("aud", to: "another-client") },
        .saying("E-01 no audience", Reason.audience) { $0.removing("aud") },
        .saying("E-01 an empty audience", Reason.audience) { $0.setting("aud", to: "") },
        .saying("E-01 a list of nobody", Reason.audience) { $0.setting("aud", to: []) },
        .saying("E-01 a list of others", Reason.audience) { $0.setting("aud", to: ["another-client"]) },
        .saying("E-01 a number for audience", Reason.audience) { $0.setting("aud", to: 7) },
        .saying("F-24 an issuer with a slash more", "the issuer is the configured one but for a slash at its end") {
            $0.changingIssuer { $0 + "/" }
        },
        .saying("E-20 another party", Reason.party) { $0.setting("azp", to: "another-client") },
        .saying("E-20 a list for azp", Reason.party) { $0.setting("azp", to: $0.claims["aud"].map { [$0] } ?? nil) },
        .saying("expired", "expired", code: "auth/id-token-expired") { $0.expiring(at: unixNow() - 1) },
        .saying("exp as text", Reason.expiry) { $0.setting("exp", to: "9999999999") },
        .saying("exp with a fraction", Reason.expiry) { $0.setting("exp", to: 9_999_999_999.5) },
        .saying("G-11 no exp", Reason.expiry) { $0.removing("exp") },
        .saying("E-08 issued in the future", "iat is in the future") { $0.issued(at: unixNow() + 60) },
        .saying("E-08 iat as text", Reason.issuedAt) { $0.setting("iat", to: "1700000000") },
        .saying("E-08 no iat", Reason.issuedAt) { $0.removing("iat") },
        .saying("E-08 not before tomorrow", Reason.notBefore) { $0.setting("nbf", to: .integer(unixNow() + 86_400)) },
        .saying("E-08 nbf as text", Reason.notBefore) { $0.setting("nbf", to: "0") },
        .saying("signed in in the future", "auth_time is in the future, or before 1970") {
            $0.signedIn(at: unixNow() + 60)
        },
        .saying("auth_time as text", "auth_time is not an integer") { $0.setting("auth_time", to: "1700000000") },
        .saying("E-12 a logout token", "a logout or security event token") {
            $0.setting("events", to: ["http://schemas.openid.net/event/backchannel-logout": [:]])
        },
    ]

    static let headers: [Self] = [
        .saying("E-12 the type of an access token", Reason.type) { $0.settingHeader("typ", to: "at+jwt") },
        .saying("E-12 the type of a logout token", Reason.type) { $0.settingHeader("typ", to: "logout+jwt") },
        .saying("E-12 the type of a security event", Reason.type) { $0.settingHeader("typ", to: "secevent+jwt") },
        Self(what: "E-12 an access token of RFC 9068", reason: Reason.type) { development, provider in
            var issuer: String?
            if case .oidc = provider { issuer = development.issuer(of: provider) }
            return try development.sign(
                .accessToken(of: provider, for: .ada, issuer: issuer, now: development.now))
        },
        .saying("an unknown key", Reason.noKey) { $0.settingHeader("kid", to: "0123456789abcdef") },
        .saying("no kid", "no kid") { $0.removingHeader("kid") },
        Self(what: "alg none", reason: Reason.algorithm) { development, provider in
            development.idToken(of: provider).settingHeader("kid", to: "x").unsigned()
        },
        Self(what: "HS256 by the public keys", reason: Reason.algorithm) { development, provider in
            let keys = try RawClient.exchange(
                development.port, .get(DevelopmentProvider.Endpoint.keys(provider).rawValue))
            let token = development.idToken(of: provider).settingHeader("kid", to: "x")
            return try token.signed(secret: keys.body)
        },
        Self(what: "a stranger's key under the provider's kid", reason: Reason.signature) { development, provider in
            let own = try development.signer(of: provider)
            let stranger = try SigningKey.generate(own.algorithm, keyID: own.keyID)
            return try development.idToken(of: provider).signed(by: stranger)
        },
        Self(what: "another provider's key", reason: Reason.noKey) { development, provider in
            let other: IdentityProvider = provider == .yahoo ? .oidc("yahoo-too") : .oidc("partner")
            let key = try development.signer(of: other)
            guard provider == .yahoo else { return try development.idToken(of: provider).signed(by: key) }
            let curve = try SigningKey.generate(.es256, keyID: key.keyID)
            return try development.idToken(of: provider).signed(by: curve)
        },
        Self(what: "a payload that was changed", reason: Reason.signature) { development, provider in
            let token = try development.sign(development.idToken(of: provider))
            return Tampering.signatureBit.applied(to: token)
        },
    ]

    /// Where `sub` names the user: everywhere but at Microsoft.
    static let subjects: [Self] = [
        .saying("E-09 no subject", Reason.subject) { $0.removing("sub") },
        .saying("E-09 an empty subject", Reason.subject) { $0.setting("sub", to: "") },
        .saying("E-09 a number for subject", Reason.subject) { $0.setting("sub", to: 7) },
        .saying("E-09 a list for subject", Reason.subject) { $0.setting("sub", to: ["ada"]) },
        .saying("E-09 a subject of 256 bytes", Reason.subject) {
            $0.setting("sub", to: .string(String(repeating: "s", count: 256)))
        },
        .saying("E-09 control characters for subject", Reason.subject) { $0.setting("sub", to: "a\u{0}b") },
        .saying(
            "E-09 a subject that makes a uid of more than 128 bytes",
            "the uid of the provider and its subject is longer than 128 bytes"
        ) { $0.setting("sub", to: .string(String(repeating: "s", count: 127))) },
    ]

    /// Nobody's tokens, which Firebase's rules refuse: they look at the algorithm first.
    static func issuers(_ reason: String) -> [Self] {
        [
            .saying("E-04 another issuer", reason) { $0.setting("iss", to: "https://id.evil.example") },
            .saying("E-04 no issuer", reason) { $0.removing("iss") },
            .saying("E-04 a list of issuers", reason) {
                $0.setting("iss", to: $0.claims["iss"].map { [$0] } ?? nil)
            },
        ]
    }

    /// Where one audience is all there may be: everywhere but at `oidc.NAME`.
    static let lists: [Self] = [
        .saying("E-03 a list of our audience alone", Reason.audience) {
            $0.setting("aud", to: $0.claims["aud"].map { [$0] } ?? nil)
        }
    ]
}

// What is wrong with one provider's
extension BadProviderToken {
    static let apple: [Self] = [
        Self(what: "another algorithm", reason: Reason.algorithm) { development, provider in
            try development.idToken(of: provider).signed(by: .generate(.es256, keyID: "es"))
        },
        .saying("E-04 the issuer in capitals", Reason.issuer) { $0.setting("iss", to: "https://AppleID.apple.com") },
    ]

    static let google: [Self] = [
        .saying("another Workspace", Reason.domain) { $0.setting("hd", to: "evil.example") },
        .saying("E-14 no Workspace, whatever the address", Reason.domain) { $0.removing("hd") },
        .saying("E-14 a Workspace below ours", Reason.domain) { $0.setting("hd", to: "evil.example.com") },
        .saying("a list of Workspaces", Reason.domain) { $0.setting("hd", to: ["example.com"]) },
        .saying("E-04 the issuer without TLS", Reason.issuer) { $0.setting("iss", to: "http://accounts.google.com") },
    ]

    private static let foreign = "11111111-2222-4333-8444-555555555555"

    static let microsoft: [Self] = [
        .saying("E-05 a foreign tenant", Reason.tenant) { $0.inTenant(foreign) },
        .saying("E-05 our tenant, another's issuer", Reason.issuer) {
            $0.setting("iss", to: .string(IdentityProvider.microsoftIssuer(tenant: foreign)))
        },
        .saying("E-05 a foreign tenant, our issuer", Reason.issuer) { $0.setting("tid", to: .string(foreign)) },
        .saying("E-05 no tenant", Reason.tenantID) { $0.removing("tid") },
        .saying("E-05 a word for tenant", Reason.tenantID) { $0.inTenant("common") },
        .saying("F-14 a path for tenant", Reason.tenantID) { $0.inTenant("../\(DevelopmentUser.microsoftTenant)") },
        .saying("E-05 the tenant in capitals", Reason.tenantID) {
            $0.inTenant(DevelopmentUser.microsoftTenant.uppercased())
        },
        .saying("E-05 the template itself", Reason.tenantID) { $0.inTenant("{tenantid}") },
        Self(what: "E-05 the key of personal accounts for an organization", reason: Reason.keyIssuer) {
            development, provider in
            let personal = try development.keys(of: provider)[1]
            return try development.idToken(of: provider).signed(by: personal.key)
        },
        .saying("version 1.0", Reason.version) { $0.setting("ver", to: "1.0") },
        .saying("no version", Reason.version) { $0.removing("ver") },
        .saying("E-09 no object id, though there is a sub", Reason.object) { $0.removing("oid") },
        .saying("E-09 an object id that is no GUID", Reason.object) { $0.setting("oid", to: "ada") },
        .saying("E-09 an object id in capitals", Reason.object) {
            $0.setting("oid", to: "8EAEF023-2B34-4DA1-9BAA-8BC8C9D6A490")
        },
        Self(what: "E-12 an access token of version 1.0", reason: Reason.microsoft) { development, _ in
            try development.sign(.microsoftAccessTokenV1(for: .ada, now: development.now))
        },
        Self(what: "E-12 an access token of version 1.0 for us", reason: Reason.microsoft) { development, provider in
            try development.sign(
                .microsoftAccessTokenV1(for: .ada, audience: provider.demoAudience, now: development.now))
        },
        Self(what: "E-12 an access token of version 2.0 for us", reason: Reason.microsoft) { development, _ in
            try development.sign(.microsoftAccessTokenV2(for: .ada, now: development.now))
        },
        .saying("E-12 an ID token with the scope of an access token", Reason.microsoft) {
            $0.setting("scp", to: "User.Read")
        },
        .saying("E-12 an ID token of version 1.0", Reason.microsoft) {
            $0.setting("iss", to: .string("https://sts.windows.net/\(DevelopmentUser.microsoftTenant)/"))
                .setting("ver", to: "1.0")
        },
    ]

    static let yahoo: [Self] = [
        Self(what: "the provider's own RSA key, which signs no ID tokens", reason: Reason.algorithm) {
            development, provider in
            try development.idToken(of: provider).signed(by: development.keys(of: provider)[0].key)
        }
    ]

    static let openIDConnect: [Self] = [
        .saying("E-20 several audiences and nobody who asked", Reason.parties) {
            $0.setting("aud", to: ["gatehouse", "another-client"])
        },
        .saying("E-20 several audiences, and another asked", Reason.party) {
            $0.setting("aud", to: ["gatehouse", "another-client"]).setting("azp", to: "another-client")
        },
        .saying("E-03 an audience that is no text among ours", Reason.audience) {
            $0.setting("aud", to: ["gatehouse", 7]).setting("azp", to: "gatehouse")
        },
        Self(what: "E-19 staging, with the same audience", reason: Reason.issuer) { development, _ in
            try development.sign(development.idToken(of: .oidc("staging")))
        },
        Self(what: "E-12 an access token that calls itself a JWT", reason: Reason.access) { development, provider in
            let token = ProviderToken.accessToken(
                of: provider, for: .ada, issuer: development.issuer(of: provider), now: development.now)
            return try development.sign(token.settingHeader("typ", to: "JWT"))
        },
        .saying("E-12 an access token of Keycloak's", Reason.access) { $0.setting("typ", to: "Bearer") },
        .saying("E-12 an access token of Cognito's", Reason.access) { $0.setting("token_use", to: "access") },
        Self(what: "an algorithm that the discovery document does not list", reason: Reason.algorithm) {
            development, provider in
            try development.idToken(of: provider).signed(by: .generate(.es256, keyID: "es"))
        },
    ]

    /// Everything that is to be tried with a provider.
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

extension ProviderToken {
    /// A copy with another text for issuer.
    func changingIssuer(_ change: (String) -> String) -> ProviderToken {
        guard case .string(let issuer)? = claims["iss"] else { return self }
        return setting("iss", to: .string(change(issuer)))
    }
}

extension DevelopmentProvider {
    /// The key that signs a provider's tokens.
    func signer(of provider: IdentityProvider) throws -> SigningKey {
        let keys = try keys(of: provider)
        return provider == .microsoft ? keys[0].key : keys[keys.count - 1].key
    }
}
