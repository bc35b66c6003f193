package import Authentication
package import GatewayCore
package import Revocation

extension Authorizer {
    package enum RevocationResult {
        case passes
        case revoked(DecisionCode)
        case loading
        /// The store itself must be queried.
        case notQueried
        case unknown(StoreFailure)
    }

    package func revocation(_ policy: RoutePolicy, _ facts: CredentialFacts, in context: DecisionContext)
        -> RevocationResult
    {
        switch policy.revocation {
        case .off: return .passes
        case .strict where !viewIsAuthoritative: return strictRevocation(facts, in: context)
        case .strict, .replicated: break
        }
        guard let age = store.view.age(monotonicNow: context.monotonic) else {
            return context.mayWait ? .loading : .unknown(.notLoaded)
        }
        // A strict route needs a store that can record revocations now, so that the view's age must be 0.
        guard age <= maxStaleness, policy.revocation != .strict || age == 0 else { return .unknown(.stale) }
        return replicatedRevocation(facts)
    }

    func replicatedRevocation(_ facts: CredentialFacts) -> RevocationResult {
        let (user, session) = store.records(user: facts.userKey, session: facts.sessionKey)
        let result = revocation(facts, user, session)
        guard facts.hasLinkRecord else { return result }
        return stricter(result, revocation(facts, store.user(facts.linkKey), SessionLookup.none))
    }

    /// Returns all records to query from the store.
    static func storeQuery(of facts: CredentialFacts) -> StoreQuery {
        var query = StoreQuery.user
        if facts.hasSession { query.insert(.session) }
        if facts.hasLinkRecord { query.insert(.link) }
        return query
    }

    /// Combines the store's records with the view, because a store that lost its data returns no records.
    private func strictRevocation(_ facts: CredentialFacts, in context: DecisionContext) -> RevocationResult {
        let result = storedRevocation(facts, context.records)
        guard includesView, case .passes = result, case .revoked(let code) = lastKnown(facts, in: context) else {
            return result
        }
        return .revoked(code)
    }

    private func storedRevocation(_ facts: CredentialFacts, _ records: StoreRecords?) -> RevocationResult {
        switch records {
        case .failed(let failure): return .unknown(failure)
        case .records(let user?, let session, let link)
        where (session != nil || !facts.hasSession) && (link != nil || !facts.hasLinkRecord):
            let result = revocation(facts, user, session ?? SessionLookup.none)
            guard facts.hasLinkRecord, let link else { return result }
            return stricter(result, revocation(facts, link, SessionLookup.none))
        case .records, nil: return .notQueried
        }
    }

    /// Combines the results for the account and for the identity; both may be revoked. Disabled takes precedence over
    /// revoked, and known results over unknown ones.
    private func stricter(_ user: RevocationResult, _ link: RevocationResult) -> RevocationResult {
        switch (user, link) {
        case (_, .revoked(.userDisabled)): link
        case (.revoked, _): user
        case (_, .revoked), (.passes, _): link
        default: user
        }
    }

    private func revocation(_ facts: CredentialFacts, _ user: UserLookup, _ session: SessionLookup)
        -> RevocationResult
    {
        if case .record(let validSince, let disabled) = user {
            // Disabled takes precedence over revoked.
            if disabled { return .revoked(.userDisabled) }
            if let validSince, facts.validityTime.isBefore(validSince) { return .revoked(facts.kind.revokedCode) }
        }
        // An unreadable record does not hide the content of the other.
        if case .record(revoked: true, _, _) = session { return .revoked(facts.kind.revokedCode) }
        switch (user, session) {
        case (.faulty, _), (_, .faulty): return .unknown(.faultyRecord)
        default: return .passes
        }
    }

    /// Returns the result of the view, whatever its age. Users without records pass.
    func lastKnown(_ facts: CredentialFacts, in context: DecisionContext) -> RevocationResult {
        guard store.view.age(monotonicNow: context.monotonic) != nil else { return .passes }
        return replicatedRevocation(facts)
    }
}

extension Authorizer {
    /// Returns the decision that follows from the user's Firebase account, after the store permitted the user. The
    /// stricter of both results applies.
    ///
    /// - Returns: `nil` if the request may proceed.
    package func decideAccount(
        _ policy: RoutePolicy, _ facts: CredentialFacts, in context: DecisionContext,
        storeFailure: (StoreFailure) -> Void
    ) -> Decision? {
        guard policy.revocation != .off, facts.isFirebase else { return nil }
        switch context.account {
        case .notQueried: return .lookUp
        case .known(.unavailable), .failed(nil), .failed(.unavailable?):
            return afterFailure(policy, context, storeFailure)
        case .known(let status): return refusal(facts, status)
        case .failed(let status?):
            // A known denial applies even if no newer status is available.
            return refusal(facts, status) ?? afterFailure(policy, context, storeFailure)
        }
    }

    private func afterFailure(
        _ policy: RoutePolicy, _ context: DecisionContext, _ storeFailure: (StoreFailure) -> Void
    ) -> Decision? {
        storeFailure(.accountsUnavailable)
        return context.allowsFailure(policy) ? nil : .deny(Denial(.storeUnavailable))
    }

    func refusal(_ facts: CredentialFacts, _ status: AccountStatus.State) -> Decision? {
        switch status {
        case .account(_, disabled: true, _): .deny(Denial(.userDisabled))
        // Firebase does not list the identity by which the credential belongs to the account.
        case _ where facts.evidence.map(status.lacks) ?? false: .deny(Denial(facts.kind.revokedCode))
        case .account(let validSince?, _, _) where facts.validityTime.isBefore(validSince):
            .deny(Denial(facts.kind.revokedCode))
        // The account was deleted, so none of its tokens is valid.
        case .missing: .deny(Denial(facts.kind.revokedCode))
        case .account, .unavailable: nil
        }
    }

    /// Returns the code if a permitted stream must end, because its user was disabled or its credential revoked.
    ///
    /// Only known results count, whatever their age: a failed lookup does not end a stream. A user without records was
    /// permitted when the stream began.
    package func refusal(_ facts: CredentialFacts, account: AccountStatus.State?) -> DecisionCode? {
        if case .revoked(let code) = replicatedRevocation(facts) { return code }
        if facts.evidence != nil, !queriesFirebase { return facts.kind.revokedCode }
        guard queriesFirebase, facts.isFirebase, let account, case .deny(let denial)? = refusal(facts, account)
        else {
            return nil
        }
        return denial.code
    }
}
