import Authentication
import GatewayCore
import JOSE
import Revocation

/// A credential whose token was verified: whom it names. It counts once its nonce was taken and its one use was made.
struct Proof: Sendable {
    let principal: Principal
    /// What the use of it is remembered by, and for how long, in seconds.
    let digest: SHA256Digest
    let lifetime: Int64
    /// Opaque tokens have no nonces.
    let isOpaque: Bool

    /// What the one use of a token is remembered by: of what has the form of a JWS its header and payload. Whoever has it can make another
    /// signature of some algorithms fit, but not change these.
    static func use(of token: [UInt8], isJWS: Bool) throws(Refusal) -> SHA256Digest {
        guard isJWS, let end = token.lastIndex(of: UInt8(ascii: ".")) else {
            return try Refusal.hash(token)
        }
        return try Refusal.hash(Array(token[..<end]))
    }

    /// When its user proved who they are. Only a nonce of ours ties the credential to something that the user just did.
    func signIn(hasNonce: Bool, now: Int64) -> SignInProof {
        guard hasNonce else { return SignInProof() }
        // A provider's clock may be ahead: nobody proved anything later than now.
        return SignInProof(
            authenticatedAt: principal.authTime?.notAfter(now),
            confirmedAt: principal.issuedAt?.notAfter(now))
    }

    /// When the credential was made: what it is compared with revocations by. Nil: nobody knows.
    ///
    /// An opaque token whose provider does not say it counts as made now. It proves something only the first time that it is presented, which is
    /// remembered for `StoreBounds.maximumLifetime`: one that proved something before a revocation does not do so after it within that time.
    ///
    /// A token with a nonce of ours was made for this call. Without one it may come from a refresh, and the older `auth_time` decides; but Google's
    /// is the age of the browser's session there, weeks old in an ordinary sign-in.
    func madeAt(hasNonce: Bool, now: Int64) -> UnixTime? {
        let isGoogle = principal.signInProvider?.isExactly("google.com") ?? false
        let time = hasNonce || isGoogle ? principal.issuedAt : principal.authTime ?? principal.issuedAt
        return time?.notAfter(now) ?? (isOpaque ? UnixTime(clamping: now) : nil)
    }

    /// What a session is that it begins.
    func origin() throws(Refusal) -> SessionOrigin {
        guard let origin = SessionOrigin(principal, isOpaque ? .accessToken : .idToken) else {
            throw .credential("no provider's token, or its claims are too large")
        }
        return origin
    }
}
