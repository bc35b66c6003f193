package import Authentication
package import GatewayCore
package import Revocation

extension Authorizer {
    package enum RevocationAnswer {
        case passes
        case revoked(DecisionCode)
        case loading
        /// The store itself must be queried.
        case notAsked
        case unknown(StoreFailure)
    }

    package func revocation(_ policy: RoutePolicy, _ standing: CredentialFacts, in context: DecisionContext)
        -> RevocationAnswer
    {
        switch policy.revocation {
        case .off: return .passes
        case .strict where !viewIsAuthoritative: return strictRevocation(standing, in: context)
        case .strict, .replicated: break
        }
        guard let age = store.view.age(monotonicNow: context.monotonic) else {
            return context.mayWait ? .loading : .unknown(.notLoaded)
        }
        // A strict route needs a store that can record revocations now, so that the view's age must be 0.
        guard age <= maxStaleness, policy.revocation != .strict || age == 0 else { return .unknown(.stale) }
        return replicatedRevocation(standing)
    }

    func replicatedRevocation(_ standing: CredentialFacts) -> RevocationAnswer {
        let (user, session) = store.records(user: standing.userKey, session: standing.sessionKey)
        let answer = revocation(standing, user, session)
        guard standing.hasLinkRecord else { return answer }
        return stricter(answer, revocation(standing, store.user(standing.linkKey), SessionLookup.none))
    }

    /// Returns all records to query from the store.
    static func question(of standing: CredentialFacts) -> StoreQuestion {
        var question = StoreQuestion.user
        if standing.hasSession { question.insert(.session) }
        if standing.hasLinkRecord { question.insert(.link) }
        return question
    }

    /// Combines the store's records with the view, because a store that lost its data returns no records.
    private func strictRevocation(_ standing: CredentialFacts, in context: DecisionContext) -> RevocationAnswer {
        let answer = storedRevocation(standing, context.answer)
        guard countsView, case .passes = answer, case .revoked(let code) = lastKnown(standing, in: context) else {
            return answer
        }
        return .revoked(code)
    }

    private func storedRevocation(_ standing: CredentialFacts, _ answer: StoreAnswer?) -> RevocationAnswer {
        switch answer {
        case .failed(let failure): return .unknown(failure)
        case .records(let user?, let session, let link)
        where (session != nil || !standing.hasSession) && (link != nil || !standing.hasLinkRecord):
            let answer = revocation(standing, user, session ?? SessionLookup.none)
            guard standing.hasLinkRecord, let link else { return answer }
            return stricter(answer, revocation(standing, link, SessionLookup.none))
        case .records, nil: return .notAsked
        }
    }

    /// Combines the results for the account and for the identity; both may be revoked. Disabled takes precedence over
    /// revoked, and known results over unknown ones.
    private func stricter(_ user: RevocationAnswer, _ link: RevocationAnswer) -> RevocationAnswer {
        switch (user, link) {
        case (_, .revoked(.userDisabled)): link
        case (.revoked, _): user
        case (_, .revoked), (.passes, _): link
        default: user
        }
    }

    private func revocation(_ standing: CredentialFacts, _ user: UserLookup, _ session: SessionLookup)
        -> RevocationAnswer
    {
        if case .record(let validSince, let disabled) = user {
            // Disabled takes precedence over revoked.
            if disabled { return .revoked(.userDisabled) }
            if let validSince, standing.validityTime.isBefore(validSince) { return .revoked(standing.kind.revokedCode) }
        }
        // An unreadable record does not hide the content of the other.
        if case .record(revoked: true, _, _) = session { return .revoked(standing.kind.revokedCode) }
        switch (user, session) {
        case (.faulty, _), (_, .faulty): return .unknown(.faultyRecord)
        default: return .passes
        }
    }

    /// Returns the result of the view, whatever its age. Users without records pass.
    func lastKnown(_ standing: CredentialFacts, in context: DecisionContext) -> RevocationAnswer {
        guard store.view.age(monotonicNow: context.monotonic) != nil else { return .passes }
        return replicatedRevocation(standing)
    }
}

extension Authorizer {
    /// Returns the decision that follows from the user's Firebase account, after the store permitted the user. The
    /// stricter of both results applies.
    ///
    /// - Returns: `nil` if the request may proceed.
    package func decideAccount(
        _ policy: RoutePolicy, _ standing: CredentialFacts, in context: DecisionContext,
        storeFailure: (StoreFailure) -> Void
    ) -> Decision? {
        guard policy.revocation != .off, standing.isFirebase else { return nil }
        switch context.account {
        case .notAsked: return .lookUp
        case .known(.unavailable), .failed(nil), .failed(.unavailable?):
            return afterFailure(policy, storeFailure)
        case .known(let answer): return refusal(standing, answer)
        case .failed(let answer?):
            // A known denial applies even if no newer status is available.
            return refusal(standing, answer) ?? afterFailure(policy, storeFailure)
        }
    }

    private func afterFailure(_ policy: RoutePolicy, _ storeFailure: (StoreFailure) -> Void) -> Decision? {
        storeFailure(.accountsUnavailable)
        return policy.allowsOnStoreFailure ? nil : .deny(Denial(.storeUnavailable))
    }

    func refusal(_ standing: CredentialFacts, _ answer: AccountStatus.Answer) -> Decision? {
        switch answer {
        case .account(_, disabled: true): .deny(Denial(.userDisabled))
        case .account(let validSince?, _) where standing.validityTime.isBefore(validSince):
            .deny(Denial(standing.kind.revokedCode))
        // The account was deleted, so none of its tokens is valid.
        case .missing: .deny(Denial(standing.kind.revokedCode))
        case .account, .unavailable: nil
        }
    }

    /// Returns the code if a permitted stream must end, because its user was disabled or its credential revoked.
    ///
    /// Only known results count, whatever their age: a failed lookup does not end a stream. A user without records was
    /// permitted when the stream began.
    package func refusal(_ standing: CredentialFacts, account: AccountStatus.Answer?) -> DecisionCode? {
        if case .revoked(let code) = replicatedRevocation(standing) { return code }
        guard asksFirebase, standing.isFirebase, let account, case .deny(let denial)? = refusal(standing, account)
        else {
            return nil
        }
        return denial.code
    }
}
