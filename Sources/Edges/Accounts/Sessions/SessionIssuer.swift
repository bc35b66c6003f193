import Authentication
import GatewayCore
import JOSE

/// The creation of session cookies.
struct SessionIssuer: Sendable {
    /// The maximum size of a token, in bytes. Browsers drop cookies of more than 4096 bytes including name and
    /// attributes (RFC 6265 section 6.1).
    static let maximumTokenSize = 4000

    let keys: SessionKeys

    /// Returns the cookie of a new session with a lifetime in seconds.
    func cookie(for source: SessionSource, now: Int64, lifetime: Int64) throws(AccountDenial) -> SessionCookie {
        let now = UnixTime(clamping: now)
        let session = Session(name: RandomText.name(), issuedAt: now, expiresAt: now.adding(lifetime))
        return try cookie(for: source, session)
    }

    /// Returns the cookie of an existing session.
    func cookie(for source: SessionSource, _ session: Session) throws(AccountDenial) -> SessionCookie {
        let claims = source.claims(session, issuer: keys.issuer)
        let token = try keys.sign(claims, type: SessionVerifier.type, source: source.header)
        guard token.utf8.count <= Self.maximumTokenSize else {
            throw AccountDenial.cookieTooLarge
        }
        return .set(token: token, maximumAge: session.expiresAt.seconds(since: session.issuedAt))
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
