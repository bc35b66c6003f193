package import GatewayCore
package import JOSE
package import Redis

/// The state that gateways share and persist: revocations, disabled users and sign-in times.
///
/// Writes and strict reads are asynchronous and never on the request path; requests read `view`, which the store
/// keeps current. A write returns when the storage has acknowledged it and all readers of `view` see it. In a store
/// with other writers, the wait for the view is bounded. A failed write may have reached the storage only for
/// `StoreError.Code.io`. Every operation is safe to repeat.
///
/// All times are whole seconds since 1970, from 0 to `StoreBounds.maximumTime`. The other facets of a store are
/// protocols of their own: `NonceStore`, `AccountStore`, `FlowStore`, `WriteBackQueue`, `OutboxStore`,
/// `LeaseStore`, `SessionListStore` and `AccountAdministrationStore`.
package protocol Store: Sendable {
    /// The shared table that requests read: revocations and disabled users, and in an embedded store also sign-ins.
    var view: StoreView { get }

    /// The state of the store.
    var state: StoreState { get }

    /// The health of a store with other writers. `nil` for an embedded store.
    var health: StoreHealth? { get }

    /// Whether `view` always contains every acknowledged write, so that a strict read can use it.
    ///
    /// True for an embedded store, which is the only writer of its records. False for a store with other writers.
    var viewIsAuthoritative: Bool { get }

    /// The current problem and its remedy, without credentials. `nil` without a problem.
    var trouble: String? { get }

    /// Whether the store is known to accept writes.
    var isWritable: Bool { get }

    /// Checks for problems that operations do not reveal. Called every second.
    func inspect() async

    /// Confirms that the content of the store is correct although records are missing. The view drops the missing
    /// records.
    ///
    /// - Returns: The missing records.
    @discardableResult
    func accept() async throws(StoreError) -> StoreLoss

    /// Reads all records into `view`. Until it returns, `view.age` is `nil`.
    ///
    /// An invalid record affects only its user. It is counted, logged and looked up as `.faulty`.
    @discardableResult
    func load() async throws(StoreError) -> LoadReport

    /// Removes records that expired at or before `now`, if the storage does not expire them, and completes interrupted
    /// deletions of accounts. Called periodically.
    ///
    /// - Returns: The number of removed records and accounts.
    @discardableResult
    func purge(now: Int64) async throws(StoreError) -> Int

    /// Completes pending operations, then releases the storage. Later calls throw `.closed`, and `view.age` is `nil`.
    func close() async throws(StoreError)

    /// Revokes the user's credentials that were issued before `at`. `valid_since` becomes the later of the stored
    /// time and `at`; for `.everything`, it is no earlier than the start of the latest session.
    ///
    /// - Returns: The new record.
    @discardableResult
    func revoke(
        _ user: UserKey, at: Int64, _ scope: RevocationScope, by author: ChangeAuthor
    ) async throws(StoreError) -> UserRecord

    /// Begins a session of a user or a linked identity. Its start is `at`, or the first second after the record's
    /// `valid_since` if that is later.
    ///
    /// The store orders starts and revocations. A revocation of `.everything` covers all sessions that began before
    /// it and no later session, regardless of the gateways' clocks.
    ///
    /// - Parameter restartedFrom: The earlier start of a session that begins again, because all other sessions of its
    ///   user ended. A revocation of a time since then covers the session. `nil` for a new session.
    func beginSession(
        _ user: UserKey, at: Int64, restartedFrom: UnixTime?
    ) async throws(StoreError) -> SessionStart

    /// Removes `valid_since`. This is the only way to undo `revoke`, and repairs a faulty `valid_since`.
    @discardableResult
    func unrevoke(_ user: UserKey) async throws(StoreError) -> UserRecord

    /// Disables or enables the user. This also repairs a faulty `disabled`, unless a transmitter enables the user.
    ///
    /// The user is disabled while any author's block remains. A transmitter lifts its own block, unless its block is
    /// later than `author.time`; other authors lift all blocks.
    @discardableResult
    func setDisabled(
        _ user: UserKey, _ disabled: Bool, by author: ChangeAuthor
    ) async throws(StoreError) -> UserRecord

    /// Reserves a place for the record of a user, who may be unknown to the store. Called before the record is
    /// written.
    ///
    /// A user is known who has a record that does not end. The caller checks for an account and a link. Places are
    /// counted for each transmitter, and end with `expires`.
    ///
    /// - Parameters:
    ///   - expires: The end of the record. `nil` for a record that does not end, whose place is not freed.
    ///   - limit: The maximum number of places of the transmitter.
    func reserve(
        _ user: UserKey, for transmitter: String, until expires: UnixTime?, limit: Int
    ) async throws(StoreError) -> RecordReservation

    /// Revokes one session permanently.
    ///
    /// - Parameter expires: The expiry of the session's credential, with which the record expires. `nil` keeps the
    ///   expiry of an earlier call; without any, the record does not expire.
    @discardableResult
    func revokeSession(_ user: UserKey, _ session: String, expires: Int64?) async throws(StoreError) -> SessionRecord

    /// Records a proof of the identity of a session's user. `signed_in_at` becomes the later of the stored time and
    /// `at`. A revoked session stays revoked.
    ///
    /// - Parameters:
    ///   - isAuthenticated: Whether the proof was an authentication.
    ///   - expires: As for `revokeSession`.
    @discardableResult
    func recordSignIn(
        _ user: UserKey, _ session: String, at: Int64, isAuthenticated: Bool, expires: Int64?
    ) async throws(StoreError) -> SessionRecord

    /// Returns the user's record from the storage. An absent record is `UserRecord()`. A faulty record throws
    /// `.faultyRecord`.
    func user(_ user: UserKey) async throws(StoreError) -> UserRecord

    /// Returns the session's record from the storage. An absent record is `SessionRecord()`. A faulty record throws
    /// `.faultyRecord`.
    func session(_ user: UserKey, _ session: String) async throws(StoreError) -> SessionRecord
}

