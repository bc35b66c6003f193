/// The decision's word that a request may pass. Forwarding takes nothing else.
///
/// Only `Authorizer` makes one: its initializer is private to this file's extension of it.
struct Permit {
    /// Who is asking; nil: anonymous.
    let identity: VerifiedTokenCache.Entry?
    /// A sign-in later than the token's `auth_time` that this decision read from the store.
    let signedInAt: UnixTime?

    fileprivate init(identity: VerifiedTokenCache.Entry?, signedInAt: UnixTime?) {
        self.identity = identity
        self.signedInAt = signedInAt
    }
}

/// What became of a request.
enum Decision {
    case permit(Permit)
    case deny(Denial)
    /// The store's view is still loading.
    case awaitStore
    /// The store itself has to be asked; then the request is decided again, with its answer.
    case ask(StoreQuestion)
    /// Identity Toolkit has to be asked about the user's account.
    case lookUp
}

/// Decides whether a request may pass, once it is known whose credential it carries.
///
/// Order: disabled, revoked, sign-in provider, scopes, recent sign-in, second factor, rules. Nothing here is cached: each request is decided anew.
struct Authorizer {
    let store: StoreReader
    /// Whether the view holds everything that was acknowledged, so that the store itself knows no more.
    var viewIsAuthoritative = true
    let clockSkew: Int64
    /// How old the store's view may be, in nanoseconds.
    let maxStaleness: UInt64
    /// Whether Identity Toolkit, too, is asked about Firebase's users.
    var asksFirebase = false
    /// Whether the view counts besides what the store answers.
    var countsView = true
    /// The parameters `acr_values` and `claims` of a challenge, by the provider that the user signed in with.
    var acrValues: [String: String] = [:]

    /// What the decision needs to know of the moment.
    struct Moment {
        /// Unix seconds, and monotonic nanoseconds.
        var now: Int64
        var monotonic: UInt64
        /// The request may still wait for the store's view to be loaded.
        var mayWait: Bool
        /// What the store itself answered to this request's question; nil: it was not asked.
        var answer: StoreAnswer?
        /// What Identity Toolkit says of the user's account.
        var account: AccountView = .notAsked
    }

    /// - Parameters:
    ///   - rules: asks the policy's rules about the request that was begun there; without it nothing passes that has rules.
    ///   - storeFailure: told when a request passes or fails because the store could not tell.
    func decide(
        _ policy: RoutePolicy, identity: VerifiedTokenCache.Entry?, at moment: Moment, rules: RuleAsker? = nil,
        storeFailure: (StoreFailure) -> Void
    ) -> Decision {
        guard let identity else {
            guard policy.authentication != .required, !policy.asksOfUsers else {
                return .deny(Denial(.missingCredential))
            }
            return decideRules(policy, nil, at: moment, rules, signedInAt: nil, storeFailure)
        }
        switch revocation(policy, identity.standing, at: moment) {
        case .passes: break
        case .revoked(let code): return .deny(Denial(code))
        case .loading: return .awaitStore
        case .notAsked: return .ask(Self.question(of: identity.standing))
        case .unknown(let failure):
            // What is known is not forgotten because nothing newer can be learnt.
            if policy.allowsOnStoreFailure, case .revoked(let code) = lastKnown(identity.standing, at: moment) {
                return .deny(Denial(code))
            }
            storeFailure(failure)
            guard policy.allowsOnStoreFailure else { return .deny(Denial(.storeUnavailable)) }
        }
        if asksFirebase, let decision = decideAccount(policy, identity.standing, at: moment, storeFailure: storeFailure)
        {
            return decision
        }
        // Most routes name no providers: then the principal itself is not looked at.
        guard policy.providers.isEmpty || providerPasses(policy, identity.principal) else {
            return .deny(Denial(.permissionDenied))
        }
        guard policy.scopes.isEmpty || hasScopes(policy, identity.principal) else {
            return .deny(
                Denial(
                    .insufficientScope, challengeParameter: "scope=\"\(policy.scopes.joined(separator: " "))\""))
        }
        return decideSignIn(policy, identity, at: moment, rules, storeFailure: storeFailure)
    }

    // MARK: - Revocation

    enum RevocationAnswer {
        case passes
        case revoked(DecisionCode)
        case loading
        /// Only the store itself may say.
        case notAsked
        case unknown(StoreFailure)
    }

    func revocation(_ policy: RoutePolicy, _ standing: Standing, at moment: Moment) -> RevocationAnswer {
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

    func providerPasses(_ policy: RoutePolicy, _ principal: Principal) -> Bool {
        guard !policy.providers.isEmpty else { return true }
        guard let provider = principal.signInProvider else { return false }
        return policy.providers.contains { $0.utf8.elementsEqual(provider.utf8) }
    }

    /// Each scope byte for byte (RFC 6749 section 3.3).
    func hasScopes(_ policy: RoutePolicy, _ principal: Principal) -> Bool {
        policy.scopes.allSatisfy { wanted in principal.scopes.contains { $0.utf8.elementsEqual(wanted.utf8) } }
    }

    private func decideSignIn(
        _ policy: RoutePolicy, _ identity: VerifiedTokenCache.Entry, at moment: Moment, _ rules: RuleAsker?,
        storeFailure: (StoreFailure) -> Void
    ) -> Decision {
        var signedInAt: UnixTime?
        if let maxAge = policy.recentSignIn {
            switch recency(maxAge, policy, identity.standing, at: moment) {
            case .recent(let recorded): signedInAt = recorded
            case .ended where policy.revocation != .off:
                return .deny(Denial(identity.standing.kind.revokedCode))
            case .tooOld, .ended: return .deny(Denial(.requiresRecentLogin, maxAge: maxAge))
            case .loading: return .awaitStore
            case .notAsked: return .ask(.session)
            case .unknown(let failure):
                // Recency is never assumed, whatever the route does about revocations that cannot be read.
                storeFailure(failure)
                return .deny(Denial(.storeUnavailable))
            }
        }
        guard !policy.secondFactor || identity.standing.hasSecondFactor else {
            return .deny(needsSecondFactor(identity))
        }
        return decideRules(policy, identity, at: moment, rules, signedInAt: signedInAt, storeFailure)
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
            return .permit(Permit(identity: identity, signedInAt: signedInAt))
        }
        switch ask(rules, policy, identity, at: moment, asker, storeFailure) {
        case .passes(let recorded): return .permit(Permit(identity: identity, signedInAt: signedInAt ?? recorded))
        case .ends(let decision): return decision
        }
    }

    enum Recency {
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
    func recency(_ maxAge: Int64, _ policy: RoutePolicy, _ standing: Standing, at moment: Moment) -> Recency {
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
