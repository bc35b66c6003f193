/// An unsigned token of an identity provider, such as Apple's or Google's, with modifiable claims and header.
///
/// It starts with the content that the provider would issue to a user who signs in at `now`. Functions of
/// ``DraftToken`` such as `setting` and `removing` return modified copies.
///
///     let token = provider.idToken(of: .apple, for: .alan, nonce: "n").setting("aud", to: "com.example.other")
///     let text = try provider.sign(token)                        // with the provider's own key
///     let other = try token.signed(byKeysIn: directory)           // with the key of a key directory
///     let forged = try token.signed(by: someKey)                 // with any other key
///     let spoilt = Tampering.payload.applied(to: text)
///
/// ID tokens: ``idToken(of:for:audience:issuer:nonce:now:)``. Events:
/// ``appleNotification(_:about:audience:eventTime:eventsAsText:id:now:)``,
/// ``logoutToken(of:for:audience:issuer:session:id:now:)``. Tokens that must not be accepted as ID tokens:
/// ``microsoftAccessTokenV1(for:audience:now:)``, ``microsoftAccessTokenV2(for:audience:now:)``,
/// ``accessToken(of:for:audience:issuer:now:)``.
public struct ProviderToken: DraftToken {
    /// The provider that issues the token, and by default signs it.
    public let provider: IdentityProvider
    /// The payload.
    public var claims: JSONObject
    /// Additional members of the header, which override the key's.
    public var header = JSONObject()
    /// Members that are omitted from the header.
    public var removedHeader: Set<String> = []
    /// Whether the header contains the signing key's `kid`. Always `true`.
    public var namesKey: Bool { true }

    /// Creates a token with any claims.
    public init(of provider: IdentityProvider, claims: JSONObject) {
        self.provider = provider
        self.claims = claims
    }
}

extension ProviderToken {
    /// Creates an ID token as issued by the provider: sign-in and issuance at `now`, valid for an hour (Apple: a day).
    ///
    /// Tokens of Apple and `oidc.NAME` have `auth_time`; tokens of other providers do not.
    ///
    /// - Parameters:
    ///   - audience: `aud`. Default: ``IdentityProvider/demoAudience``.
    ///   - issuer: `iss`. Default: ``IdentityProvider/issuer``, for Microsoft with the user's tenant.
    ///   - nonce: `nonce`, used unchanged. Default: absent.
    public static func idToken(
        of provider: IdentityProvider, for user: DevelopmentUser, audience: String? = nil, issuer: String? = nil,
        nonce: String? = nil, now: Int64
    ) -> ProviderToken {
        let issuance = Issuance(provider, to: user, for: audience, by: issuer, now: now)
        var token = ProviderToken(of: provider, claims: issuance.idTokenClaims)
        // Apple's header contains only `alg` and `kid`.
        if provider == .apple { token.removedHeader = ["typ"] }
        token.claims["nonce"] = nonce.map(JSON.string)
        return token
    }

    /// Returns a copy with a Microsoft tenant: `tid` and the corresponding issuer.
    public func inTenant(_ tenant: String) -> ProviderToken {
        setting("tid", to: .string(tenant))
            .setting("iss", to: .string(IdentityProvider.microsoftIssuer(tenant: tenant)))
    }
}

extension ProviderToken {
    /// Signs the token with its provider's key of a directory, where keys are created if necessary.
    ///
    /// A ``DevelopmentProvider`` with that `keyDirectory` publishes the same keys.
    ///
    /// - Throws: `keyFile` and `keys`, as in ``DevelopmentKeys/load(orCreateIn:)``.
    public func signed(byKeysIn directory: String) throws(DevelopmentIdentityError) -> String {
        try IdentityKeyring(directory: directory).sign(self)
    }
}
