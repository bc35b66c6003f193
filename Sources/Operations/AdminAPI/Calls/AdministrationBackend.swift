package import GatewayConfiguration
package import GatewayCore
package import Revocation

/// The gateway's operations for the admin listener. Times are seconds since 1970; uid and tenant are as in a token.
package protocol AdministrationBackend: Sendable {
    /// Returns the reason why the process should be replaced. `nil` if it responds. It must not block.
    func livenessFailure() -> String?
    /// Returns the conditions of readiness, each with the reason if it is not met. It contains no uid and must not
    /// block.
    func readiness() -> [ReadinessCheck]
    /// Returns the metrics in Prometheus text format, without any uid.
    func metricsText() async -> String
    /// Writes a change to the audit log.
    func record(_ action: AdminAction)

    /// Returns the store's record of a user; empty if there is no such record.
    func user(_ user: UserKey) async throws(AdministrationError) -> UserRecord
    /// Returns the last denials and sign-ins of a user at this gateway.
    func activity(_ user: UserKey) async throws(AdministrationError) -> UserActivity
    /// Revokes the user's tokens with an `auth_time` before `at`, or before now. It never decreases `validSince`.
    func revoke(_ user: UserKey, at: UnixTime?) async throws(AdministrationError) -> UserRecord
    /// Cancels a revocation by clearing `validSince`.
    func unrevoke(_ user: UserKey) async throws(AdministrationError) -> UserRecord
    /// Disables the user: all credentials are denied.
    func disable(_ user: UserKey) async throws(AdministrationError) -> UserRecord
    /// Reverses `disable`.
    func enable(_ user: UserKey) async throws(AdministrationError) -> UserRecord
    /// Returns the store's record of one session; empty if there is no such record.
    func session(_ user: UserKey, _ session: String) async throws(AdministrationError) -> SessionRecord
    /// Returns the valid sessions of the gateway that a user has, the latest use first.
    func sessions(of user: UserKey) async throws(AdministrationError) -> [AdministeredSession]
    /// Ends one session: an ID of `sessions(of:)`, a `sid`, or the decimal `auth_time` of its tokens.
    func revokeSession(_ user: UserKey, session: String) async throws(AdministrationError) -> SessionRecord

    /// Returns the user whose account has an identity or an address. `nil` if there is none.
    func findUser(_ search: AccountSearch) async throws(AdministrationError) -> UserKey?
    /// Returns a part of the list of accounts: the first one, or the one after a cursor.
    func accounts(after cursor: String?, limit: Int) async throws(AdministrationError) -> AccountPage
    /// Returns an account; empty if it does not exist.
    func account(_ user: UserKey) async throws(AdministrationError) -> AdministeredAccount
    /// Deletes an account that the gateway created, or completes its deletion.
    func deleteAccount(_ user: UserKey) async throws(AdministrationError) -> AdministeredAccount
    /// Unlinks a provider from an account, and ends the sessions that the identity began.
    func unlink(_ user: UserKey, provider: String) async throws(AdministrationError) -> AdministeredAccount
    /// Merges an account that the gateway created into another one, or completes the merge. Returns the target.
    func merge(_ source: UserKey, into target: UserKey) async throws(AdministrationError) -> AdministeredAccount

    /// Returns the state of the gateway and of its dependencies, without any uid.
    func status() async -> AdministeredStatus
    /// Returns the state of the key sets.
    func keys() async -> [AdministeredKeySet]
    /// Fetches every key set and returns the state afterwards. A failed fetch is reported in the set's `lastError`.
    func refreshKeys() async throws(AdministrationError) -> [AdministeredKeySet]
    /// Returns the routes in the order of the configuration.
    func routes() async -> [Configuration.Route]
    /// Opens a stream of decisions. It must not block.
    func openDecisions(_ filter: DecisionFilter) throws(AdministrationError) -> DecisionViewer
    /// Returns the state of the active configuration, without secrets.
    func configuration() async -> AdministeredConfiguration
    /// Returns the active rules, with the results since they were loaded if there is a console.
    func rules() async -> AdministeredRules
    /// Evaluates rules for a request that an operator stated. Throws `invalid` for rules with errors.
    func evaluateRules(_ question: RuleQuestion) async throws(AdministrationError) -> RuleAnswer
    /// Returns the recorded requests that the last reload decides differently. `nil` before a reload, and without a
    /// console.
    func reloadDifferences() async -> ReloadDifferences?
    /// Returns the gateways that share the store. It queries the store.
    func fleet() async -> AdministeredFleet
    /// Returns the samples after a time. `nil` for all.
    func history(since time: Int64?) async -> AdministeredHistory
    /// Returns the state of the outbox, with its oldest parked messages.
    func outbox() async throws(AdministrationError) -> AdministeredOutbox
    /// Makes at most 1,000 parked messages due. Returns their number.
    func retryOutbox() async throws(AdministrationError) -> Int
    /// Removes at most 1,000 parked messages. Returns their number.
    func discardOutbox() async throws(AdministrationError) -> Int
    /// Accepts the store's current content despite lost records, and returns the loss.
    func acceptStore() async throws(AdministrationError) -> StoreLoss
    /// Reloads the configuration and returns its number. Throws `invalid` with the errors if it is invalid; nothing
    /// changes then.
    func reload() async throws(AdministrationError) -> UInt64
}

