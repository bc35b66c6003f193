public import JOSE
internal import Synchronization

// Tokens, keys and discovery documents of identity providers
extension DevelopmentProvider {
    /// Creates an ID token of an identity provider with this provider's clock. Modify it and sign it with `sign`.
    ///
    /// - Parameters:
    ///   - audience: `aud`. Default: ``IdentityProvider/demoAudience``.
    ///   - nonce: `nonce`, used unchanged. Default: absent.
    public func idToken(
        of provider: IdentityProvider, for user: DevelopmentUser = .ada, audience: String? = nil, nonce: String? = nil
    ) -> ProviderToken {
        .idToken(
            of: provider, for: user, audience: audience, issuer: localIssuer(of: provider), nonce: nonce,
            now: service.now())
    }

    /// Creates a notification of Apple's server with this provider's clock. Modify it and sign it with `sign`.
    ///
    /// - Parameter type: As for ``ProviderToken/appleNotification(_:about:audience:eventTime:eventsAsText:id:now:)``.
    public func appleNotification(
        _ type: String, about user: DevelopmentUser = .ada, eventTime: Int64? = nil, eventsAsText: Bool = true
    ) -> ProviderToken {
        .appleNotification(
            type, about: user, eventTime: eventTime, eventsAsText: eventsAsText, now: service.now())
    }

    /// Creates a logout token of an identity provider with this provider's clock. Modify it and sign it with `sign`.
    public func logoutToken(
        of provider: IdentityProvider, for user: DevelopmentUser = .ada, session: String? = nil
    ) -> ProviderToken {
        .logoutToken(of: provider, for: user, issuer: localIssuer(of: provider), session: session, now: service.now())
    }

    /// Returns the issuer of a provider's tokens. It is the real one, for Microsoft with `{tenantid}`. For `oidc.NAME`
    /// it is the base URL of the discovery document.
    public func issuer(of provider: IdentityProvider) -> String { provider.issuer(base: base) }

    /// Returns `nil` if the token's default is correct.
    private func localIssuer(of provider: IdentityProvider) -> String? {
        if case .oidc = provider { return issuer(of: provider) }
        return nil
    }

    private var base: String { "http://127.0.0.1:\(port)" }

    /// Signs a token with its provider's key: the last of ``keys(of:)`` that may sign for the token's issuer.
    ///
    /// - Throws: `keys` if there is no such key.
    public func sign(_ token: ProviderToken) throws(DevelopmentIdentityError) -> String {
        try service.keyring.sign(token)
    }

    /// Returns the published keys of a provider. They are created on first use, which takes time for RSA.
    ///
    /// Yahoo has an RSA and an EC key. Microsoft has one for all tenants and one for personal accounts.
    ///
    /// - Throws: `keys` if no key can be created, `full` for more than 64 providers.
    public func keys(of provider: IdentityProvider) throws(DevelopmentIdentityError) -> [PublishedKey] {
        try service.keyring.keys(of: provider)
    }

    /// Changes the keys of a provider, or their published form, starting with the next response. The last key signs.
    ///
    /// - Throws: The same errors as ``keys(of:)``.
    public func updateKeys(
        of provider: IdentityProvider, _ change: (inout [PublishedKey]) -> Void
    ) throws(DevelopmentIdentityError) {
        try service.keyring.update(provider, change)
    }

    /// Adds a new key with the algorithm of the provider's last one. It becomes the signing key; older ones stay
    /// published.
    ///
    /// - Throws: The same errors as ``keys(of:)``.
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

    /// Changes the discovery document of a provider, for example to contain false values: `$0["issuer"]`,
    /// `$0["jwks_uri"]`, `$0["id_token_signing_alg_values_supported"]`. Tokens do not change.
    public func updateDiscovery(of provider: IdentityProvider, _ change: (inout JSONObject) -> Void) {
        service.state.withLock { state in
            var document = state.discoveryDocument(of: provider)
            change(&document)
            state.discovery[provider] = document
        }
    }
}
