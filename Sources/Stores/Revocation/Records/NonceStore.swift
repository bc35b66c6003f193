package import JOSE

/// What may be used once: nonces that were given out, and credentials that prove a sign-in.
///
/// A facet of a store, beside `Store`. Everything is named by a hash, so that the store holds nothing that could be presented. Times are seconds.
///
/// Whoever gets an error does not know whether the one use was made. Nothing is lost but the use: asking again may find it made, and the user
/// begins anew.
package protocol NonceStore: Sendable {
    /// Keeps a nonce that is given out, until it is taken or `lifetime` has passed.
    ///
    /// - Parameters:
    ///   - purpose: what it may be used for: 1 to `StoreBounds.maximumPurposeSize` lower-case letters and `-`.
    ///   - lifetime: 1 to `StoreBounds.maximumLifetime` seconds.
    func putNonce(_ nonce: SHA256Digest, purpose: String, lifetime: Int64) async throws(StoreError)

    /// Takes a nonce: its purpose for exactly one of all who ask, however many gateways they ask, and nil for a nonce that was never given out,
    /// was taken or is too old. One that was kept without a purpose may be used for `any`.
    func takeNonce(_ nonce: SHA256Digest) async throws(StoreError) -> String?

    /// Marks a credential as used: true for exactly one of all who ask, false for the others until `lifetime` has passed.
    ///
    /// - Parameter lifetime: at least as long as the credential is valid; 1 to `StoreBounds.maximumLifetime` seconds.
    func markSeen(_ credential: SHA256Digest, lifetime: Int64) async throws(StoreError) -> Bool

    /// Whether a credential is marked as used now; marks nothing.
    ///
    /// For what may be done twice but need not be, such as an event that its sender repeats: done first, then marked, so that what failed halfway
    /// is done at the repetition.
    func isSeen(_ credential: SHA256Digest) async throws(StoreError) -> Bool
}
