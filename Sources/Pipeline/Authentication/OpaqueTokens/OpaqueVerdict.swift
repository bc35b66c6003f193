package import GatewayCore
package import JOSE

/// What came of asking a provider about an opaque token.
package enum OpaqueVerdict: Sendable {
    /// It counts; the answer may be used until `freshUntil`, in monotonic nanoseconds, and never beyond the token's own end.
    case accepted(ProviderIdentity, freshUntil: UInt64)
    /// It does not count; nor will it until `until`, in monotonic nanoseconds.
    case refused(VerificationFailure, until: UInt64)
    /// The provider could not be asked, or did not give an answer that can be believed; it is asked again from `until` on.
    case unavailable(why: String, retryAfter: Int, until: UInt64)
}

/// Asks providers about opaque tokens, off the request path: one call for all that wait for the same answer. Shared by the workers.
package protocol OpaqueTokenChecking: Sendable {
    /// Asks about `token`, unless an answer is known or on its way, and tells `answer` once, from any thread, later or within the call.
    ///
    /// - Parameters:
    ///   - provider: its place among the snapshot's `opaqueProviders`.
    ///   - key: the SHA-256 of the token.
    ///   - network: who asks, so that those who ask much cost themselves only.
    func check(
        _ token: [UInt8], key: SHA256Digest, provider: Int, for network: PeerNetwork,
        answer: @escaping @Sendable (OpaqueVerdict) -> Void)
}

/// An opaque token at the provider that is asked about it. The token itself is not in it.
package struct OpaqueTokenKey: Sendable, Hashable {
    /// The provider's place among the snapshot's `opaqueProviders`.
    package var provider: Int
    package var digest: SHA256Digest

    package init(provider: Int, digest: SHA256Digest) {
        self.provider = provider
        self.digest = digest
    }
}
