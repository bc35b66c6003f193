package import Authentication
package import GatewayCore
package import Revocation

extension Authorizer {
    package enum RevocationAnswer {
        case passes
        case revoked(DecisionCode)
        case loading
        /// Only the store itself may say.
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
        // The view of a store that cannot keep what is revoked now answers no strict route.
        guard age <= maxStaleness, policy.revocation != .strict || age == 0 else { return .unknown(.stale) }
        return replicatedRevocation(standing)
    }

    func replicatedRevocation(_ standing: CredentialFacts) -> RevocationAnswer {
        let (user, session) = store.records(user: standing.userKey, session: standing.sessionKey)
        let answer = revocation(standing, user, session)
        guard standing.hasLinkRecord else { return answer }
        return stricter(answer, revocation(standing, store.user(standing.linkKey), SessionLookup.none))
    }

    /// All that the store itself is asked for.
    static func question(of standing: CredentialFacts) -> StoreQuestion {
        var question = StoreQuestion.user
        if standing.hasSession { question.insert(.session) }
        if standing.hasLinkRecord { question.insert(.link) }
        return question
    }

    /// The store decides, and what the view knows counts as well: a store that was lost answers that it knows nothing.
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

    /// The account may be revoked, and so may each identity that belongs to it. Disabled is told before revoked, and whatever is known before
    /// what is not.
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
            // Disabled is told before revoked.
            if disabled { return .revoked(.userDisabled) }
            if let validSince, standing.validityTime.isBefore(validSince) { return .revoked(standing.kind.revokedCode) }
        }
        // One record that cannot be read does not hide what the other says.
        if case .record(revoked: true, _, _) = session { return .revoked(standing.kind.revokedCode) }
        switch (user, session) {
        case (.faulty, _), (_, .faulty): return .unknown(.faultyRecord)
        default: return .passes
        }
    }

    /// What the view says, however old it is; it passes those of whom nothing is known.
    func lastKnown(_ standing: CredentialFacts, in context: DecisionContext) -> RevocationAnswer {
        guard store.view.age(monotonicNow: context.monotonic) != nil else { return .passes }
        return replicatedRevocation(standing)
    }
}

extension Authorizer {
    /// What Identity Toolkit's word of a Firebase user leads to, after the store let the user pass: the stricter of both holds.
    ///
    /// - Returns: nil when the request may go on.
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
            // What is known is not forgotten because nothing newer can be learnt.
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
        // The account was deleted: no token of it counts any more.
        case .missing: .deny(Denial(standing.kind.revokedCode))
        case .account, .unavailable: nil
        }
    }

    /// Whether a stream that passed once may not go on: its user was disabled, or its credential revoked.
    ///
    /// Only what is known counts, however old: a stream is not ended because something could not be asked. Where nothing is known of somebody, they
    /// passed when the stream began.
    package func refusal(_ standing: CredentialFacts, account: AccountStatus.Answer?) -> DecisionCode? {
        if case .revoked(let code) = replicatedRevocation(standing) { return code }
        guard asksFirebase, standing.isFirebase, let account, case .deny(let denial)? = refusal(standing, account)
        else {
            return nil
        }
        return denial.code
    }
}
