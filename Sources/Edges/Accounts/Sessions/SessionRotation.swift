import Authentication
import GatewayCore
import JOSE
import Revocation

/// The change of a session's name at each change of its privilege: link, unlink and reauthenticate.
///
/// The session with the earlier name ends in the same step, so that a copy of its cookie does not gain the privilege,
/// and no revocation is lost. Other sessions continue, unless the account lost or changed its address: then the store
/// ended all sessions, and only the caller's has a later start.
struct SessionRotation {
    let parts: AccountParts
    /// The principal of a session cookie of the gateway.
    let caller: Principal
    let userAgent: [UInt8]

    /// The session under its new name.
    struct Renamed {
        let cookie: SessionCookie
        let name: String
        /// The time of the latest sign-in.
        let signedInAt: UnixTime?
    }

    /// Creates the rotation. `nil` if the caller has no session of the gateway, whose name cannot change.
    init?(_ caller: Principal, _ call: AccountCall, _ parts: AccountParts) {
        guard caller.origin != nil, caller.session != nil else { return nil }
        self.parts = parts
        self.caller = caller
        userAgent = call.userAgent
    }

    /// Changes the name and returns the new cookie. The session keeps its start, its end and the latest sign-in.
    ///
    /// - Parameters:
    ///   - signIn: A sign-in that the caller proved.
    ///   - source: The contents of the session if it belongs to another identity from now on. Otherwise `nil`.
    func rotate(_ signIn: SignInProof.Latest? = nil, to source: SessionSource? = nil) async throws -> Renamed {
        try await rotate(signIn, to: source, restarted: nil, without: nil)
    }

    /// Changes the name of the session after all other sessions of the user ended, and returns the new cookie.
    ///
    /// - Parameters:
    ///   - start: The new start of the session in the user's record. `nil` if the session did not continue there.
    ///   - lost: An address that the account lost.
    func rotate(restarted start: UnixTime?, without lost: String? = nil) async throws -> Renamed {
        if let start { try await restart(at: start) }
        return try await rotate(nil, to: nil, restarted: start, without: lost)
    }

    private func rotate(
        _ signIn: SignInProof.Latest?, to source: SessionSource?, restarted: UnixTime?, without lost: String?
    ) async throws -> Renamed {
        guard let old = caller.session else { throw ended }
        let record = try await parts.store.session(caller.user, old)
        let now = UnixTime(clamping: parts.clock.now())
        let (issuer, session) = try issuer(now: now)
        let times = SignInTimes(caller, record, signIn, restarted: restarted)
        let profile = SessionProfile(try await parts.account(caller.user), without: lost)
        // The cookie is made first, because it may be too large.
        let cookie =
            if let source {
                try issuer.cookie(for: source, session)
            } else {
                try issuer.reissued(caller, as: session, times, profile)
            }
        let listed = try entry(of: session, source, times, now: now)
        let oldID = try SessionCatalog.id(of: old, caller.user)
        let before = try await parts.store.replace((old, oldID, caller.endedUntil), with: listed, of: caller.user)
        guard !before.revoked else { throw ended }
        return Renamed(cookie: cookie, name: session.name, signedInAt: times.latest)
    }

    /// Throws `.cookieTooLarge` if the cookie of the session has no room for the profile of `account`.
    func checkRoom(for account: AccountRecord) async throws {
        guard let old = caller.session else { throw ended }
        let record = try await parts.store.session(caller.user, old)
        let (issuer, session) = try issuer(now: UnixTime(clamping: parts.clock.now()))
        _ = try issuer.reissued(caller, as: session, SignInTimes(caller, record, nil), SessionProfile(account))
    }

    /// Returns the issuer, and the session under a new name.
    private func issuer(now: UnixTime) throws(AccountDenial) -> (SessionIssuer, Session) {
        let terms = SessionTerms(parts.settings)
        let end = terms.end(of: caller)
        guard now < end else { throw ended }
        return (
            SessionIssuer(keys: try parts.keys, terms: terms), terms.session(RandomText.name(), now: now, endsAt: end)
        )
    }

    /// Begins the session again in the record of its identity, as it began again in the user's record. A revocation of
    /// the identity since the session began ends the session.
    private func restart(at start: UnixTime) async throws {
        guard let link = caller.origin?.link, let started = caller.startedAt else { return }
        let begun = try await parts.store.beginSession(UserKey(link), at: start.seconds, restartedFrom: started)
        guard begun.started == start, !begun.record.disabled, begun.record.validSince.map({ $0 < started }) ?? true
        else { throw ended }
    }

    private var ended: AccountDenial {
        AccountDenial(caller.kind.revokedCode, reason: "the session ended meanwhile")
    }

    /// Returns the entry of the session in the list.
    private func entry(
        of session: Session, _ source: SessionSource?, _ times: SignInTimes, now: UnixTime
    ) throws(AccountDenial) -> ListedSession {
        if let source {
            return try SessionCatalog.entry(of: session, source, userAgent: userAgent, now: now)
        }
        let link = caller.origin?.link
        let facts = SessionFacts(
            provider: link?.provider ?? "firebase", subject: link?.subject,
            proof: times.latest.map { $0 == times.authenticatedAt ? .authenticated : .confirmed },
            userAgent: SessionFacts.kept(userAgent))
        return ListedSession(
            id: try SessionCatalog.id(of: session.name, caller.user), session: session.name,
            began: times.restarted ?? caller.startedAt ?? now, lastUsed: now, ends: session.endsAt, facts: facts.text)
    }
}

/// The latest sign-in of a session: that of its cookie, of its record, or one that was proved just now.
struct SignInTimes {
    let latest: UnixTime?
    let authenticatedAt: UnixTime?
    /// The new start of the session. `nil` if it keeps its start.
    let restarted: UnixTime?

    /// Whether the latest sign-in was an authentication.
    var isAuthenticated: Bool { latest != nil && latest == authenticatedAt }

    init(
        _ caller: Principal, _ record: SessionRecord, _ signIn: SignInProof.Latest?, restarted: UnixTime? = nil
    ) {
        self.restarted = restarted
        latest = [caller.authTime, record.signedInAt, signIn?.time].compactMap(\.self).max()
        authenticatedAt =
            [
                caller.facts.authenticatedAt.known, record.isAuthenticated ? record.signedInAt : nil,
                signIn.flatMap { $0.isAuthenticated ? $0.time : nil },
            ].compactMap(\.self).max()
    }
}
