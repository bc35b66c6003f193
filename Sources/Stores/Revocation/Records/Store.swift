package import JOSE
package import Redis

/// What gateways share and keep: who is revoked, who is disabled, which session signed in when.
///
/// Writes and strict reads are asynchronous and stay off the request path; requests read `view`, which the store keeps
/// up to date. A write returns only when the storage has acknowledged it and every reader of `view` sees it; in a store
/// that others write to, the second is waited for with a bound. Whether a write that throws reached the storage is unknown
/// only for `StoreError.Code.io`, and repeating it is safe, since every operation can be repeated without harm.
///
/// All times are whole seconds since 1970, from 0 to `StoreBounds.maximumTime`. Other facets of the store (`NonceStore`;
/// later links, accounts) are protocols of their own that refine or stand beside this one.
package protocol Store: Sendable {
    /// The shared table that requests read: revocations and disablings, and in an embedded store recorded sign-ins too.
    var view: StoreView { get }

    /// Where the store is in its life.
    var state: StoreState { get }

    /// How the connection to a store that others write to, too, is doing; nil for an embedded one.
    var health: StoreHealth? { get }

    /// Whether `view` holds every acknowledged write by construction, so that a strict read may be answered from it.
    ///
    /// True for an embedded store, which is the only writer of its records; false for one that follows others.
    var viewIsAuthoritative: Bool { get }

    /// What is wrong with the store and what to do, without credentials; nil: nothing.
    var trouble: String? { get }

    /// Whether the store takes writes, as far as is known.
    var isWritable: Bool { get }

    /// Looks after what no operation shows. Called every second.
    func inspect() async

    /// Confirms that what the store holds now is right, although records are missing that `view` keeps: they are given up.
    ///
    /// - Returns: what was missing.
    @discardableResult
    func accept() async throws(StoreError) -> StoreLoss

    /// Reads all records into `view`; until it has returned, `view.age` is nil.
    ///
    /// Invalid records are an error for their user alone: they are counted, logged and answered as `.faulty`.
    @discardableResult
    func load() async throws(StoreError) -> LoadReport

    /// Removes what expired at or before `now`, where the storage does not do that by itself. Called periodically.
    ///
    /// - Returns: how many were removed.
    @discardableResult
    func purge(now: Int64) async throws(StoreError) -> Int

    /// Finishes what was asked before, then releases the storage. Later calls throw `.closed`, and `view.age` is nil.
    func close() async throws(StoreError)

    /// Revokes what the user was given before `at`: `valid_since` becomes the later of the stored time and `at`; for
    /// `.everything` also no earlier than the start of the latest session.
    ///
    /// - Returns: the record as it is now.
    @discardableResult
    func revoke(_ user: UserKey, at: Int64, _ scope: RevocationScope) async throws(StoreError) -> UserRecord

    /// Begins a session of a user, or of an identity at a provider: the start is `at`, or the first second
    /// after the record's `valid_since` if that is later.
    ///
    /// The store orders starts and revocations: a revocation of `.everything` covers every session that began before it
    /// and none that begins after it, whatever the clocks of the gateways say.
    func beginSession(_ user: UserKey, at: Int64) async throws(StoreError) -> SessionStart

    /// Forgets `valid_since`. The only way back from `revoke`, and the repair of a faulty `valid_since`.
    @discardableResult
    func unrevoke(_ user: UserKey) async throws(StoreError) -> UserRecord

    /// Disables the user, or enables them again; also the repair of a faulty `disabled`.
    @discardableResult
    func setDisabled(_ user: UserKey, _ disabled: Bool) async throws(StoreError) -> UserRecord

    /// Revokes one session for good.
    ///
    /// - Parameter expires: when the session's credential expires, if known: the record goes with it. A nil keeps what
    ///   an earlier call said; without any, the record stays.
    @discardableResult
    func revokeSession(_ user: UserKey, _ session: String, expires: Int64?) async throws(StoreError) -> SessionRecord

    /// Records that the user of a session proved who they are: `signed_in_at` becomes the later of the stored time and
    /// `at`. A revoked session stays revoked.
    ///
    /// - Parameters:
    ///   - isAuthenticated: whether the proof was an authentication.
    ///   - expires: as for `revokeSession`.
    @discardableResult
    func recordSignIn(
        _ user: UserKey, _ session: String, at: Int64, isAuthenticated: Bool, expires: Int64?
    ) async throws(StoreError) -> SessionRecord

    /// The user's record in the store itself; an absent one is `UserRecord()`. A faulty one throws `.faultyRecord`.
    func user(_ user: UserKey) async throws(StoreError) -> UserRecord

    /// The session's record in the store itself; an absent one is `SessionRecord()`. A faulty one throws
    /// `.faultyRecord`.
    func session(_ user: UserKey, _ session: String) async throws(StoreError) -> SessionRecord
}

