import JOSE

/// Decides, by the store's own records of now and the same rules as on the request path, whether somebody may do what
/// a call asks.
struct StrictStanding: Sendable {
    let store: AccountParts.AnyStore
    let clock: GatewayClock
    let clockSkew: Int64
    let maxStaleness: UInt64
    /// Whom to ask about Firebase's users besides; nil: nobody.
    var firebase: (any AccountLookingUp)?

    /// Refuses a caller who is disabled or revoked, or, where `isRecent`, did not sign in lately; and one whose identity belongs to somebody
    /// else since the request began.
    func require(_ caller: Principal, isRecent: Bool) async throws {
        try await requireSameOwner(caller)
        var policy = RoutePolicy()
        policy.revocation = .strict
        policy.recentSignIn = isRecent ? Refusal.recentSignIn : nil
        let answer = StoreAnswer.records(
            user: UserLookup(try await store.user(caller.uid)), session: try await session(of: caller),
            link: try await identity(of: caller))
        let entry = VerifiedTokenCache.Entry(
            principal: caller, verifier: 0, keySetGeneration: 0,
            identity: RenderedIdentity(bytes: [], lengthBeforeTime: 0, isTooLarge: false))
        let account = await account(of: caller.uid, isFirebase: caller.standing.isFirebase)
        let moment = Authorizer.Moment(
            now: clock.now(), monotonic: clock.monotonic(), mayWait: false, answer: answer, account: account)
        switch authorizer.decide(policy, identity: entry, at: moment, storeFailure: { _ in }) {
        case .permit: return
        case .deny(let denial): throw Refusal(denial)
        case .awaitStore, .ask, .lookUp: throw Refusal(.storeUnavailable)
        }
    }

    /// Whom a provider's token names was decided by what this gateway knew of its link when the request's head had come. Its body may take long.
    private func requireSameOwner(_ caller: Principal) async throws {
        guard let link = caller.link else { return }
        let owner = try await store.owner(of: link) ?? link.name
        guard owner.utf8.elementsEqual(caller.uid.utf8) else {
            throw Refusal(.userMismatch, reason: "the caller's identity was linked or unlinked meanwhile")
        }
    }

    /// Refuses an identity, or an account, that is disabled or whose sign-ins of that time are revoked.
    ///
    /// - Parameters:
    ///   - time: when the user proved who they are; without it, any revocation counts.
    ///   - isFirebase: whether Firebase keeps the account, and may say that it counts no more.
    func require(_ name: String, time: Int64?, isFirebase: Bool = false) async throws {
        guard let hasher = SHA256Hasher(), let key = StoreKey(user: name, hasher: hasher) else {
            throw Refusal(.internalError, reason: "libcrypto could not hash")
        }
        let unknown = Standing.unknown
        let standing = Standing(
            kind: .idToken, hasSecondFactor: false, isFirebase: isFirebase, hasSession: false, hasLinkRecord: false,
            authTime: time ?? unknown, validityTime: time ?? unknown, expiresAt: .max, userKey: key, sessionKey: key,
            linkKey: key)
        var policy = RoutePolicy()
        policy.revocation = .strict
        let answer = StoreAnswer.records(user: UserLookup(try await store.user(name)), session: nil)
        let account = await account(of: name, isFirebase: isFirebase)
        let moment = Authorizer.Moment(
            now: clock.now(), monotonic: clock.monotonic(), mayWait: false, answer: answer, account: account)
        switch authorizer.revocation(policy, standing, at: moment) {
        case .passes: break
        case .revoked(let code): throw Refusal(code)
        case .loading, .notAsked, .unknown: throw Refusal(.storeUnavailable)
        }
        guard firebase != nil, isFirebase else { return }
        switch authorizer.decideAccount(policy, standing, at: moment, storeFailure: { _ in }) {
        case nil: return
        case .deny(let denial): throw Refusal(denial)
        case .permit, .awaitStore, .ask, .lookUp: throw Refusal(.storeUnavailable)
        }
    }

    private var authorizer: Authorizer {
        Authorizer(
            store: StoreReader(view: store.view, lane: 0), viewIsAuthoritative: false, clockSkew: clockSkew,
            maxStaleness: maxStaleness, asksFirebase: firebase != nil)
    }

    /// What Firebase says of its user now.
    private func account(of uid: String, isFirebase: Bool) async -> AccountView {
        guard let firebase, isFirebase else { return .notAsked }
        let status = await withCheckedContinuation { continuation in
            firebase.look(uid: uid, notBefore: clock.monotonic()) { continuation.resume(returning: $0) }
        }
        return status.answer == .unavailable ? .failed(lastKnown: nil) : .known(status.answer)
    }

    /// What is known of the identity at the provider, where it is not the uid.
    private func identity(of caller: Principal) async throws -> UserLookup? {
        guard caller.standing.hasLinkRecord, let link = caller.link else { return nil }
        return UserLookup(try await store.user(link.name))
    }

    private func session(of caller: Principal) async throws -> SessionLookup? {
        guard let session = caller.session else { return nil }
        let record = try await store.session(caller.uid, session)
        return .record(revoked: record.revoked, signedInAt: record.signedInAt)
    }
}

extension UserLookup {
    fileprivate init(_ record: UserRecord) {
        self = .record(validSince: record.validSince, disabled: record.disabled)
    }
}
