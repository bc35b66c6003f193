import Authentication
package import GatewayCore
import JOSE
package import Revocation
import TextCoding

/// The list of a user's sessions, for the user and for operators. It decides nothing about requests.
package struct SessionCatalog: Sendable {
    /// The maximum size of the kept `User-Agent`, in bytes.
    static let maximumUserAgent = 256
    /// The maximum number of attempts to make room for a session.
    private static let attempts = 4

    private let store: any GatewayStore
    private let clock: GatewayClock

    /// Creates the lists of a store.
    package init(store: any GatewayStore, clock: GatewayClock) { (self.store, self.clock) = (store, clock) }

    init(parts: AccountParts) { self.init(store: parts.store, clock: parts.clock) }

    /// Returns the public ID of a session: half of a hash, because the name of a session is for the gateway only. The
    /// sizes make the hashed text unambiguous.
    static func id(of session: String, _ user: UserKey) throws(AccountDenial) -> String {
        let name = user.name
        let digest = try AccountDenial.hash(Array("session:\(name.utf8.count):\(name):\(session)".utf8))
        return HexDigits.text(of: Array(digest.bytes.prefix(16)))
    }

    /// Returns the entry of a session that begins.
    static func entry(
        of session: Session, _ source: SessionSource, userAgent: [UInt8], now: UnixTime
    ) throws(AccountDenial) -> ListedSession {
        let link = source.origin.link
        let facts = SessionFacts(
            provider: link?.provider ?? "firebase", subject: link?.subject,
            proof: source.signIn.latest(now: now.seconds).map { $0.isAuthenticated ? .authenticated : .confirmed },
            userAgent: SessionFacts.kept(userAgent))
        return ListedSession(
            id: try id(of: session.name, source.user), session: session.name, began: source.started, lastUsed: now,
            ends: session.endsAt, facts: facts.text)
    }

    /// Lists a new session before its cookie is sent.
    ///
    /// If the list is full, entries of ended sessions are removed. If there are none, the session with the least recent
    /// use ends. A session whose user or identity is only disabled counts as one that continues: it is valid again when
    /// an operator enables them, and would be missing in the list then.
    func add(_ entry: ListedSession, of user: UserKey) async throws {
        for _ in 0..<Self.attempts {
            if try await store.list(entry, of: user, now: clock.now()) { return }
            let listed = try await store.listedSessions(of: user, now: clock.now())
            let ended = try await states(of: listed, user).filter { $0.state == .ended }
            for (session, _) in ended { try await store.unlist(session.id, of: user) }
            guard ended.isEmpty, let least = listed.min(by: { $0.lastUsed < $1.lastUsed }) else { continue }
            try await end(least, of: user)
        }
        throw AccountDenial(.overloaded, reason: "the list of sessions was repeatedly changed concurrently")
    }

    /// Ends a session. The list forgets it last, so that an interrupted call can be repeated.
    func end(_ session: ListedSession, of user: UserKey) async throws {
        try await store.revokeSession(user, session.session, expires: session.ends.seconds)
        try await store.unlist(session.id, of: user)
    }

    /// Ends the session of a cookie.
    func end(_ caller: Principal) async throws {
        guard let session = caller.session else { return }
        try await store.revokeSession(caller.user, session, expires: caller.endedUntil)
        guard caller.origin != nil else { return }
        try await store.unlist(try Self.id(of: session, caller.user), of: caller.user)
    }

    /// Returns the valid sessions of a user, the latest use first.
    package func sessions(of user: UserKey) async throws(StoreError) -> [ListedSession] {
        try await states(of: try await store.listedSessions(of: user, now: clock.now()), user)
            .filter { $0.state == .valid }.map(\.session)
            .sorted { ($1.lastUsed, $0.id) < ($0.lastUsed, $1.id) }
    }

    /// The state of a listed session, in ascending order of severity.
    private enum State: Comparable {
        case valid
        /// Denied, and valid again after a change by an operator: the user or the identity is disabled, or the view's
        /// record of the session is faulty.
        case suspended
        /// The session, its user or its identity was revoked, or the identity is not linked any more.
        case ended
    }

    /// Returns sessions with their states.
    private func states(
        of sessions: [ListedSession], _ user: UserKey
    ) async throws(StoreError) -> [(session: ListedSession, state: State)] {
        // Without libcrypto no state is known, and no session must be lost.
        guard let hasher = SHA256Hasher() else { return sessions.map { ($0, .suspended) } }
        let record = try await store.user(user)
        let links = try await store.account(user)?.links ?? [:]
        var identities: [IdentityLink: UserRecord] = [:]
        var states: [(session: ListedSession, state: State)] = []
        for session in sessions {
            var state = Self.state(of: session, record)
            if state != .ended { state = max(state, view(of: session, user, hasher)) }
            if state != .ended, let link = SessionFacts(session.facts)?.link {
                if links[link.provider]?.isExactly(link.subject) == true {
                    if identities[link] == nil { identities[link] = try await identity(link) }
                    state = max(state, identities[link].map { Self.state(of: session, $0) } ?? .valid)
                } else {
                    state = .ended
                }
            }
            states.append((session, state))
        }
        return states
    }

    /// Returns the state of a session by the record of its user or of its identity.
    private static func state(of session: ListedSession, _ record: UserRecord) -> State {
        guard record.validSince.map({ session.began > $0 }) ?? true else { return .ended }
        return record.disabled ? .suspended : .valid
    }

    /// Returns the record of an identity. A longer name is not a valid user, so it has no record.
    private func identity(_ link: IdentityLink) async throws(StoreError) -> UserRecord {
        guard (try? StoreBounds.check(user: UserKey(link))) != nil else { return UserRecord() }
        return try await store.user(UserKey(link))
    }

    /// Returns the state of a session by the view's record of it.
    private func view(of session: ListedSession, _ user: UserKey, _ hasher: SHA256Hasher) -> State {
        guard let key = StoreKey(user, session: session.session, hasher: hasher) else { return .suspended }
        switch store.view.session(key) {
        case .none, .record(false, _, _): return .valid
        case .record(true, _, _): return .ended
        case .faulty: return .suspended
        }
    }
}

