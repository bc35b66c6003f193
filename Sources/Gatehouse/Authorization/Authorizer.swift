/// The decision's word that a request may pass. Forwarding takes nothing else.
///
/// Only `Authorizer` makes one: its initializer is private to this file's extension of it.
struct Permit {
    /// Who is asking; nil: anonymous.
    let identity: VerifiedTokenCache.Entry?
    /// A sign-in later than the token's `auth_time` that this decision read from the store, in seconds since 1970.
    let signedInAt: Int64?

    fileprivate init(identity: VerifiedTokenCache.Entry?, signedInAt: Int64?) {
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
}

/// Decides whether a request may pass, once it is known whose credential it carries.
///
/// Order: disabled, revoked, sign-in provider, recent sign-in, second factor. Nothing here is cached: each request is decided anew.
struct Authorizer {
    let store: StoreReader
    let clockSkew: Int64
    /// How old the store's view may be, in nanoseconds.
    let maxStaleness: UInt64

    /// What the decision needs to know of the moment.
    struct Moment {
        /// Unix seconds, and monotonic nanoseconds.
        var now: Int64
        var monotonic: UInt64
        /// The request may still wait for the store's view to be loaded.
        var mayWait: Bool
    }

    /// - Parameter storeFailure: told when a request passes or fails because the store could not tell.
    func decide(
        _ policy: RoutePolicy, identity: VerifiedTokenCache.Entry?, at moment: Moment,
        storeFailure: (StoreFailure) -> Void
    ) -> Decision {
        guard let identity else {
            return policy.authentication == .required || policy.asksOfUsers
                ? .deny(Denial(.missingCredential)) : .permit(Permit(identity: nil, signedInAt: nil))
        }
        switch revocation(policy, identity.standing, at: moment) {
        case .passes: break
        case .revoked(let code): return .deny(Denial(code))
        case .loading: return .awaitStore
        case .unknown(let failure):
            storeFailure(failure)
            guard policy.allowsOnStoreFailure else { return .deny(Denial(.storeUnavailable)) }
        }
        // Most routes name no providers: then the principal itself is not looked at.
        guard policy.providers.isEmpty || providerPasses(policy, identity.principal) else {
            return .deny(Denial(.permissionDenied))
        }
        return decideSignIn(policy, identity, at: moment, storeFailure: storeFailure)
    }

    // MARK: - Revocation

    enum RevocationAnswer {
        case passes
        case revoked(DecisionCode)
        case loading
        case unknown(StoreFailure)
    }

    func revocation(_ policy: RoutePolicy, _ standing: Standing, at moment: Moment) -> RevocationAnswer {
        guard policy.revocation != .off else { return .passes }
        guard let age = store.view.age(monotonicNow: moment.monotonic) else {
            return moment.mayWait ? .loading : .unknown(.notLoaded)
        }
        guard age <= maxStaleness else { return .unknown(.stale) }
        let (user, session) = store.records(user: standing.userKey, session: standing.sessionKey)
        switch user {
        case .none: break
        case .faulty: return .unknown(.faultyRecord)
        case .record(let validSince, let disabled):
            // Disabled is told before revoked.
            if disabled { return .revoked(.userDisabled) }
            if let validSince, standing.authTime < validSince { return .revoked(standing.kind.revokedCode) }
        }
        switch session {
        case .none: return .passes
        case .faulty: return .unknown(.faultyRecord)
        case .record(let revoked, _): return revoked ? .revoked(standing.kind.revokedCode) : .passes
        }
    }

    // MARK: - How, and how recently, the user signed in

    func providerPasses(_ policy: RoutePolicy, _ principal: Principal) -> Bool {
        guard !policy.providers.isEmpty else { return true }
        guard let provider = principal.signInProvider else { return false }
        return policy.providers.contains { $0.utf8.elementsEqual(provider.utf8) }
    }

    private func decideSignIn(
        _ policy: RoutePolicy, _ identity: VerifiedTokenCache.Entry, at moment: Moment,
        storeFailure: (StoreFailure) -> Void
    ) -> Decision {
        var signedInAt: Int64?
        if let maxAge = policy.recentSignIn {
            switch recency(maxAge, identity.standing, at: moment) {
            case .recent(let recorded): signedInAt = recorded
            case .tooOld: return .deny(Denial(.requiresRecentLogin, maxAge: maxAge))
            case .loading: return .awaitStore
            case .unknown(let failure):
                // Recency is never assumed, whatever the route does about revocations that cannot be read.
                storeFailure(failure)
                return .deny(Denial(.storeUnavailable))
            }
        }
        guard !policy.secondFactor || identity.standing.hasSecondFactor else {
            return .deny(Denial(.secondFactorRequired))
        }
        return .permit(Permit(identity: identity, signedInAt: signedInAt))
    }

    enum Recency {
        /// With the recorded sign-in, where the token's own time did not suffice.
        case recent(Int64?)
        case tooOld
        case loading
        case unknown(StoreFailure)
    }

    /// The store is read only where `auth_time` alone does not suffice.
    func recency(_ maxAge: Int64, _ standing: Standing, at moment: Moment) -> Recency {
        if isRecent(standing.authTime, maxAge, now: moment.now) { return .recent(nil) }
        guard let age = store.view.age(monotonicNow: moment.monotonic) else {
            return moment.mayWait ? .loading : .unknown(.notLoaded)
        }
        guard age <= maxStaleness else { return .unknown(.stale) }
        switch store.session(standing.sessionKey) {
        case .none: return .tooOld
        case .faulty: return .unknown(.faultyRecord)
        case .record(_, let signedInAt):
            guard let signedInAt, isRecent(signedInAt, maxAge, now: moment.now) else { return .tooOld }
            return .recent(signedInAt)
        }
    }

    /// `-skew <= now - t <= maxAge`; the skew counts once, on the future's side.
    private func isRecent(_ time: Int64, _ maxAge: Int64, now: Int64) -> Bool {
        let age = now - time
        return age >= -clockSkew && age <= maxAge
    }
}

/// Why the store could not tell.
enum StoreFailure: Sendable {
    /// Its view was not loaded within the time that a request waits.
    case notLoaded
    /// Its view is older than `max_staleness`.
    case stale
    /// The record of this user or session is not valid.
    case faultyRecord
}
