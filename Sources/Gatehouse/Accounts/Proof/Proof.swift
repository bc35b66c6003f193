import JOSE

/// A credential whose token was verified: whom it names. It counts once its nonce was taken and its one use was made.
struct Proof: Sendable {
    let principal: Principal
    /// What the use of it is remembered by, and for how long, in seconds.
    let digest: SHA256Digest
    let lifetime: Int64
    /// An opaque token was issued when its user signed in; of an ID token that is known only by its nonce.
    let isOpaque: Bool

    /// When its user proved who they are.
    ///
    /// - Parameter fresh: whether it carries a nonce that was issued here, so that it is not older than that.
    func time(hasNonce fresh: Bool) -> Int64? {
        principal.authTime ?? (fresh || isOpaque ? principal.issuedAt : nil)
    }
}
