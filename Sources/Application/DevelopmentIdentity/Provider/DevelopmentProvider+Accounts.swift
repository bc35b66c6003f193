public import JOSE

// Firebase accounts, and who may look them up
extension DevelopmentProvider {
    /// Makes an account known, in place of one of the same uid and tenant.
    ///
    /// - Throws: `full` beyond 65,536 accounts.
    public func setAccount(_ account: DevelopmentAccount) throws(DevelopmentIdentityError) {
        try service.accounts.set(account)
    }

    /// The account of a uid, if there is one.
    public func account(_ uid: String, tenant: String? = nil) -> DevelopmentAccount? {
        service.accounts.account(uid, tenant: tenant)
    }

    /// Changes an account.
    ///
    /// - Returns: false where there is none.
    @discardableResult
    public func updateAccount(
        _ uid: String, tenant: String? = nil, _ change: (inout DevelopmentAccount) -> Void
    ) -> Bool {
        service.accounts.update(uid, tenant: tenant, change)
    }

    /// Deletes an account: looking it up finds nobody.
    public func deleteAccount(_ uid: String, tenant: String? = nil) {
        service.accounts.remove(uid, tenant: tenant)
    }

    /// How often an account was looked up by somebody who may, of any tenant. After 65,536 different uids, others count
    /// only in ``calls(to:)``.
    public func lookups(of uid: String) -> Int { service.accounts.lookups(of: uid) }

    /// A service account that may have access tokens, for the token endpoint of this provider.
    ///
    /// - Parameter key: an RS256 key; by default one that the whole process shares.
    /// - Throws: `full` beyond 64 accounts; `keys` where none can be made.
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

    /// Ends all access tokens that were issued.
    public func revokeAccessTokens() { service.accessTokens.revokeAll() }
}

// Opaque tokens
extension DevelopmentProvider {
    /// Makes a token known to its endpoint, in place of one of the same text.
    ///
    /// - Throws: `full` beyond 65,536 tokens.
    public func add(_ token: OpaqueToken) throws(DevelopmentIdentityError) {
        try service.opaque.add(token)
    }

    /// Makes a token unknown: introspection says `{"active":false}`, GitHub 404, Facebook `is_valid` false.
    public func revoke(_ token: OpaqueToken) {
        service.opaque.remove(token.text, token.kind)
    }

    /// How often an endpoint was asked about a token, known or not, by a client that may ask. After 65,536 different
    /// tokens, others count only in ``calls(to:)``.
    public func calls(about token: OpaqueToken) -> Int { calls(about: token.text, token.kind) }

    /// As ``calls(about:)``, of a token's text.
    public func calls(about text: String, _ kind: OpaqueToken.Kind) -> Int {
        service.opaque.calls(about: text, kind)
    }

    /// Who may ask about tokens of a kind.
    public func client(for kind: OpaqueToken.Kind) -> DevelopmentClient { service.opaque.client(for: kind) }

    /// Sets who may ask about tokens of a kind; by default ``DevelopmentClient/demo(for:)``.
    public func setClient(_ client: DevelopmentClient, for kind: OpaqueToken.Kind) {
        service.opaque.setClient(client, for: kind)
    }
}
