public import JOSE

// Firebase accounts and service accounts
extension DevelopmentProvider {
    /// Adds an account, or replaces the one with the same uid and tenant.
    ///
    /// - Throws: `full` beyond 65,536 accounts.
    public func setAccount(_ account: DevelopmentAccount) throws(DevelopmentIdentityError) {
        try service.accounts.set(account)
    }

    /// Returns the account of a uid, if it exists.
    public func account(_ uid: String, tenant: String? = nil) -> DevelopmentAccount? {
        service.accounts.account(uid, tenant: tenant)
    }

    /// Changes an account.
    ///
    /// - Returns: `false` if it does not exist.
    @discardableResult
    public func updateAccount(
        _ uid: String, tenant: String? = nil, _ change: (inout DevelopmentAccount) -> Void
    ) -> Bool {
        service.accounts.update(uid, tenant: tenant, change)
    }

    /// Deletes an account, so that lookups do not find it.
    public func deleteAccount(_ uid: String, tenant: String? = nil) {
        service.accounts.remove(uid, tenant: tenant)
    }

    /// Returns how often an authorized client looked up a uid, an ID at a provider, or an address, in any tenant. After
    /// 65,536 different ones, further ones count only in ``calls(to:)``.
    public func lookups(of uid: String) -> Int { service.accounts.lookups(of: uid) }

    /// Creates a service account that may obtain access tokens from this provider's token endpoint.
    ///
    /// - Parameter key: An RS256 key. Default: one shared by the whole process.
    /// - Throws: `full` beyond 64 accounts; `keys` if no key can be created.
    public func makeServiceAccount(
        email: String? = nil, key: SigningKey? = nil
    ) throws(DevelopmentIdentityError) -> ServiceAccount {
        let key = if let key { key } else { try ServiceAccount.sharedKey() }
        let account = ServiceAccount(
            email: email ?? "gatehouse@\(project).iam.gserviceaccount.com", project: project, key: key,
            tokenURL: url(.oauthToken))
        try service.accessTokens.add(account)
        return account
    }

    /// Revokes all issued access tokens.
    public func revokeAccessTokens() { service.accessTokens.revokeAll() }
}

// Opaque tokens
extension DevelopmentProvider {
    /// Adds a token to its endpoint, or replaces the one with the same text.
    ///
    /// - Throws: `full` beyond 65,536 tokens.
    public func add(_ token: OpaqueToken) throws(DevelopmentIdentityError) {
        try service.opaque.add(token)
    }

    /// Removes a token. Introspection then returns `{"active":false}`, GitHub 404, Facebook `is_valid` false.
    public func revoke(_ token: OpaqueToken) {
        service.opaque.remove(token.text, token.kind)
    }

    /// Returns how often an authorized client queried an endpoint about a token, known or not. After 65,536 different
    /// tokens, further ones count only in ``calls(to:)``.
    public func calls(about token: OpaqueToken) -> Int { calls(about: token.text, token.kind) }

    /// Returns the same count for a token's text.
    public func calls(about text: String, _ kind: OpaqueToken.Kind) -> Int {
        service.opaque.calls(about: text, kind)
    }

    /// Returns the client that may query tokens of a kind.
    public func client(for kind: OpaqueToken.Kind) -> DevelopmentClient { service.opaque.client(for: kind) }

    /// Sets the client that may query tokens of a kind. Default: ``DevelopmentClient/demo(for:)``.
    public func setClient(_ client: DevelopmentClient, for kind: OpaqueToken.Kind) {
        service.opaque.setClient(client, for: kind)
    }
}
