package import Authentication
package import GatewayConfiguration
package import GatewayCore
import JOSE
import Revocation

/// The creation of session cookies.
struct SessionIssuer: Sendable {
    /// The maximum size of a token, in bytes. Browsers drop cookies of more than 4096 bytes including name and
    /// attributes (RFC 6265 section 6.1).
    static let maximumTokenSize = 4000

    let keys: SessionKeys
    let terms: SessionTerms

    /// Returns a new session with a lifetime in seconds.
    func newSession(now: UnixTime, lifetime: Int64) -> Session {
        terms.session(RandomText.name(), now: now, endsAt: now.adding(lifetime))
    }

    /// Returns the cookie of a session. If the profile that the user chose makes it too large, it has the name and the
    /// picture of the provider, because a profile must not prevent sign-ins.
    func cookie(for source: SessionSource, _ session: Session) throws(AccountDenial) -> SessionCookie {
        do {
            return try whole(source, session)
        } catch let denial
            where denial == .cookieTooLarge && !source.account.chosen.isDisjoint(with: [.name, .picture])
        {
            var smaller = source
            if source.account.chosen.contains(.name) { smaller.account.name = nil }
            smaller.account.chosen.subtract([.name, .picture])
            return try whole(smaller, session)
        }
    }

    private func whole(_ source: SessionSource, _ session: Session) throws(AccountDenial) -> SessionCookie {
        try cookie(source.claims(session, issuer: keys.issuer), source.header.text(of: session), session)
    }

    /// Returns a further cookie of the caller's session, with the profile that the user chose. `nil` if it would be too
    /// large. The session keeps its name, start, end and sign-in.
    func updated(
        _ caller: Principal, _ profile: SessionProfile, now: Int64
    ) throws(AccountDenial) -> SessionCookie? {
        guard let name = caller.session, let header = SessionHeader(caller) else { return nil }
        let session = terms.session(name, now: UnixTime(clamping: now), endsAt: terms.end(of: caller))
        let claims = Self.claims(of: caller, ["iat", "exp"], session, profile)
        do {
            return try cookie(claims, header.text(of: session), session)
        } catch let denial where denial == .cookieTooLarge {
            return nil
        }
    }

    /// Returns a further cookie of the session that a cookie belongs to. `caller` is a principal of that cookie.
    ///
    /// The session keeps its name, start and end, and the sign-in. Only `iat`, `exp` and the signing key change.
    func renewed(_ caller: Principal, now: Int64) throws(AccountDenial) -> SessionCookie {
        guard let name = caller.session, let header = SessionHeader(caller) else {
            throw AccountDenial(.internalError, reason: "the credential is no session cookie of this gateway")
        }
        let session = terms.session(name, now: UnixTime(clamping: now), endsAt: terms.end(of: caller))
        return try cookie(Self.claims(of: caller, ["iat", "exp"], session), header.text(of: session), session)
    }

    /// Returns the cookie of a session that continues the caller's under another name, with a later sign-in and the
    /// profile that the user chose. If the cookie would be too large, the name and the picture stay as they were.
    ///
    /// - Parameter times: Also has the start of the session, if it changes.
    func reissued(
        _ caller: Principal, as session: Session, _ times: SignInTimes, _ profile: SessionProfile
    ) throws(AccountDenial) -> SessionCookie {
        do {
            return try whole(caller, session, times, profile)
        } catch let denial where denial == .cookieTooLarge {
            return try whole(caller, session, times, profile.smallest)
        }
    }

    private func whole(
        _ caller: Principal, _ session: Session, _ times: SignInTimes, _ profile: SessionProfile
    ) throws(AccountDenial) -> SessionCookie {
        guard var header = SessionHeader(caller) else {
            throw AccountDenial(.internalError, reason: "the credential is no session cookie of this gateway")
        }
        header.authenticatedAt = times.authenticatedAt
        header.started = times.restarted ?? header.started
        var claims = Self.claims(of: caller, ["iat", "exp", "sid", "auth_time"], session, profile)
        if let latest = times.latest {
            claims.removeLast()
            claims += Array(",\"auth_time\":\(latest)}".utf8)
        }
        return try cookie(claims, header.text(of: session), session)
    }

