extension ProviderToken {
    /// Creates a Microsoft access token of version 1.0, as used for Graph: `iss` is https://sts.windows.net/TENANT/.
    ///
    /// It has the user's `oid` and `tid` and a valid signature, but no reliable statement of the client that it was
    /// issued to.
    ///
    /// - Parameter audience: Default: Microsoft Graph.
    public static func microsoftAccessTokenV1(
        for user: DevelopmentUser, audience: String = "https://graph.microsoft.com", now: Int64
    ) -> ProviderToken {
        let tenant = user.microsoftTenant
        let issuance = Issuance(.microsoft, to: user, for: audience, by: "https://sts.windows.net/\(tenant)/", now: now)
        var token = ProviderToken(of: .microsoft, claims: issuance.microsoftAccessClaims)
        token.claims.merge([
            "appid": .string(IdentityProvider.microsoft.demoAudience), "appidacr": "1",
            "upn": .string(user.email ?? user.uid), "unique_name": .string(user.email ?? user.uid), "ver": "1.0",
        ])
        return token
    }

    /// Creates a Microsoft access token of version 2.0 for an API. Issuer and audience are like those in an ID token,
    /// but it has `scp`.
    ///
    /// - Parameter audience: Default: ``IdentityProvider/demoAudience``.
    public static func microsoftAccessTokenV2(
        for user: DevelopmentUser, audience: String? = nil, now: Int64
    ) -> ProviderToken {
        let issuance = Issuance(.microsoft, to: user, for: audience, by: nil, now: now)
        var token = ProviderToken(of: .microsoft, claims: issuance.microsoftAccessClaims)
        token.claims.merge([
            "azp": .string(StableID.guid(of: "another client")), "azpacr": "1", "ver": "2.0",
        ])
        return token
    }

    /// Creates an access token of any provider (RFC 9068): `typ` is `at+jwt`, and it has `client_id`, `scope` and
    /// `jti`.
    ///
    /// - Parameters:
    ///   - audience: Default: ``IdentityProvider/demoAudience``, so that only the type distinguishes it from an ID
    ///     token.
    ///   - issuer: Default: ``IdentityProvider/issuer``.
    public static func accessToken(
        of provider: IdentityProvider, for user: DevelopmentUser, audience: String? = nil, issuer: String? = nil,
        now: Int64
    ) -> ProviderToken {
        let issuance = Issuance(provider, to: user, for: audience, by: issuer, now: now)
        var token = ProviderToken(of: provider, claims: issuance.accessClaims)
        token.header["typ"] = "at+jwt"
        return token
    }
}
