import Authentication
import GatewayCore
import Revocation
import SecurityRules

extension Authorizer {
    /// The result of evaluating a route's rules.
    enum RuleOutcome {
        /// With the recorded sign-in that satisfied a condition.
        case passes(signedInAt: UnixTime?)
        /// Never a permit.
        case ends(Decision)
    }

    /// Evaluates the rules of a route for a request that all other checks permit.
    @inline(never)
    func evaluate(
        _ rules: RouteRules, _ policy: RoutePolicy, _ identity: VerifiedTokenCache.Entry?, in context: DecisionContext,
        _ ruleContext: RuleEvaluationContext?, _ storeFailure: (StoreFailure) -> Void
    ) -> RuleOutcome {
        guard let ruleContext else { return .ends(.deny(Denial(.internalError))) }
        if let ended = revokedMeanwhile(policy, identity, context) { return .ends(.deny(ended)) }
        let (signIn, failure) = signIn(of: identity, rules, in: context)
        let result = ruleContext.evaluate(rules, identity, signIn: signIn, now: context.now)
        if case .passes(let signedInAt) = result { return .passes(signedInAt: signedInAt) }
        // Anonymous: request credentials instead of returning 403.
        guard let identity else { return .ends(.deny(Denial(.missingCredential))) }
        return .ends(decision(result, identity, failure, storeFailure))
    }

    private func decision(
        _ result: RuleResult, _ identity: VerifiedTokenCache.Entry, _ failure: StoreFailure?,
        _ storeFailure: (StoreFailure) -> Void
    ) -> Decision {
        switch result {
        case .passes, .denied: return .deny(Denial(.permissionDenied))
        case .needsRecentSignIn(let maxAge): return .deny(Denial(.requiresRecentLogin, maxAge: maxAge))
        case .needsSecondFactor: return .deny(needsSecondFactor(identity))
        case .needsRecord: return viewIsAuthoritative ? .awaitStore : .queryStore(.session)
        case .recordIsUnavailable:
            // Recency is never assumed, regardless of the route's policy for unreadable revocations.
            storeFailure(failure ?? .faultyRecord)
            return .deny(Denial(.storeUnavailable))
        }
    }

    /// Returns a denial if the store's record says that the session was revoked. The view may not have received it yet.
    private func revokedMeanwhile(
        _ policy: RoutePolicy, _ identity: VerifiedTokenCache.Entry?, _ context: DecisionContext
    ) -> Denial? {
        guard let identity, policy.revocation != .off,
            case .records(_, .record(revoked: true, _, _)?, _)? = context.records
        else { return nil }
        return Denial(identity.facts.kind.revokedCode)
    }

    // MARK: - When the user signed in

    private func signIn(
        of identity: VerifiedTokenCache.Entry?, _ rules: RouteRules, in context: DecisionContext
    ) -> (RuleSignIn, StoreFailure?) {
        guard let facts = identity?.facts else { return (RuleSignIn(), nil) }
        var signIn = RuleSignIn(
            authTime: facts.authTime.known?.seconds,
            hasSecondFactor: facts.hasSecondFactor, clockSkew: clockSkew)
        // Without a session, the store has no record of a later sign-in.
        guard rules.needsSignInRecord, facts.hasSession else { return (signIn, nil) }
        let failure: StoreFailure?
        (signIn.record, failure) = viewIsAuthoritative ? recordFromView(facts, context) : recordFromStore(context)
        return (signIn, failure)
    }

    /// Reads the record from the authoritative view.
    private func recordFromView(_ facts: CredentialFacts, _ context: DecisionContext) -> (SignInRecord, StoreFailure?) {
        guard let age = store.view.age(monotonicNow: context.monotonic) else {
            return context.mayWait ? (.notRead, nil) : (.unavailable, .notLoaded)
        }
        guard age <= maxStaleness else { return (.unavailable, .stale) }
        return record(store.session(facts.sessionKey))
    }

    /// Reads the record from the store's response to this request.
    private func recordFromStore(_ context: DecisionContext) -> (SignInRecord, StoreFailure?) {
        switch context.records {
        // A revoked session proves no sign-in.
        case .records(_, .record(revoked: true, _, _)?, _): (.read(nil), nil)
        case .records(_, let session?, _): record(session)
        case .failed(let failure): (.unavailable, failure)
        case .records, nil: (.notRead, nil)
        }
    }

    private func record(_ session: SessionLookup) -> (SignInRecord, StoreFailure?) {
        switch session {
        case .none: (.read(nil), nil)
        case .faulty: (.unavailable, .faultyRecord)
        case .record(_, let signedInAt, _): (.read(signedInAt?.seconds), nil)
        }
    }
}