    /// Returns the claims of a cookie with new values of `replaced`. `auth_time` is omitted if it is one of them.
    private static func claims(
        of caller: Principal, _ replaced: [String], _ session: Session, _ profile: SessionProfile? = nil
    ) -> [UInt8] {
        var text = ObjectText()
        for (name, value) in caller.claims.root.members
        where !replaced.contains(where: { $0.isExactly(name) })
            && profile?.replaces(name, of: caller.claims.root) != true
        {
            if let profile, name.isExactly("firebase") {
                text.add(name, json: profile.firebase(value))
            } else {
                text.add(name, value)
            }
        }
        profile?.write(to: &text)
        text.add("iat", session.issuedAt)
        text.add("exp", session.expiresAt)
        if replaced.contains("sid") { text.add("sid", session.name) }
        return text.bytes
    }

    private func cookie(
        _ claims: [UInt8], _ header: [UInt8], _ session: Session
    ) throws(AccountDenial) -> SessionCookie {
        let token = try keys.sign(claims, type: SessionVerifier.type, source: header)
        guard token.utf8.count <= Self.maximumTokenSize else {
            throw AccountDenial.cookieTooLarge
        }
        return .set(token: token, maximumAge: session.expiresAt.seconds(since: session.issuedAt))
    }
}

/// The bounds of sessions in time.
package struct SessionTerms: Sendable, Equatable {
    /// The share of the idle time after which a request renews the cookie. A session without requests therefore ends
    /// between nine tenths of the idle time and the whole idle time after its last one.
    fileprivate static let share: Int64 = 10

    /// How long a session lasts without requests, in seconds. `nil` for its whole lifetime.
    let idle: Int64?
    /// The longest lifetime of a session, in seconds.
    private let longest: Int64

    package init(_ accounts: Configuration.Accounts) {
        idle = accounts.sessionIdle?.components.seconds
        longest = accounts.lifetimes.upperBound
    }

    /// How long a recorded use of a session stands for later ones, in seconds: an hour, or a tenth of a shorter idle
    /// time, but at least a minute.
    package var useInterval: Int64 { min(3_600, max(60, (idle ?? 36_000) / Self.share)) }

    /// Returns when the session of a cookie ends. The cookie states a later time if the longest lifetime was shortened
    /// since the session began.
    func end(of caller: Principal) -> UnixTime {
        caller.startedAt.map { min(caller.endsAt, $0.adding(longest)) } ?? caller.endsAt
    }

    /// Returns a session whose cookie is issued now.
    func session(_ name: String, now: UnixTime, endsAt: UnixTime) -> Session {
        let expiresAt = idle.map { min(now.adding($0), endsAt) } ?? endsAt
        return Session(name: name, issuedAt: now, expiresAt: expiresAt, endsAt: endsAt)
    }
}

/// The renewal of session cookies by requests.
package struct SessionRenewal: Sendable {
    private let terms: SessionTerms
    /// The minimum age of a cookie that is renewed, in seconds.
    private let interval: Int64

    /// Creates the renewal. `nil` if sessions last for their whole lifetime without requests.
    package init?(_ terms: SessionTerms) {
        guard let idle = terms.idle else { return nil }
        self.terms = terms
        interval = idle / SessionTerms.share
    }

    /// Returns when a cookie is due. `.latest` if it is never: it is no session cookie of the gateway, or it lasts
    /// until the end of its session.
    package func due(_ principal: Principal) -> UnixTime {
        guard principal.origin != nil, let issuedAt = principal.issuedAt,
            principal.expiresAt < terms.end(of: principal)
        else { return .latest }
        return issuedAt.adding(interval)
    }

    /// Returns the time from which a cookie that was renewed now may be renewed again, because the client does not use
    /// the new one.
    package func next(after now: Int64) -> UnixTime { UnixTime(clamping: now).adding(interval) }

    /// Returns the renewed cookie. `nil` if it cannot be signed.
    package func cookie(_ principal: Principal, keys: SessionKeys, now: Int64) -> SessionCookie? {
        try? SessionIssuer(keys: keys, terms: terms).renewed(principal, now: now)
    }
}

extension AccountDenial {
    static let cookieTooLarge = AccountDenial(
        .invalidCredential, reason: "the session cookie would be too large",
        detail: "The credential has more claims than fit into a cookie.")
}

extension SessionKeys {
    /// Signs a token of this `typ`. `source` is the JSON text of the session's origin for the header, if any.
    func sign(_ claims: [UInt8], type: String, source: [UInt8]? = nil) throws(AccountDenial) -> String {
        var header = ObjectText()
        header.add("alg", current.algorithm.rawValue)
        header.add("kid", current.keyID)
        header.add("typ", type)
        if let source { header.add(SessionVerifier.sourceMember, json: source) }
        do {
            return try current.sign(header: String(decoding: header.bytes, as: UTF8.self), payload: claims)
        } catch {
            throw AccountDenial(.internalError, reason: error.description)
        }
    }
}
