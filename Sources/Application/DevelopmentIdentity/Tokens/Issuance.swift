/// The issuance of a provider's token to a user: its claims in the provider's form (OpenID Connect Core 1.0 section 2).
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

    /// Returns the claims of every token.
    func common(subject: String? = nil, lifetime: Int64 = 3600) -> JSONObject {
        [
            "iss": .string(issuer), "aud": .string(audience), "sub": .string(subject ?? user.subject(at: provider.id)),
            "iat": .integer(now), "exp": .integer(now + lifetime),
        ]
    }

    /// Returns `email`, with `email_verified` in the provider's form.
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
    /// Returns this object merged with further ones.
    func with(_ others: JSONObject...) -> JSONObject {
        var all = self
        for other in others { all.merge(other) }
        return all
    }
}

extension Issuance {
    /// The claims of an ID token.
    var idTokenClaims: JSONObject {
        switch provider {
        case .apple: apple
        case .google: google
        case .microsoft: microsoft
        case .facebook: facebook
        case .yahoo: common().with(profile, email())
        case .linkedIn: common().with(profile, email(verified: user.isEmailVerified ? "true" : "false"), linkedInLocale)
        case .oidc: common().with(["auth_time": .integer(now)], profile, email())
        }
    }

    /// No name and no picture: Apple sends the name once, separately from the token. Booleans are strings.
    private var apple: JSONObject {
        var claims = common(lifetime: 86_400).with([
            "auth_time": .integer(now), "nonce_supported": true,
            "c_hash": .string(StableID.base64URL(bytes: 16, of: user.uid)),
        ])
        guard let address = user.email else { return claims }
        claims.merge(email(verified: "true"))
        claims["is_private_email"] = address.hasSuffix("@privaterelay.appleid.com") ? "true" : "false"
        return claims
    }

    private var google: JSONObject {
        var claims = common().with(["azp": .string(audience)], email(), profile)
        claims["hd"] = user.hostedDomain.map(JSON.string)
        return claims
    }

    /// Version 2.0. `sub` differs between applications; `oid` and `tid` together identify the user.
    private var microsoft: JSONObject {
        var claims = common(subject: pairwise).with(microsoftUser, ["ver": "2.0"])
        claims["preferred_username"] = user.email.map(JSON.string)
        claims["email"] = user.email.map(JSON.string)
        claims["name"] = user.name.map(JSON.string)
        return claims
    }

    /// Limited Login on iOS.
    private var facebook: JSONObject {
        var claims = common().with(["jti": .string(StableID.hex(40, of: "\(user.uid) \(now)"))], profile)
        claims["email"] = user.email.map(JSON.string)
        return claims
    }

    private var linkedInLocale: JSONObject { ["locale": "en_US"] }

    /// Microsoft's `sub`.
    var pairwise: String { StableID.base64URL(bytes: 32, of: "\(user.microsoftObjectID) \(audience)") }

    private var microsoftUser: JSONObject {
        [
            "nbf": .integer(now), "oid": .string(user.microsoftObjectID), "tid": .string(user.microsoftTenant),
            "rh": "0.", "uti": .string(StableID.base64URL(bytes: 16, of: "\(user.uid) \(now)")),
        ]
    }

    /// The common claims of Microsoft's access tokens of both versions.
    var microsoftAccessClaims: JSONObject {
        var claims = common(subject: pairwise).with(microsoftUser, ["scp": "User.Read"])
        claims["name"] = user.name.map(JSON.string)
        return claims
    }

    /// The claims of an access token (RFC 9068 section 2.2).
    var accessClaims: JSONObject {
        common().with([
            "client_id": "another-client", "jti": .string(StableID.hex(32, of: "\(user.uid) \(now)")),
            "auth_time": .integer(now), "scope": "openid profile email",
        ])
    }
}