extension Store {
    /// Begins a new session of a user or a linked identity.
    package func beginSession(_ user: UserKey, at time: Int64) async throws(StoreError) -> SessionStart {
        try await beginSession(user, at: time, restartedFrom: nil)
    }

    /// Revokes the user's credentials that were issued before `at`.
    @discardableResult
    package func revoke(_ user: UserKey, at time: Int64) async throws(StoreError) -> UserRecord {
        try await revoke(user, at: time, .before)
    }

    /// Revokes the user's credentials, on behalf of the gateway, an operator or the user.
    @discardableResult
    package func revoke(
        _ user: UserKey, at time: Int64, _ scope: RevocationScope
    ) async throws(StoreError) -> UserRecord {
        try await revoke(user, at: time, scope, by: .gateway)
    }

    /// Disables or enables the user, on behalf of the gateway, an operator or the user.
    @discardableResult
    package func setDisabled(_ user: UserKey, _ disabled: Bool) async throws(StoreError) -> UserRecord {
        try await setDisabled(user, disabled, by: .gateway)
    }

    /// Records a proof that was not an authentication.
    @discardableResult
    package func recordSignIn(
        _ user: UserKey, _ session: String, at time: Int64, expires: Int64?
    ) async throws(StoreError) -> SessionRecord {
        try await recordSignIn(user, session, at: time, isAuthenticated: false, expires: expires)
    }

    /// Revokes one session of unknown expiry permanently. Tokens that are issued after the recorded expiry may still
    /// belong to the session.
    @discardableResult
    package func revokeSession(_ user: UserKey, _ session: String) async throws(StoreError) -> SessionRecord {
        try await revokeSession(user, session, expires: StoreBounds.maximumTime)
    }
}

/// The state of a store.
package enum StoreState: Sendable, Equatable {
    /// Open, with records that are not yet loaded into the view.
    case opened
    /// Loaded.
    case ready
    /// Closed. No operation is possible.
    case closed
}

