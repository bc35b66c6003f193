import Authentication
import GatewayCore
import Revocation
import SecurityRules

extension Authorizer {
    /// What the rules of a route lead to.
    enum RuleOutcome {
        /// With the recorded sign-in that a condition passed by.
        case passes(signedInAt: UnixTime?)
        /// Never with a permit.
        case ends(Decision)
    }

    /// Asks the rules of a route about a request that all else let pass.
    @inline(never)
    func ask(
        _ rules: RouteRules, _ policy: RoutePolicy, _ identity: VerifiedTokenCache.Entry?, at moment: Moment,
        _ asker: RuleAsker?, _ storeFailure: (StoreFailure) -> Void
    ) -> RuleOutcome {
        guard let asker else { return .ends(.deny(Denial(.internalError))) }
        if let ended = endedMeanwhile(policy, identity, moment) { return .ends(.deny(ended)) }
        let (signIn, failure) = signIn(of: identity, rules, at: moment)
        let answer = asker.ask(rules, identity, signIn: signIn, now: moment.now)
        if case .passes(let signedInAt) = answer { return .passes(signedInAt: signedInAt) }
        // Who is nobody may become somebody, whatever the rules say.
        guard let identity else { return .ends(.deny(Denial(.missingCredential))) }
        return .ends(decision(answer, identity, failure, storeFailure))
    }

    private func decision(
        _ answer: RuleAnswer, _ identity: VerifiedTokenCache.Entry, _ failure: StoreFailure?,
        _ storeFailure: (StoreFailure) -> Void
    ) -> Decision {
        switch answer {
        case .passes, .denied: return .deny(Denial(.permissionDenied))
        case .needsRecentSignIn(let maxAge): return .deny(Denial(.requiresRecentLogin, maxAge: maxAge))
        case .needsSecondFactor: return .deny(needsSecondFactor(identity))
        case .needsRecord: return viewIsAuthoritative ? .awaitStore : .ask(.session)
        case .recordIsUnavailable:
            // Recency is never assumed, whatever the route does about revocations that cannot be read.
            storeFailure(failure ?? .faultyRecord)
            return .deny(Denial(.storeUnavailable))
        }
    }

    /// The store's own record says that the session was revoked, which its view may not know yet.
    private func endedMeanwhile(
        _ policy: RoutePolicy, _ identity: VerifiedTokenCache.Entry?, _ moment: Moment
    ) -> Denial? {
        guard let identity, policy.revocation != .off,
            case .records(_, .record(revoked: true, _, _)?, _)? = moment.answer
        else { return nil }
        return Denial(identity.standing.kind.revokedCode)
    }

    // MARK: - When the user signed in

    private func signIn(
        of identity: VerifiedTokenCache.Entry?, _ rules: RouteRules, at moment: Moment
    ) -> (RuleSignIn, StoreFailure?) {
        guard let standing = identity?.standing else { return (RuleSignIn(), nil) }
        var signIn = RuleSignIn(
            authTime: standing.authTime.known?.seconds,
            hasSecondFactor: standing.hasSecondFactor, clockSkew: clockSkew)
        // Without a session there is nothing that a later proof could be recorded for.
        guard rules.needsSignInRecord, standing.hasSession else { return (signIn, nil) }
        let failure: StoreFailure?
        (signIn.record, failure) = viewIsAuthoritative ? viewedRecord(standing, moment) : toldRecord(moment)
        return (signIn, failure)
    }

    /// By the view, which knows all that the store does.
    private func viewedRecord(_ standing: Standing, _ moment: Moment) -> (SignInRecord, StoreFailure?) {
        guard let age = store.view.age(monotonicNow: moment.monotonic) else {
            return moment.mayWait ? (.notRead, nil) : (.unavailable, .notLoaded)
        }
        guard age <= maxStaleness else { return (.unavailable, .stale) }
        return record(store.session(standing.sessionKey))
    }

    /// By the store's own answer to this request.
    private func toldRecord(_ moment: Moment) -> (SignInRecord, StoreFailure?) {
        switch moment.answer {
        // One that was revoked proves nothing.
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
