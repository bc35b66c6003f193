import Authentication
import Authorization
import GatewayCore
import JOSE
import Revocation

/// Decides, by the store's own records of now and the same rules as on the request path, whether somebody may do what
/// a call asks.
struct StrictAuthorizer: Sendable {
    let store: any GatewayStore
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
        policy.recentSignIn = isRecent ? AccountDenial.recentSignIn : nil
        let record = try await store.user(caller.user)
        let session = try await session(of: caller)
        let answer = StoreAnswer.records(
            user: lookup(record, caller.userKey, for: caller), session: session, link: try await identity(of: caller))
        let entry = VerifiedTokenCache.Entry(
            principal: caller, verifier: 0, keySetGeneration: 0,
            identity: RenderedIdentity(bytes: [], lengthBeforeTime: 0, isTooLarge: false))
        let account = await account(of: caller.user, isFirebase: caller.standing.isFirebase)
        let context = DecisionContext(
            now: clock.now(), monotonic: clock.monotonic(), mayWait: false, answer: answer, account: account)
        switch authorizer.decide(policy, identity: entry, in: context, storeFailure: { _ in }) {
        case .permit: break
        case .deny(let denial): throw AccountDenial(denial)
        case .awaitStore, .queryStore, .lookUp: throw AccountDenial(.storeUnavailable)
        }
        // No nonce of ours ties a provider's token to whoever presents it: only a proof that the gateway recorded for it counts.
        guard isRecent, caller.link != nil else { return }
        guard case .record(_, let recorded?, _) = session, recorded.age(at: context.now) <= AccountDenial.recentSignIn
        else {
            throw AccountDenial.signInAgain("a provider's own token proves no sign-in")
        }
    }

    /// Whom a provider's token names was decided by what this gateway knew of its link when the request's head had come. Its body may take long.
    private func requireSameOwner(_ caller: Principal) async throws {
        if let origin = caller.origin?.link, try await store.owner(of: origin) != caller.user {
            throw AccountDenial(
                caller.kind.revokedCode, reason: "the identity that began the session is linked no more")
        }
        guard let link = caller.link else { return }
        let owner = try await store.owner(of: link) ?? UserKey(link)
        guard owner == caller.user else {
            throw AccountDenial(.userMismatch, reason: "the caller's identity was linked or unlinked meanwhile")
        }
    }

    /// Refuses an identity, or an account, that is disabled or whose sign-ins of that time are revoked.
    ///
    /// - Parameters:
    ///   - time: when the credential was made; without it, any revocation counts.
    ///   - isFirebase: whether Firebase keeps the account, and may say that it counts no more.
    func require(_ user: UserKey, time: UnixTime?, isFirebase: Bool = false) async throws {
        guard let hasher = SHA256Hasher(), let key = StoreKey(user, hasher: hasher) else {
            throw AccountDenial(.internalError, reason: "libcrypto could not hash")
        }
        let time = PossibleTime(time)
        let standing = CredentialFacts(
            kind: .idToken, hasSecondFactor: false, isFirebase: isFirebase, hasSession: false, hasLinkRecord: false,
            authTime: time, authenticatedAt: .unknown, validityTime: time, expiresAt: .latest, userKey: key,
            sessionKey: key, linkKey: key)
        var policy = RoutePolicy()
        policy.revocation = .strict
        let record = try await store.user(user)
        let answer = StoreAnswer.records(user: lookup(record, key, \.credentialsSince), session: nil)
        let account = await account(of: user, isFirebase: isFirebase)
        let context = DecisionContext(
            now: clock.now(), monotonic: clock.monotonic(), mayWait: false, answer: answer, account: account)
        switch authorizer.revocation(policy, standing, in: context) {
        case .passes: break
        case .revoked(let code): throw AccountDenial(code)
        case .loading, .notAsked, .unknown: throw AccountDenial(.storeUnavailable)
        }
        guard firebase != nil, isFirebase else { return }
        switch authorizer.decideAccount(policy, standing, in: context, storeFailure: { _ in }) {
        case nil: return
        case .deny(let denial): throw AccountDenial(denial)
        case .permit, .awaitStore, .queryStore, .lookUp: throw AccountDenial(.storeUnavailable)
        }
    }

    /// It takes the answers as they are: they have what the view knows besides.
    private var authorizer: Authorizer {
        Authorizer(
            store: StoreReader(view: store.view, lane: 0), viewIsAuthoritative: false, clockSkew: clockSkew,
            maxStaleness: maxStaleness, asksFirebase: firebase != nil, countsView: false)
    }

    /// What Firebase says of its user now.
    private func account(of user: UserKey, isFirebase: Bool) async -> AccountView {
        guard let firebase, isFirebase else { return .notAsked }
        let status = await withCheckedContinuation { continuation in
            firebase.look(user, notBefore: clock.monotonic()) { continuation.resume(returning: $0) }
        }
        return status.answer == .unavailable ? .failed(lastKnown: nil) : .known(status.answer)
    }

    /// What is known of the identity at the provider, where it is not the uid.
    private func identity(of caller: Principal) async throws -> UserLookup? {
        guard let link = caller.recordedLink else { return nil }
        return lookup(try await store.user(UserKey(link)), caller.standing.linkKey, for: caller)
    }

    /// Sessions of ours are compared with the order of the store, other credentials with the time of the revocation.
    private func lookup(_ record: UserRecord, _ key: StoreKey, for caller: Principal) -> UserLookup {
        lookup(record, key, caller.origin == nil ? \.credentialsSince : \.validSince)
    }

    /// What counts of a user: the store's record, and what the view knows beyond it, since a store that lost records does not tell.
    ///
    /// - Parameter since: what of the record the credential is compared with. The view has the order of sessions alone.
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

    private func session(of caller: Principal) async throws -> SessionLookup? {
        guard let session = caller.session else { return nil }
        let record = try await store.session(caller.user, session)
        var isKnownRevoked = false
        if viewIsLoaded, case .record(let revoked, _, _) = store.view.session(caller.sessionKey) {
            isKnownRevoked = revoked
        }
        return .record(
            revoked: record.revoked || isKnownRevoked, signedInAt: record.signedInAt,
            isAuthenticated: record.isAuthenticated)
    }
}