/// The result of `Store.load`.
package struct LoadReport: Sendable, Equatable {
    /// The number of valid user records.
    package var users: Int
    /// The number of valid, unexpired session records.
    package var sessions: Int
    /// The number of invalid records.
    package var faulty: Int
    /// The number of removed expired records.
    package var expired: Int

    /// Creates a report; without arguments, that of an empty store.
    package init(users: Int = 0, sessions: Int = 0, faulty: Int = 0, expired: Int = 0) {
        self.users = users
        self.sessions = sessions
        self.faulty = faulty
        self.expired = expired
    }
}

/// Single-use values: issued nonces, and credentials that prove a sign-in.
///
/// A facet of a store, beside `Store`. All values are named by their hashes, so that the store contains nothing that
/// can be presented. Times are in seconds.
///
/// After an error, it is unknown whether the value was consumed. A repeated call may report it as used, and the user
/// has to start again.
package protocol NonceStore: Sendable {
    /// Stores an issued nonce until it is taken or `lifetime` has passed.
    ///
    /// - Parameters:
    ///   - purpose: The permitted use: 1 to `StoreBounds.maximumPurposeSize` lower-case letters and `-`.
    ///   - lifetime: 1 to `StoreBounds.maximumLifetime` seconds.
    func putNonce(_ nonce: SHA256Digest, purpose: String, lifetime: Int64) async throws(StoreError)

    /// Consumes a nonce and returns its purpose to exactly one of all callers on all gateways. A nonce that was
    /// stored without a purpose has the purpose `any`. `nil` for a nonce that is unknown, consumed or expired.
    func takeNonce(_ nonce: SHA256Digest) async throws(StoreError) -> String?

    /// Marks a credential as used. Returns `true` to exactly one of all callers, and `false` to all others until
    /// `lifetime` has passed.
    ///
    /// - Parameter lifetime: At least the remaining validity of the credential, 1 to `StoreBounds.maximumLifetime`
    ///   seconds.
    func markSeen(_ credential: SHA256Digest, lifetime: Int64) async throws(StoreError) -> Bool

    /// Returns whether a credential is marked as used.
    ///
    /// For repeatable work, such as an event that its sender delivers again: the caller performs the work before it
    /// marks the credential, so that a failure is retried with the next delivery.
    func isSeen(_ credential: SHA256Digest) async throws(StoreError) -> Bool
}

/// Open sign-in flows of browsers, and other small values that one browser stores between two requests.
///
/// A facet of a store, beside `Store`. Each value belongs to a holder, the hash of a browser's binding, and is named
/// by a hash. Whoever does not know the binding can neither read nor remove it.
package protocol FlowStore: Sendable {
    /// Stores a value until it is taken or `lifetime` has passed. A holder has at most
    /// `StoreBounds.maximumFlowsPerHolder` values; one more replaces the one that expires first.
    ///
    /// - Parameters:
    ///   - value: 1 to `StoreBounds.maximumFlowSize` bytes of UTF-8.
    ///   - lifetime: 1 to `StoreBounds.maximumFlowLifetime` seconds.
    ///   - now: The caller's time, in seconds since 1970.
    func putFlow(
        _ name: SHA256Digest, of holder: SHA256Digest, value: String, lifetime: Int64, now: Int64
    ) async throws(StoreError)

    /// Takes a value, which exactly one of all callers on all gateways receives. `nil` for a value that is unknown,
    /// taken, expired, or belongs to another holder. U+FFFD replaces invalid UTF-8 in a value of another
    /// program.
    func takeFlow(
        _ name: SHA256Digest, of holder: SHA256Digest, now: Int64
    ) async throws(StoreError) -> String?
}

/// All facets of a store. Both implementations provide all of them.
package typealias GatewayStore = Store & NonceStore & AccountStore & FlowStore & WriteBackQueue & OutboxStore
    & FleetStore & LeaseStore & SessionListStore & AccountAdministrationStore

/// A worker's access to the store: the view, and a connection for strict lookups.
package struct StoreAccess: Sendable {
    package let reader: StoreReader
    /// The configuration for strict lookups. `nil` if the view is authoritative.
    package var redis: RedisConfiguration?

    package init(reader: StoreReader, redis: RedisConfiguration? = nil) {
        self.reader = reader
        self.redis = redis
    }
}
