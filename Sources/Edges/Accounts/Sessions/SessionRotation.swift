import Authentication
import GatewayCore
import JOSE
import Revocation

/// The change of a session's name at each change of its privilege: link, unlink and reauthenticate.
///
/// The session with the earlier name ends in the same step, so that a copy of its cookie does not gain the privilege,
/// and no revocation is lost. Other sessions continue.
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
        guard let old = caller.session else { throw ended }
        let record = try await parts.store.session(caller.user, old)
        let now = UnixTime(clamping: parts.clock.now())
        let terms = SessionTerms(parts.settings)
        let end = terms.end(of: caller)
        guard now < end else { throw ended }
        let session = terms.session(RandomText.name(), now: now, endsAt: end)
        let issuer = SessionIssuer(keys: try parts.keys, terms: terms)
        let times = SignInTimes(caller, record, signIn)
        let profile = SessionProfile(try await parts.account(caller.user))
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
            began: caller.startedAt ?? now, lastUsed: now, ends: session.endsAt, facts: facts.text)
    }
}

/// The latest sign-in of a session: that of its cookie, of its record, or one that was proved just now.
struct SignInTimes {
    let latest: UnixTime?
    let authenticatedAt: UnixTime?

    /// Whether the latest sign-in was an authentication.
    var isAuthenticated: Bool { latest != nil && latest == authenticatedAt }

    init(_ caller: Principal, _ record: SessionRecord, _ signIn: SignInProof.Latest?) {
        latest = [caller.authTime, record.signedInAt, signIn?.time].compactMap(\.self).max()
        authenticatedAt =
            [
                caller.facts.authenticatedAt.known, record.isAuthenticated ? record.signedInAt : nil,
                signIn.flatMap { $0.isAuthenticated ? $0.time : nil },
            ].compactMap(\.self).max()
    }
}