// MARK: - Operators

extension SessionCatalog {
    /// Returns the record of a session.
    ///
    /// - Parameter session: The public ID of a listed session, or the name of any session.
    package func record(of session: String, of user: UserKey) async throws(StoreError) -> SessionRecord {
        try await store.session(user, listed(session, user)?.session ?? session)
    }

    /// Ends a session. The list keeps it, so that the call can be repeated; lists for people omit it.
    ///
    /// A name has the form of a public ID, and the ID of a session changes when the session is renewed. A text in this
    /// form that is neither in the list nor the name of a record therefore ends nothing.
    ///
    /// - Parameter session: As of `record(of:of:)`.
    /// - Returns: The record. `nil` if there is no such session.
    package func end(_ session: String, of user: UserKey) async throws(StoreError) -> SessionRecord? {
        if let listed = try await listed(session, user) {
            return try await store.revokeSession(user, listed.session, expires: listed.ends.seconds)
        }
        if StoreBounds.isSessionID(session) {
            guard try await hasRecord(session, user) else { return nil }
        }
        return try await store.revokeSession(user, session)
    }

    private func listed(_ session: String, _ user: UserKey) async throws(StoreError) -> ListedSession? {
        guard StoreBounds.isSessionID(session) else { return nil }
        return try await store.listedSessions(of: user, now: clock.now())
            .first { $0.id.isExactly(session) || $0.session.isExactly(session) }
    }

    private func hasRecord(_ session: String, _ user: UserKey) async throws(StoreError) -> Bool {
        do throws(StoreError) { return try await store.session(user, session) != SessionRecord() } catch {
            // A revocation repairs a faulty record.
            guard error.code == .faultyRecord else { throw error }
            return true
        }
    }
}

/// The facts of a listed session that its user recognizes it by.
package struct SessionFacts: Sendable, Equatable {
    /// The kind of proof that began the session.
    package enum Proof: String, Sendable {
        case authenticated
        case confirmed
    }

    /// The provider's ID, or `firebase`.
    package var provider: String
    /// The user at the provider. `nil` for Firebase.
    package var subject: String?
    /// `nil` if the sign-in was not proved.
    package var proof: Proof?
    /// The `User-Agent` of the sign-in, printable ASCII.
    package var userAgent: String?

    private static let limits = JSONLimits(size: StoreBounds.maximumSessionFacts, depth: 2, members: 8)

    /// The identity at a provider.
    var link: IdentityLink? { subject.map { IdentityLink(provider: provider, subject: $0) } }

    init(provider: String, subject: String?, proof: Proof?, userAgent: String?) {
        self.provider = provider
        self.subject = subject
        self.proof = proof
        self.userAgent = userAgent
    }

    /// Parses the JSON text. `nil` if it is invalid.
    package init?(_ text: String) {
        guard let document = try? JSONDocument(Array(text.utf8), limits: Self.limits),
            let provider = document.root["provider"]?.string
        else { return nil }
        self.init(
            provider: provider, subject: document.root["subject"]?.string,
            proof: document.root["proof"]?.string.flatMap(Proof.init(rawValue:)),
            userAgent: document.root["user_agent"]?.string)
    }

    /// The JSON text. Without the `User-Agent` if it would be too large.
    var text: String {
        var text = ObjectText()
        text.add("provider", provider)
        text.add("subject", subject)
        text.add("proof", proof?.rawValue)
        let required = text
        text.add("user_agent", userAgent)
        let bytes = text.bytes.count <= StoreBounds.maximumSessionFacts ? text.bytes : required.bytes
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the kept part of a `User-Agent`: printable ASCII, at most `SessionCatalog.maximumUserAgent` bytes. `nil`
    /// if nothing is left.
    static func kept(_ value: [UInt8]) -> String? {
        let bytes = value.lazy.filter { 0x20...0x7E ~= $0 }.prefix(SessionCatalog.maximumUserAgent)
        let text = String(decoding: Array(bytes), as: UTF8.self)
        return text.isEmpty ? nil : text
    }
}
