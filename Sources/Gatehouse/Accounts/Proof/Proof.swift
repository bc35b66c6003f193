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

    /// When its user proved who they are.
    ///
    /// - Parameter fresh: whether it carries a nonce that was issued here, so that it is not older than that.
    func time(hasNonce fresh: Bool) -> Int64? {
        principal.authTime ?? (fresh || isIssuedAtSignIn ? principal.issuedAt : nil)
    }
}
