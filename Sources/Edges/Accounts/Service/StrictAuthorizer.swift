import Authentication
import Authorization
import GatewayCore
import JOSE
import Revocation

/// The authorization of account requests. It uses the store's current records and the same rules as the request path.
struct StrictAuthorizer: Sendable {
    let store: any GatewayStore
    let clock: GatewayClock
    let clockSkew: Int64
    let maxStaleness: UInt64
    /// The lookup of Firebase accounts. `nil` if they are not looked up.
    var firebase: (any FirebaseAccountLookup)?

    /// Denies a caller who is disabled or revoked, or, if `isRecent`, has no recent sign-in. Also denies a caller whose
    /// identity has a different owner since the request began.
    func require(_ caller: Principal, isRecent: Bool) async throws {
        try await require(caller, maximumAge: isRecent ? AccountDenial.recentSignIn : nil)
    }

    /// Like `require(_:isRecent:)`, with the maximum age of a recent sign-in in seconds. `nil` permits any age.
    /// `session` is the present name of the caller's session, if it has changed since its cookie was issued.
    /// `restarted` is its new start, if the store ended all other sessions of the user.
    func require(
        _ caller: Principal, maximumAge: Int64?, session name: String? = nil, restarted: UnixTime? = nil
    ) async throws {
        try await requireSameOwner(caller)
        var policy = RoutePolicy()
        policy.revocation = .strict
        policy.recentSignIn = maximumAge
        let record = try await store.user(caller.user)
        let session = try await session(of: caller, named: name)
        let records = StoreRecords.records(
            user: lookup(record, caller.userKey, for: caller, restarted: restarted), session: session,
            link: try await identity(of: caller))
        let entry = VerifiedTokenCache.Entry(
            principal: caller, verifier: 0, keySetGeneration: 0,
            identity: RenderedIdentity(bytes: [], lengthBeforeTime: 0, isTooLarge: false))
        let account = await account(of: caller.user, isFirebase: caller.facts.isFirebase)
        let context = DecisionContext(
            now: clock.now(), monotonic: clock.monotonic(), mayWait: false, records: records, account: account)
        switch authorizer.decide(policy, identity: entry, in: context, storeFailure: { _ in }) {
        case .permit: break
        case .deny(let denial): throw AccountDenial(denial)
        case .awaitStore, .queryStore, .lookUp: throw AccountDenial(.storeUnavailable)
        }
        // No gateway nonce ties a provider's token to its presenter, so that only a proof recorded by the gateway is
        // accepted.
        guard let maximumAge, caller.link != nil else { return }
        guard case .record(_, let recorded?, _) = session, recorded.age(at: context.now) <= maximumAge else {
            throw AccountDenial.signInAgain("a provider's own token proves no sign-in")
        }
    }

    /// Checks the owner again. It was determined when the request's head arrived, and the body may take long.
    private func requireSameOwner(_ caller: Principal) async throws {
        if let origin = caller.origin?.link, try await store.owner(of: origin) != caller.user {
            throw AccountDenial(
                caller.kind.revokedCode, reason: "the identity that started the session is no longer linked")
        }
        guard let link = caller.link else { return }
        let owner = try await store.owner(of: link) ?? UserKey(link)
        guard owner == caller.user else {
            throw AccountDenial(.userMismatch, reason: "the caller's identity was linked or unlinked meanwhile")
        }
    }

    /// Denies an identity or account that is disabled, or for which a credential made at `time` is revoked.
    ///
    /// - Parameters:
    ///   - time: When the credential was made. Without it, any revocation applies.
    ///   - isFirebase: Whether the user has a Firebase account, whose status applies too.
    ///   - evidence: The reason, if the user is found by a link from Firebase.
    ///   - accountSince: The earliest time of the account's status, in monotonic nanoseconds. `nil` for now.
    func require(
        _ user: UserKey, time: UnixTime?, isFirebase: Bool = false, evidence: FirebaseEvidence? = nil,
        accountSince: UInt64? = nil
    ) async throws {
        guard
            let facts = Self.facts(
                of: user, time: PossibleTime(time), isFirebase: isFirebase, evidence: evidence)
        else { throw AccountDenial(.internalError, reason: "libcrypto could not hash") }
        var policy = RoutePolicy()
        policy.revocation = .strict
        let record = try await store.user(user)
        let records = StoreRecords.records(user: lookup(record, facts.userKey, \.credentialsSince), session: nil)
        let account = await account(of: user, isFirebase: isFirebase, since: accountSince)
        let context = DecisionContext(
            now: clock.now(), monotonic: clock.monotonic(), mayWait: false, records: records, account: account)
        switch authorizer.revocation(policy, facts, in: context) {
        case .passes: break
        case .revoked(let code): throw AccountDenial(code)
        case .loading, .notQueried, .unknown: throw AccountDenial(.storeUnavailable)
        }
        guard firebase != nil, isFirebase else { return }
        switch authorizer.decideAccount(policy, facts, in: context, storeFailure: { _ in }) {
        case nil: return
        case .deny(let denial): throw AccountDenial(denial)
        case .permit, .awaitStore, .queryStore, .lookUp: throw AccountDenial(.storeUnavailable)
        }
    }

