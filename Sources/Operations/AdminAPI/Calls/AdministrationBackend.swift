package import GatewayConfiguration
package import GatewayCore
package import Revocation

/// What the admin listener asks of the gateway. Times are seconds since 1970; a uid and a tenant are raw, as in a token.
package protocol AdministrationBackend: Sendable {
    /// What must hold before requests should be sent here, each with the reason where it does not. No uid in it. It must not block.
    func readiness() -> [ReadinessCheck]
    /// The metrics in Prometheus' text format. No uid in it.
    func metricsText() async -> String

    /// What the store knows of a user; an empty record for one of whom it knows nothing.
    func user(_ user: UserKey) async throws(AdministrationError) -> UserRecord
    /// Revokes the user's tokens whose `auth_time` is before `at`, or before now. Never moves `validSince` back.
    func revoke(_ user: UserKey, at: UnixTime?) async throws(AdministrationError) -> UserRecord
    /// Takes a revocation back: clears `validSince`.
    func unrevoke(_ user: UserKey) async throws(AdministrationError) -> UserRecord
    /// Lets nothing of the user pass, whatever the token.
    func disable(_ user: UserKey) async throws(AdministrationError) -> UserRecord
    /// Takes `disable` back.
    func enable(_ user: UserKey) async throws(AdministrationError) -> UserRecord
    /// What the store knows of one session; an empty record for one of which it knows nothing.
    func session(_ user: UserKey, _ session: String) async throws(AdministrationError) -> SessionRecord
    /// Ends one session: a `sid`, or the decimal `auth_time` of its tokens.
    func revokeSession(_ user: UserKey, session: String) async throws(AdministrationError) -> SessionRecord

    /// The key sets and their state.
    func keys() async -> [AdministeredKeySet]
    /// Fetches every key set now, and tells the state afterwards. A fetch that fails is told in the set's `lastError`.
    func refreshKeys() async throws(AdministrationError) -> [AdministeredKeySet]
    /// The routes in the order of the configuration.
    func routes() async -> [Configuration.Route]
    /// Confirms what the store holds now, although it has lost records; what was lost.
    func acceptStore() async throws(AdministrationError) -> StoreLoss
    /// Reads the configuration again and puts it in place; its number then. `invalid` with what is wrong, which changes nothing.
    func reload() async throws(AdministrationError) -> UInt64
}

/// One thing that must hold for the gateway to be ready.
package struct ReadinessCheck: Sendable, Equatable {
    /// What is checked, such as `store` or `keys https://...`.
    package var name: String
    /// Why it does not hold; nil when it does.
    package var why: String?
    /// What operators should know although it holds.
    package var note: String?

    /// A check; it holds without a reason why not.
    package init(_ name: String, why: String? = nil, note: String? = nil) {
        self.name = name
        self.why = why
        self.note = note
    }

    /// Whether it holds.
    package var isOK: Bool { why == nil }
}

/// Why an administrative call did not succeed.
package enum AdministrationError: Error, Equatable, Sendable {
    /// The store did not do it, or not certainly: repeat the call. Answered with 503.
    case storeUnavailable
    /// The caller asked for something that cannot be, and why. Answered with 400.
    case invalid(String)
    /// It cannot be done now, and why. Answered with 503.
    case unavailable(String)
}

/// A key set as the admin API shows it.
package struct AdministeredKeySet: Sendable, Equatable {
    /// Where it comes from, without a query.
    package var url: String
    /// When it was last fetched; nil before the first time.
    package var fetchedAt: Int64?
    /// When it will be fetched again; nil while nothing is planned.
    package var refreshAt: Int64?
    /// The `kid`s of its usable keys.
    package var keyIDs: [String]
    /// What kept each other key from being used.
    package var skipped: [String]
    /// Why the last fetch failed; nil when it succeeded.
    package var lastError: String?

    /// The state of a set.
    package init(
        url: String, fetchedAt: Int64? = nil, refreshAt: Int64? = nil, keyIDs: [String] = [], skipped: [String] = [],
        lastError: String? = nil
    ) {
        self.url = url
        self.fetchedAt = fetchedAt
        self.refreshAt = refreshAt
        self.keyIDs = keyIDs
        self.skipped = skipped
        self.lastError = lastError
    }
}