/// One condition of readiness.
package struct ReadinessCheck: Sendable, Equatable {
    /// The name of the condition, for example `store` or `keys https://...`.
    package var name: String
    /// The reason why it is not met. `nil` if it is.
    package var why: String?
    /// Information for operators although the condition is met.
    package var note: String?

    /// Creates a condition. It is met if `why` is `nil`.
    package init(_ name: String, why: String? = nil, note: String? = nil) {
        self.name = name
        self.why = why
        self.note = note
    }

    /// Whether the condition is met.
    package var isOK: Bool { why == nil }
}

/// The reason why an administrative call failed.
package enum AdministrationError: Error, Equatable, Sendable {
    /// The store did not confirm the change: repeat the call. Status 503.
    case storeUnavailable
    /// The call is invalid, with the reason. Status 400.
    case invalid(String)
    /// The call is not possible now, with the reason. Status 503.
    case unavailable(String)
}

/// An account in the admin API.
package struct AdministeredAccount: Sendable, Equatable {
    package var record: AccountRecord
    /// When the account was deleted. `nil` if it was not.
    package var deleted: UnixTime?
    /// The account that it was merged into. `nil` if it was not merged.
    package var mergedInto: UserKey?

    /// Creates an account.
    package init(record: AccountRecord, deleted: UnixTime? = nil, mergedInto: UserKey? = nil) {
        self.record = record
        self.deleted = deleted
        self.mergedInto = mergedInto
    }
}

/// A session of a user in the admin API.
package struct AdministeredSession: Sendable, Equatable {
    /// The public ID, which does not reveal the session's name.
    package var id: String
    package var startedAt: UnixTime
    /// A recent request. Later ones may be missing.
    package var lastUsedAt: UnixTime
    package var endsAt: UnixTime
    /// The provider's ID, or `firebase`. `nil` if it is unknown.
    package var provider: String?
    /// `authenticated` or `confirmed`. `nil` if the sign-in was not proved.
    package var proof: String?
    /// The `User-Agent` of the sign-in, printable ASCII.
    package var userAgent: String?

    /// Creates a session.
    package init(
        id: String, startedAt: UnixTime, lastUsedAt: UnixTime, endsAt: UnixTime, provider: String? = nil,
        proof: String? = nil, userAgent: String? = nil
    ) {
        self.id = id
        self.startedAt = startedAt
        self.lastUsedAt = lastUsedAt
        self.endsAt = endsAt
        self.provider = provider
        self.proof = proof
        self.userAgent = userAgent
    }
}

/// The outbox in the admin API.
package struct AdministeredOutbox: Sendable {
    package var status: OutboxStatus
    /// The oldest parked messages. Their tokens are not part of the document.
    package var parked: [ParkedMessage]

    /// Creates a state.
    package init(status: OutboxStatus, parked: [ParkedMessage] = []) {
        self.status = status
        self.parked = parked
    }
}

/// A key set in the admin API.
package struct AdministeredKeySet: Sendable, Equatable {
    /// A usable key.
    package struct Key: Sendable, Equatable {
        /// Its ID. `nil` without one.
        package var keyID: String?
        /// Its thumbprint (RFC 7638) in base64url.
        package var thumbprint: String

        /// Creates a key.
        package init(keyID: String?, thumbprint: String) {
            self.keyID = keyID
            self.thumbprint = thumbprint
        }
    }

    /// The URL without its query.
    package var url: String
    /// When it was last fetched. `nil` before the first fetch.
    package var fetchedAt: Int64?
    /// When it will be fetched again. `nil` if no fetch is planned.
    package var refreshAt: Int64?
    /// The IDs of its usable keys.
    package var keyIDs: [String]
    /// Its usable keys with their thumbprints, sorted by ID.
    package var keys: [Key]
    /// The reasons why keys are unusable.
    package var skipped: [String]
    /// The reason why the last fetch failed. `nil` if it succeeded.
    package var lastError: String?

    /// Creates the state of a set.
    package init(
        url: String, fetchedAt: Int64? = nil, refreshAt: Int64? = nil, keyIDs: [String] = [], keys: [Key] = [],
        skipped: [String] = [], lastError: String? = nil
    ) {
        self.url = url
        self.fetchedAt = fetchedAt
        self.refreshAt = refreshAt
        self.keyIDs = keyIDs
        self.keys = keys
        self.skipped = skipped
        self.lastError = lastError
    }
}
