package import Authentication
package import GatewayCore
package import Revocation

/// What the checks of an identity grant: the identity, and the recorded sign-in that it passed by.
package struct Grant {
    /// The verified identity; `nil` if the request is anonymous.
    package let identity: VerifiedTokenCache.Entry?
    /// A sign-in later than the token's `auth_time` that this decision read from the store.
    package let signedInAt: UnixTime?
}

/// The outcome of the checks of one request.
package enum Decision {
    case permit(Grant)
    /// Indirect: most decisions are none, and checks return them in registers.
    indirect case deny(Denial)
    /// The revocation view is still being loaded.
    case awaitStore
    /// The store itself has to be queried; then the request is decided again, with its answer.
    case ask(StoreQuestion)
    /// The user's Firebase account has to be looked up.
    case lookUp
}

/// What one check found, for `explain`.
package enum AuthorizationFinding {
    case revocation(Authorizer.RevocationAnswer)
    /// The decision that the user's Firebase account leads to; `nil`: none.
    case account(Decision?)
    case provider(isPermitted: Bool)
    case scopes(isPermitted: Bool)
    case recency(Authorizer.Recency)
    case secondFactor(isPermitted: Bool)
}

/// Decides whether a request may pass, once it is known whose credential it carries.
///
/// Order: disabled, revoked, sign-in provider, scopes, recent sign-in, second factor, rules. Nothing here is cached: each request is decided anew.
package struct Authorizer {
    package let store: StoreReader
    /// Whether the view holds everything that was acknowledged, so that the store itself knows no more.
    package var viewIsAuthoritative = true
    package let clockSkew: Int64
    /// How old the store's view may be, in nanoseconds.
    package let maxStaleness: UInt64
    /// Whether Identity Toolkit, too, is asked about Firebase's users.
    package var asksFirebase = false
    /// Whether the view counts besides what the store answers.
    package var countsView = true
    /// The parameters `acr_values` and `claims` of a challenge, by the provider that the user signed in with.
    package var acrValues: [String: String] = [:]

    package init(
        store: StoreReader, viewIsAuthoritative: Bool = true, clockSkew: Int64, maxStaleness: UInt64,
        asksFirebase: Bool = false, countsView: Bool = true, acrValues: [String: String] = [:]
    ) {
        self.store = store
        self.viewIsAuthoritative = viewIsAuthoritative
        self.clockSkew = clockSkew
        self.maxStaleness = maxStaleness
        self.asksFirebase = asksFirebase
        self.countsView = countsView
        self.acrValues = acrValues
    }

    /// What the decision needs to know of the moment.
    package struct Moment {
        /// Unix seconds, and monotonic nanoseconds.
        package var now: Int64
        package var monotonic: UInt64
        /// The request may still wait for the store's view to be loaded.
        package var mayWait: Bool
        /// What the store itself answered to this request's question; nil: it was not asked.
        package var answer: StoreAnswer?
        /// What Identity Toolkit says of the user's account.
        package var account: AccountView = .notAsked

        package init(
            now: Int64, monotonic: UInt64, mayWait: Bool, answer: StoreAnswer? = nil, account: AccountView = .notAsked
        ) {
            self.now = now
            self.monotonic = monotonic
            self.mayWait = mayWait
            self.answer = answer
            self.account = account
        }
    }

    /// Runs the checks of an identity.
    ///
    /// - Parameters:
    ///   - rules: the rules of the policy, for the request that was begun there; without them nothing passes that has rules.
    ///   - storeFailure: called when a request passes or fails because the store could not answer.
    package func decide(
        _ policy: RoutePolicy, identity: VerifiedTokenCache.Entry?, at moment: Moment, rules: RuleAsker? = nil,
        storeFailure: (StoreFailure) -> Void
    ) -> Decision {
        var phase = DecisionPhase.revocation
        return decide(policy, identity: identity, at: moment, rules: rules, phase: &phase, storeFailure: storeFailure)
    }

    /// The same, which leaves in `phase` the phase that decided.
    package func decide(
        _ policy: RoutePolicy, identity: VerifiedTokenCache.Entry?, at moment: Moment, rules: RuleAsker?,
        phase: inout DecisionPhase, storeFailure: (StoreFailure) -> Void
    ) -> Decision {
        run(
            policy, identity, at: moment, rules, &phase, observe: Unobserved(), storeFailure)
    }

    /// The same, which passes the finding of each check to `observe`.
    package func decide(
        _ policy: RoutePolicy, identity: VerifiedTokenCache.Entry?, at moment: Moment, rules: RuleAsker?,
        phase: inout DecisionPhase, observe: (AuthorizationFinding) -> Void, storeFailure: (StoreFailure) -> Void
    ) -> Decision {
        withoutActuallyEscaping(observe) { observe in
            run(policy, identity, at: moment, rules, &phase, observe: Observed(body: observe), storeFailure)
        }
    }

    /// The phases from `revocation` to `rules`, one after the other.
    @inline(__always)
    private func run(
        _ policy: RoutePolicy, _ identity: VerifiedTokenCache.Entry?, at moment: Moment, _ rules: RuleAsker?,
        _ phase: inout DecisionPhase, observe: some AuthorizationObserver, _ storeFailure: (StoreFailure) -> Void
    ) -> Decision {
        guard let identity else {
            guard policy.authentication != .required, !policy.asksOfUsers else {
                phase = .authenticate
                return .deny(Denial(.missingCredential))
            }
            phase = .rules
            return decideRules(policy, nil, at: moment, rules, signedInAt: nil, storeFailure)
        }
        var signedInAt: UnixTime?
        phase = .revocation
        while true {
            let decision: Decision?
            switch phase {
            case .revocation: decision = checkRevocation(policy, identity.standing, at: moment, observe, storeFailure)
            case .account: decision = checkAccount(policy, identity.standing, at: moment, observe, storeFailure)
            case .provider: decision = checkProvider(policy, identity, observe)
            case .scopes: decision = checkScopes(policy, identity, observe)
            case .recency:
                decision = checkRecency(policy, identity.standing, at: moment, &signedInAt, observe, storeFailure)
            case .secondFactor: decision = checkSecondFactor(policy, identity, observe)
            default: return decideRules(policy, identity, at: moment, rules, signedInAt: signedInAt, storeFailure)
            }
            if let decision { return decision }
            phase = phase.next ?? .rules
        }
    }

    // MARK: - Revocation

    @inline(__always)
    private func checkRevocation(
        _ policy: RoutePolicy, _ standing: Standing, at moment: Moment, _ observe: some AuthorizationObserver,
        _ storeFailure: (StoreFailure) -> Void
    ) -> Decision? {
        let answer = revocation(policy, standing, at: moment)
        observe.found(.revocation(answer))
        switch answer {
        case .passes: return nil
        case .revoked(let code): return .deny(Denial(code))
        case .loading: return .awaitStore
        case .notAsked: return .ask(Self.question(of: standing))
        case .unknown(let failure):
            // What is known is not forgotten because nothing newer can be learnt.
            if policy.allowsOnStoreFailure, case .revoked(let code) = lastKnown(standing, at: moment) {
                return .deny(Denial(code))
            }
            storeFailure(failure)
            return policy.allowsOnStoreFailure ? nil : .deny(Denial(.storeUnavailable))
        }
    }

    @inline(__always)
    private func checkAccount(
        _ policy: RoutePolicy, _ standing: Standing, at moment: Moment, _ observe: some AuthorizationObserver,
        _ storeFailure: (StoreFailure) -> Void
    ) -> Decision? {
        guard asksFirebase else { return nil }
        let decision = decideAccount(policy, standing, at: moment, storeFailure: storeFailure)
        observe.found(.account(decision))
        return decision
    }

    package enum RevocationAnswer {
        case passes
        case revoked(DecisionCode)
        case loading
        /// Only the store itself may say.
        case notAsked
        case unknown(StoreFailure)
    }

    package func revocation(_ policy: RoutePolicy, _ standing: Standing, at moment: Moment) -> RevocationAnswer {
        switch policy.revocation {
        case .off: return .passes
        case .strict where !viewIsAuthoritative: return strictRevocation(standing, at: moment)
        case .strict, .replicated: break
        }
        guard let age = store.view.age(monotonicNow: moment.monotonic) else {
            return moment.mayWait ? .loading : .unknown(.notLoaded)
        }
        // The view of a store that cannot keep what is revoked now answers no strict route.
        guard age <= maxStaleness, policy.revocation != .strict || age == 0 else { return .unknown(.stale) }
        return replicatedRevocation(standing)
    }

    func replicatedRevocation(_ standing: Standing) -> RevocationAnswer {
        let (user, session) = store.records(user: standing.userKey, session: standing.sessionKey)
        let answer = revocation(standing, user, session)
        guard standing.hasLinkRecord else { return answer }
        return stricter(answer, revocation(standing, store.user(standing.linkKey), SessionLookup.none))
    }

    /// All that the store itself is asked for.
    private static func question(of standing: Standing) -> StoreQuestion {
        var question = StoreQuestion.user
        if standing.hasSession { question.insert(.session) }
        if standing.hasLinkRecord { question.insert(.link) }
        return question
    }

    /// The store decides, and what the view knows counts as well: a store that was lost answers that it knows nothing.
    private func strictRevocation(_ standing: Standing, at moment: Moment) -> RevocationAnswer {
        let answer = storedRevocation(standing, moment.answer)
        guard countsView, case .passes = answer, case .revoked(let code) = lastKnown(standing, at: moment) else {
            return answer
        }
        return .revoked(code)
    }

    private func storedRevocation(_ standing: Standing, _ answer: StoreAnswer?) -> RevocationAnswer {
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

    private func revocation(_ standing: Standing, _ user: UserLookup, _ session: SessionLookup) -> RevocationAnswer {
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
    private func lastKnown(_ standing: Standing, at moment: Moment) -> RevocationAnswer {
        guard store.view.age(monotonicNow: moment.monotonic) != nil else { return .passes }
        return replicatedRevocation(standing)
    }

    // MARK: - How, and how recently, the user signed in

    package func providerPasses(_ policy: RoutePolicy, _ principal: Principal) -> Bool {
        guard !policy.providers.isEmpty else { return true }
        guard let provider = principal.signInProvider else { return false }
        return policy.providers.contains { $0.utf8.elementsEqual(provider.utf8) }
    }

    /// Each scope byte for byte (RFC 6749 section 3.3).
    package func hasScopes(_ policy: RoutePolicy, _ principal: Principal) -> Bool {
        policy.scopes.allSatisfy { wanted in principal.scopes.contains { $0.utf8.elementsEqual(wanted.utf8) } }
    }

    @inline(__always)
    private func checkProvider(
        _ policy: RoutePolicy, _ identity: VerifiedTokenCache.Entry, _ observe: some AuthorizationObserver
    ) -> Decision? {
        // Most routes name no providers: then the principal itself is not looked at.
        guard !policy.providers.isEmpty else { return nil }
        let isPermitted = providerPasses(policy, identity.principal)
        observe.found(.provider(isPermitted: isPermitted))
        return isPermitted ? nil : .deny(Denial(.permissionDenied))
    }

    @inline(__always)
    private func checkScopes(
        _ policy: RoutePolicy, _ identity: VerifiedTokenCache.Entry, _ observe: some AuthorizationObserver
    ) -> Decision? {
        guard !policy.scopes.isEmpty else { return nil }
        let isPermitted = hasScopes(policy, identity.principal)
        observe.found(.scopes(isPermitted: isPermitted))
        guard !isPermitted else { return nil }
        let scopes = "scope=\"\(policy.scopes.joined(separator: " "))\""
        return .deny(Denial(.insufficientScope, challengeParameter: scopes))
    }

    @inline(__always)
    private func checkRecency(
        _ policy: RoutePolicy, _ standing: Standing, at moment: Moment, _ signedInAt: inout UnixTime?,
        _ observe: some AuthorizationObserver, _ storeFailure: (StoreFailure) -> Void
    ) -> Decision? {
        guard let maxAge = policy.recentSignIn else { return nil }
        let answer = recency(maxAge, policy, standing, at: moment)
        observe.found(.recency(answer))
        switch answer {
        case .recent(let recorded):
            signedInAt = recorded
            return nil
        case .ended where policy.revocation != .off: return .deny(Denial(standing.kind.revokedCode))
        case .tooOld, .ended: return .deny(Denial(.requiresRecentLogin, maxAge: maxAge))
        case .loading: return .awaitStore
        case .notAsked: return .ask(.session)
        case .unknown(let failure):
            // Recency is never assumed, whatever the route does about revocations that cannot be read.
            storeFailure(failure)
            return .deny(Denial(.storeUnavailable))
        }
    }

    @inline(__always)
    private func checkSecondFactor(
        _ policy: RoutePolicy, _ identity: VerifiedTokenCache.Entry, _ observe: some AuthorizationObserver
    ) -> Decision? {
        guard policy.secondFactor else { return nil }
        let isPermitted = identity.standing.hasSecondFactor
        observe.found(.secondFactor(isPermitted: isPermitted))
        return isPermitted ? nil : .deny(needsSecondFactor(identity))
    }

    func needsSecondFactor(_ identity: VerifiedTokenCache.Entry) -> Denial {
        let acrValues = self.acrValues[identity.principal.signInProvider ?? ""]
        return Denial(.secondFactorRequired, challengeParameter: acrValues)
    }

    /// The last question of all: what is asked here passes.
    ///
    /// - Parameter signedInAt: the recorded sign-in that the request has passed by so far.
    @inline(__always)
    private func decideRules(
        _ policy: RoutePolicy, _ identity: VerifiedTokenCache.Entry?, at moment: Moment, _ asker: RuleAsker?,
        signedInAt: UnixTime?, _ storeFailure: (StoreFailure) -> Void
    ) -> Decision {
        guard let rules = policy.rules else {
            return .permit(Grant(identity: identity, signedInAt: signedInAt))
        }
        switch ask(rules, policy, identity, at: moment, asker, storeFailure) {
        case .passes(let recorded): return .permit(Grant(identity: identity, signedInAt: signedInAt ?? recorded))
        case .ends(let decision): return decision
        }
    }

    package enum Recency {
        /// With the recorded sign-in, where the token's own time did not suffice.
        case recent(UnixTime?)
        case tooOld
        /// The store's own record says that the session was revoked, which its view may not know yet.
        case ended
        case loading
        /// Only the store itself knows.
        case notAsked
        case unknown(StoreFailure)
    }

    /// The store is read only where the credential's own time does not suffice.
    package func recency(_ maxAge: Int64, _ policy: RoutePolicy, _ standing: Standing, at moment: Moment) -> Recency {
        let own = policy.needsAuthentication ? standing.authenticatedAt : standing.authTime
        if let own = own.known, isRecent(own, maxAge, now: moment.now) { return .recent(nil) }
        // Without a session there is nothing that a later proof could be recorded for.
        guard standing.hasSession else { return .tooOld }
        guard viewIsAuthoritative else { return recordedRecency(maxAge, policy, moment) }
        guard let age = store.view.age(monotonicNow: moment.monotonic) else {
            return moment.mayWait ? .loading : .unknown(.notLoaded)
        }
        guard age <= maxStaleness else { return .unknown(.stale) }
        return recency(maxAge, policy, store.session(standing.sessionKey), now: moment.now)
    }

    private func recordedRecency(_ maxAge: Int64, _ policy: RoutePolicy, _ moment: Moment) -> Recency {
        switch moment.answer {
        case .records(_, .record(revoked: true, _, _)?, _): .ended
        case .records(_, let session?, _): recency(maxAge, policy, session, now: moment.now)
        case .failed(let failure): .unknown(failure)
        case .records, nil: .notAsked
        }
    }

    private func recency(
        _ maxAge: Int64, _ policy: RoutePolicy, _ session: SessionLookup, now: Int64
    ) -> Recency {
        switch session {
        case .none: return .tooOld
        case .faulty: return .unknown(.faultyRecord)
        case .record(_, let signedInAt, let isAuthenticated):
            guard let signedInAt, isAuthenticated || !policy.needsAuthentication,
                isRecent(signedInAt, maxAge, now: now)
            else { return .tooOld }
            return .recent(signedInAt)
        }
    }

    /// `-skew <= now - t <= maxAge`; the skew counts once, on the future's side.
    private func isRecent(_ time: UnixTime, _ maxAge: Int64, now: Int64) -> Bool {
        let age = time.age(at: now)
        return age >= -clockSkew && age <= maxAge
    }
}

/// Receives the finding of each check.
private protocol AuthorizationObserver {
    func found(_ finding: AuthorizationFinding)
}

/// The observer of the production path, which costs nothing.
private struct Unobserved: AuthorizationObserver {
    @inline(__always)
    func found(_ finding: AuthorizationFinding) {}
}

private struct Observed: AuthorizationObserver {
    let body: (AuthorizationFinding) -> Void

    func found(_ finding: AuthorizationFinding) { body(finding) }
}
