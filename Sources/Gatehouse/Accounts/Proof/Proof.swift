import JOSE

/// A credential whose token was verified: whom it names. It counts once its nonce was taken and its one use was made.
struct Proof: Sendable {
    let principal: Principal
    /// What the use of it is remembered by, and for how long, in seconds.
    let digest: SHA256Digest
    let lifetime: Int64
    /// Opaque tokens have no nonces.
    let isOpaque: Bool
    /// Some opaque tokens are issued only when their user signs in; of an ID token that is known only by its nonce.
    var isIssuedAtSignIn = false

    /// What the one use of a token is remembered by: of what has the form of a JWS its header and payload. Whoever has it can make another
    /// signature of some algorithms fit, but not change these.
    static func use(of token: [UInt8], isJWS: Bool) throws(Refusal) -> SHA256Digest {
        guard isJWS, let end = token.lastIndex(of: UInt8(ascii: ".")) else {
            return try Refusal.hash(token)
        }
        return try Refusal.hash(Array(token[..<end]))
    }

    /// When its user proved who they are.
    ///
    /// - Parameter fresh: whether it carries a nonce that was issued here, so that it is not older than that.
    func time(hasNonce fresh: Bool) -> Int64? {
        principal.authTime ?? (fresh || isIssuedAtSignIn ? principal.issuedAt : nil)
    }
}