extension Store {
    /// Revokes what the user was given before `at`.
    @discardableResult
    package func revoke(_ user: UserKey, at time: Int64) async throws(StoreError) -> UserRecord {
        try await revoke(user, at: time, .before)
    }

    /// Records a proof that was no authentication.
    @discardableResult
    package func recordSignIn(
        _ user: UserKey, _ session: String, at time: Int64, expires: Int64?
    ) async throws(StoreError) -> SessionRecord {
        try await recordSignIn(user, session, at: time, isAuthenticated: false, expires: expires)
    }

    /// Revokes one session whose expiry the caller does not know: for good. It may go on in tokens that are issued later, when what was
    /// recorded of it would have expired.
    @discardableResult
    package func revokeSession(_ user: UserKey, _ session: String) async throws(StoreError) -> SessionRecord {
        try await revokeSession(user, session, expires: StoreBounds.maximumTime)
    }
}

/// Where a store is in its life.
package enum StoreState: Sendable, Equatable {
    /// Opened, and its records are not in the view yet.
    case opened
    /// The view was loaded.
    case ready
    /// Released; nothing more can be asked of it.
    case closed
}

/// What `Store.load` found.
package struct LoadReport: Sendable, Equatable {
    /// Valid records of users.
    package var users: Int
    /// Valid, unexpired records of sessions.
    package var sessions: Int
    /// Records that could not be read as what they should be.
    package var faulty: Int
    /// Records removed because they had expired.
    package var expired: Int

    /// A report; without arguments, that of an empty store.
    package init(users: Int = 0, sessions: Int = 0, faulty: Int = 0, expired: Int = 0) {
        self.users = users
        self.sessions = sessions
        self.faulty = faulty
        self.expired = expired
    }
}

/// What may be used once: nonces that were given out, and credentials that prove a sign-in.
///
/// A facet of a store, beside `Store`. Everything is named by a hash, so that the store holds nothing that could be presented. Times are seconds.
///
/// Whoever gets an error does not know whether the one use was made. Nothing is lost but the use: asking again may find it made, and the user
/// begins anew.
package protocol NonceStore: Sendable {
    /// Keeps a nonce that is given out, until it is taken or `lifetime` has passed.
    ///
    /// - Parameters:
    ///   - purpose: what it may be used for: 1 to `StoreBounds.maximumPurposeSize` lower-case letters and `-`.
    ///   - lifetime: 1 to `StoreBounds.maximumLifetime` seconds.
    func putNonce(_ nonce: SHA256Digest, purpose: String, lifetime: Int64) async throws(StoreError)

    /// Takes a nonce: its purpose for exactly one of all who ask, however many gateways they ask, and nil for a nonce that was never given out,
    /// was taken or is too old. One that was kept without a purpose may be used for `any`.
    func takeNonce(_ nonce: SHA256Digest) async throws(StoreError) -> String?

    /// Marks a credential as used: true for exactly one of all who ask, false for the others until `lifetime` has passed.
    ///
    /// - Parameter lifetime: at least as long as the credential is valid; 1 to `StoreBounds.maximumLifetime` seconds.
    func markSeen(_ credential: SHA256Digest, lifetime: Int64) async throws(StoreError) -> Bool

    /// Whether a credential is marked as used now; marks nothing.
    ///
    /// For what may be done twice but need not be, such as an event that its sender repeats: done first, then marked, so that what failed halfway
    /// is done at the repetition.
    func isSeen(_ credential: SHA256Digest) async throws(StoreError) -> Bool
}

/// All that a gateway keeps: both stores are one.
package typealias GatewayStore = Store & NonceStore & AccountStore

/// How a worker reads the store: through its view, and for what only the store itself can say through a connection.
package struct StoreAccess: Sendable {
    package let reader: StoreReader
    /// Where the store itself is asked; nil where the view holds all that it knows.
    package var redis: RedisConfiguration?

    package init(reader: StoreReader, redis: RedisConfiguration? = nil) {
        self.reader = reader
        self.redis = redis
    }
}
