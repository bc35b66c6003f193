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

    /// Deletes a service account; the tokens that it has stay good.
    public func deleteServiceAccount(_ email: String) { service.accessTokens.remove(email) }

    /// Sets how many seconds access tokens last that are issued from now on; 3600 at first.
    public func setAccessTokenLifetime(_ seconds: Int64) { service.accessTokens.setLifetime(seconds) }

    /// Ends all access tokens that were issued.
    public func revokeAccessTokens() { service.accessTokens.revokeAll() }
}
