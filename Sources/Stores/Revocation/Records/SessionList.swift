package import GatewayCore

/// A session in the list of its user's sessions.
package struct ListedSession: Sendable, Equatable {
    /// The public ID: 32 lower-case hexadecimal digits. It does not reveal the session's name.
    package var id: String
    /// The name of the session in the store, 1 to `StoreBounds.maximumSessionSize` bytes.
    package var session: String
    /// When the session began, by the clock of its gateway.
    package var began: UnixTime
    /// A recent request of the session. Later requests may be missing.
    package var lastUsed: UnixTime
    /// When the session ends, and the entry with it.
    package var ends: UnixTime
    /// Further facts as JSON, 1 to `StoreBounds.maximumSessionFacts` bytes.
    package var facts: String

    /// Creates an entry.
    package init(id: String, session: String, began: UnixTime, lastUsed: UnixTime, ends: UnixTime, facts: String) {
        self.id = id
        self.session = session
        self.began = began
        self.lastUsed = lastUsed
        self.ends = ends
        self.facts = facts
    }
}

/// A request of a session.
package struct SessionUse: Sendable, Hashable {
    package let user: UserKey
    /// The public ID of the session.
    package let id: String

    /// Creates a use.
    package init(user: UserKey, id: String) {
        self.user = user
        self.id = id
    }
}

/// The lists of users' sessions: a facet of a store, beside `Store`.
///
/// A list is for people. It decides nothing: a session that is missing in its list is valid, and a session in its list
/// may have been revoked. Entries of sessions that have ended are ignored and removed.
package protocol SessionListStore: Sendable {
    /// Adds a session to the list of its user, or replaces the entry with its ID.
    ///
    /// - Returns: `false`, without a change, if the list has `StoreBounds.maximumListedSessions` others at `now`.
    func list(_ session: ListedSession, of user: UserKey, now: Int64) async throws(StoreError) -> Bool

    /// Revokes a session permanently, unless it is revoked, and lists another one in its place. It is one atomic step,
    /// so that no revocation of the session is lost.
    ///
    /// - Parameters:
    ///   - old: The name and the ID of the session to revoke, and the expiry of its credentials (as for
    ///     `Store.revokeSession`).
    ///   - session: The session in its place. `nil` lists no session.
    /// - Returns: The record before the revocation. If it is revoked, nothing has changed.
    func replace(
        _ old: (session: String, id: String, expires: Int64?), with session: ListedSession?, of user: UserKey
    ) async throws(StoreError) -> SessionRecord

    /// Returns the listed sessions of a user that have not ended at `now`, in no order. Invalid entries are omitted.
    func listedSessions(of user: UserKey, now: Int64) async throws(StoreError) -> [ListedSession]

    /// Removes a session from the list of its user. The session does not end.
    func unlist(_ id: String, of user: UserKey) async throws(StoreError)

    /// Records requests of sessions at `time`. Sessions that are not listed, or used later, do not change.
    ///
    /// - Parameter uses: At most `StoreBounds.maximumRecordedUses`.
    func recordUses(_ uses: [SessionUse], at time: Int64) async throws(StoreError)
}

extension StoreBounds {
    /// The maximum number of listed sessions of a user.
    package static let maximumListedSessions = 100
    /// The maximum size of the facts of a listed session, in bytes.
    package static let maximumSessionFacts = 1_024
    /// The maximum number of uses that are recorded at once.
    package static let maximumRecordedUses = 256

    package static func check(_ session: ListedSession, of user: UserKey) throws(StoreError) {
        try check(user: user, session: session.session)
        guard isSessionID(session.id), 1...maximumSessionFacts ~= session.facts.utf8.count else {
            throw .invalidAccount("a listed session has an ID, and 1 to \(maximumSessionFacts) bytes of facts")
        }
    }

    /// Returns whether a text has the form of a public ID.
    package static func isSessionID(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 32
            && text.utf8.allSatisfy {
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
            }
    }
}