    /// Returns whether the view has a disabling, or a revocation of a session that started at `time`, of an identity or
    /// its account. Only known results count, whatever the age of the view.
    func isRevoked(_ link: IdentityLink, of account: UserKey?, since time: UnixTime) -> Bool {
        let facts = Self.facts(
            of: account ?? UserKey(link), link: account == nil ? nil : UserKey(link),
            time: PossibleTime(time.adding(-1)))
        guard let facts else { return true }
        return authorizer.refusal(facts, account: nil) != nil
    }

    /// Returns the facts of a credential without a session. `nil` if libcrypto cannot hash.
    ///
    /// - Parameter link: The user of the credential's identity, if it has a record of its own.
    private static func facts(
        of user: UserKey, link: UserKey? = nil, time: PossibleTime, isFirebase: Bool = false,
        evidence: FirebaseEvidence? = nil
    ) -> CredentialFacts? {
        guard let hasher = SHA256Hasher(), let key = StoreKey(user, hasher: hasher),
            let linkKey = StoreKey(link ?? user, hasher: hasher)
        else { return nil }
        return CredentialFacts(
            kind: .idToken, hasSecondFactor: false, isFirebase: isFirebase, hasSession: false,
            hasLinkRecord: link != nil, authTime: time, authenticatedAt: .unknown, validityTime: time,
            expiresAt: .latest, userKey: key, sessionKey: key, linkKey: linkKey,
            evidence: evidence.flatMap { $0.key(hasher: hasher) })
    }

    /// The view is not consulted again, because the records passed to it already include it.
    private var authorizer: Authorizer {
        Authorizer(
            store: StoreReader(view: store.view, lane: 0), viewIsAuthoritative: false, clockSkew: clockSkew,
            maxStaleness: maxStaleness, queriesFirebase: firebase != nil, includesView: false)
    }

    /// Returns the status of a Firebase user at `time` or later, in monotonic nanoseconds. `nil` for now.
    private func account(of user: UserKey, isFirebase: Bool, since time: UInt64? = nil) async -> AccountView {
        guard let firebase, isFirebase else { return .notQueried }
        let status = await withCheckedContinuation { continuation in
            firebase.lookUp(user, notBefore: time ?? clock.monotonic()) { continuation.resume(returning: $0) }
        }
        return status.state == .unavailable ? .failed(lastKnown: nil) : .known(status.state)
    }

    /// Returns the record of the identity at the provider, if it differs from the user.
    private func identity(of caller: Principal) async throws -> UserLookup? {
        guard let link = caller.recordedLink else { return nil }
        return lookup(try await store.user(UserKey(link)), caller.facts.linkKey, for: caller)
    }

    /// Returns the user's record for a caller. Gateway sessions are compared with the store's order, other credentials
    /// with the time of the revocation.
    ///
    /// A revocation before `restarted` does not apply: the store compared it with the earlier start of the session.
    private func lookup(
        _ record: UserRecord, _ key: StoreKey, for caller: Principal, restarted: UnixTime? = nil
    ) -> UserLookup {
        let found = lookup(record, key, caller.origin == nil ? \.credentialsSince : \.validSince)
        guard let restarted, case .record(let time?, let isDisabled) = found, time < restarted else { return found }
        return .record(validSince: nil, disabled: isDisabled)
    }

    /// Returns the stricter of the store's record and the view, because a store that lost records does not report it.
    /// `since` is the time in the record to compare with. The view contains only the order of sessions.
    private func lookup(_ record: UserRecord, _ key: StoreKey, _ since: KeyPath<UserRecord, UnixTime?>) -> UserLookup {
        var time = record[keyPath: since]
        var isDisabled = record.disabled
        if viewIsLoaded, case .record(let known, let isKnownDisabled) = store.view.user(key) {
            if let known, record.validSince.map({ $0 < known }) ?? true { time = known }
            isDisabled = isDisabled || isKnownDisabled
        }
        return .record(validSince: time, disabled: isDisabled)
    }

    private var viewIsLoaded: Bool { store.view.age(monotonicNow: clock.monotonic()) != nil }

    private func session(of caller: Principal, named name: String?) async throws -> SessionLookup? {
        guard let session = name ?? caller.session else { return nil }
        guard
            let key = name == nil
                ? caller.sessionKey
                : SHA256Hasher().flatMap({ StoreKey(caller.user, session: session, hasher: $0) })
        else { throw AccountDenial(.internalError, reason: "libcrypto could not hash") }
        let record = try await store.session(caller.user, session)
        var isKnownRevoked = false
        if viewIsLoaded, case .record(let revoked, _, _) = store.view.session(key) {
            isKnownRevoked = revoked
        }
        return .record(
            revoked: record.revoked || isKnownRevoked, signedInAt: record.signedInAt,
            isAuthenticated: record.isAuthenticated)
    }
}
