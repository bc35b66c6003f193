/// A provider issues a token to a user: the claims, as the provider writes them (OpenID Connect Core 1.0 section 2).
struct Issuance {
    let provider: IdentityProvider
    let user: DevelopmentUser
    let audience: String
    let issuer: String
    let now: Int64

    init(
        _ provider: IdentityProvider, to user: DevelopmentUser, for audience: String?, by issuer: String?, now: Int64
    ) {
        self.provider = provider
        self.user = user
        self.audience = audience ?? provider.demoAudience
        let own = provider == .microsoft ? IdentityProvider.microsoftIssuer(tenant: user.microsoftTenant) : nil
        self.issuer = issuer ?? own ?? provider.issuer
        self.now = now
    }

    /// What every token has.
    func common(subject: String? = nil, lifetime: Int64 = 3600) -> JSONObject {
        [
            "iss": .string(issuer), "aud": .string(audience), "sub": .string(subject ?? user.subject(at: provider.id)),
            "iat": .integer(now), "exp": .integer(now + lifetime),
        ]
    }

    /// `email`, with `email_verified` in the provider's spelling.
    func email(verified: JSON? = nil) -> JSONObject {
        guard let email = user.email else { return [:] }
        return ["email": .string(email), "email_verified": verified ?? .bool(user.isEmailVerified)]
    }

    /// `name`, its parts, and `picture`.
    var profile: JSONObject {
        var claims = JSONObject()
        claims["name"] = user.name.map(JSON.string)
        claims["given_name"] = user.nameParts.map { .string($0.given) }
        claims["family_name"] = user.nameParts.map { .string($0.family) }
        claims["picture"] = user.picture.map(JSON.string)
        return claims
    }
}

extension JSONObject {
    /// This object with the members of others.
    func with(_ others: JSONObject...) -> JSONObject {
        var all = self
        for other in others { all.merge(other) }
        return all
    }
}
