public import JOSE
internal import Synchronization

// Identity providers' own tokens, keys and discovery documents
extension DevelopmentProvider {
    /// An ID token of an identity provider and this provider's clock, to be changed and then signed with `sign`.
    ///
    /// - Parameters:
    ///   - audience: `aud`; by default ``IdentityProvider/demoAudience``.
    ///   - nonce: `nonce`, taken as it is; by default there is none.
    public func idToken(
        of provider: IdentityProvider, for user: DevelopmentUser = .ada, audience: String? = nil, nonce: String? = nil
    ) -> ProviderToken {
        .idToken(
            of: provider, for: user, audience: audience, issuer: localIssuer(of: provider), nonce: nonce,
            now: service.now())
    }

    /// A notification of Apple's server and this provider's clock, to be changed and then signed with `sign`.
    ///
    /// - Parameter type: as ``ProviderToken/appleNotification(_:about:audience:eventTime:eventsAsText:id:now:)``.
    public func appleNotification(
        _ type: String, about user: DevelopmentUser = .ada, eventTime: Int64? = nil, eventsAsText: Bool = true
    ) -> ProviderToken {
        .appleNotification(
            type, about: user, eventTime: eventTime, eventsAsText: eventsAsText, now: service.now())
    }

    /// A logout token of an identity provider and this provider's clock, to be changed and then signed with `sign`.
    public func logoutToken(
        of provider: IdentityProvider, for user: DevelopmentUser = .ada, session: String? = nil
    ) -> ProviderToken {
        .logoutToken(of: provider, for: user, issuer: localIssuer(of: provider), session: session, now: service.now())
    }

    /// The issuer of a provider's tokens: the real one, Microsoft's with `{tenantid}`; of `oidc.NAME` the URL below
    /// which its discovery document is.
    public func issuer(of provider: IdentityProvider) -> String { provider.issuer(base: base) }

    /// `nil` where the token's default is right.
    private func localIssuer(of provider: IdentityProvider) -> String? {
        if case .oidc = provider { return issuer(of: provider) }
        return nil
    }

    private var base: String { "http://127.0.0.1:\(port)" }

    /// Signs a token with its provider's key: the last of ``keys(of:)`` that may sign for the token's issuer.
    ///
    /// - Throws: `keys` where there is none.
    public func sign(_ token: ProviderToken) throws(DevelopmentIdentityError) -> String {
        try service.keyring.sign(token)
    }

    /// The keys that a provider publishes now; they are made when first asked for, which takes RSA its time.
    ///
    /// Yahoo has an RSA and an EC key, and Microsoft one for every tenant and one for personal accounts.
    ///
    /// - Throws: `keys` where none can be made, `full` for more than 64 providers.
    public func keys(of provider: IdentityProvider) throws(DevelopmentIdentityError) -> [PublishedKey] {
        try service.keyring.keys(of: provider)
    }

    /// Changes the keys of a provider, or what is published of them. The next response has them; the last one signs.
    ///
    /// - Throws: as ``keys(of:)``.
    public func updateKeys(
        of provider: IdentityProvider, _ change: (inout [PublishedKey]) -> Void
    ) throws(DevelopmentIdentityError) {
        try service.keyring.update(provider, change)
    }

    /// Adds a fresh key like the provider's last one, which signs from now on; the older ones stay published.
    ///
    /// - Throws: as ``keys(of:)``.
    @discardableResult
    public func rotateKeys(of provider: IdentityProvider) throws(DevelopmentIdentityError) -> SigningKey {
        let algorithm = provider.keyAlgorithms.last ?? .rs256
        let fresh = try DevelopmentIdentityError.wrapping { () throws(SigningKeyError) in
            try SigningKey.generate(algorithm, keyID: DevelopmentKeys.randomKeyID())
        }
        try updateKeys(of: provider) { keys in
            var published = PublishedKey(fresh)
            if provider == .microsoft { published = PublishedKey(fresh, microsoftIssuer: provider.issuer) }
            keys.append(published)
        }
        return fresh
    }

    /// Changes the discovery document of a provider, so that it may lie: `$0["issuer"]`, `$0["jwks_uri"]`,
    /// `$0["id_token_signing_alg_values_supported"]`. Tokens stay as they are.
    public func updateDiscovery(of provider: IdentityProvider, _ change: (inout JSONObject) -> Void) {
        service.state.withLock { state in
            var document = state.discoveryDocument(of: provider)
            change(&document)
            state.discovery[provider] = document
        }
    }
}
