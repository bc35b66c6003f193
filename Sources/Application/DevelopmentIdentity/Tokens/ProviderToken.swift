/// A token of an identity provider in the making, such as Apple's or Google's: claims and header, both open to any
/// change.
///
/// It starts as what the provider would issue to a user who signs in at `now`; `setting`, `removing` and their kin of
/// ``DraftToken`` return changed copies.
///
///     let token = provider.idToken(of: .apple, for: .alan, nonce: "n").setting("aud", to: "com.example.other")
///     let text = try provider.sign(token)                        // with the provider's own key
///     let other = try token.signed(byKeysIn: directory)           // with that of a key directory
///     let forged = try token.signed(by: someKey)                 // with any other
///     let spoilt = Tampering.payload.applied(to: text)
///
/// ID tokens: ``idToken(of:for:audience:issuer:nonce:now:)``. Events: ``appleNotification(_:about:audience:eventTime:eventsAsText:id:now:)``,
/// ``logoutToken(of:for:audience:issuer:session:id:now:)``. What must not pass for an ID token:
/// ``microsoftAccessTokenV1(for:audience:now:)``, ``microsoftAccessTokenV2(for:audience:now:)``,
/// ``accessToken(of:for:audience:issuer:now:)``.
public struct ProviderToken: DraftToken {
    /// Whose token it is: whose keys sign it unless told otherwise.
    public let provider: IdentityProvider
    /// The payload.
    public var claims: JSONObject
    /// Members that the header gets besides, or instead of, those that the key gives it.
    public var header = JSONObject()
    /// Members that the header does not get.
    public var removedHeader: Set<String> = []
    /// Whether the header has the signing key's `kid`: always.
    public var namesKey: Bool { true }

    /// A token of any claims.
    public init(of provider: IdentityProvider, claims: JSONObject) {
        self.provider = provider
        self.claims = claims
    }
}

extension ProviderToken {
    /// An ID token as the provider issues it: signed in and issued at `now`, good for an hour (Apple: a day).
    ///
    /// Apple's and `oidc.NAME`'s have `auth_time`, the others' not.
    ///
    /// - Parameters:
    ///   - audience: `aud`; by default ``IdentityProvider/demoAudience``.
    ///   - issuer: `iss`; by default ``IdentityProvider/issuer``, of Microsoft with the user's tenant in it.
    ///   - nonce: `nonce`, taken as it is; by default there is none.
    public static func idToken(
        of provider: IdentityProvider, for user: DevelopmentUser, audience: String? = nil, issuer: String? = nil,
        nonce: String? = nil, now: Int64
    ) -> ProviderToken {
        let issuance = Issuance(provider, to: user, for: audience, by: issuer, now: now)
        var token = ProviderToken(of: provider, claims: issuance.idTokenClaims)
        // Apple says no more than alg and kid.
        if provider == .apple { token.removedHeader = ["typ"] }
        token.claims["nonce"] = nonce.map(JSON.string)
        return token
    }

    /// A copy of that Microsoft tenant: `tid`, and the issuer to match.
    public func inTenant(_ tenant: String) -> ProviderToken {
        setting("tid", to: .string(tenant))
            .setting("iss", to: .string(IdentityProvider.microsoftIssuer(tenant: tenant)))
    }
}

extension ProviderToken {
    /// The token signed with its provider's key of a directory; keys are made there where there are none.
    ///
    /// A ``DevelopmentProvider`` of that `keyDirectory` publishes the same ones.
    ///
    /// - Throws: `keyFile` and `keys`, as ``DevelopmentKeys/load(orCreateIn:)``.
    public func signed(byKeysIn directory: String) throws(DevelopmentIdentityError) -> String {
        try IdentityKeyring(directory: directory).sign(self)
    }
}
