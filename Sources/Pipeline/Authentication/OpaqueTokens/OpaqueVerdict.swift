package import GatewayCore
package import JOSE

/// The result of introspecting an opaque token.
package enum OpaqueVerdict: Sendable {
    /// The token is valid. The verdict may be used until `freshUntil`, in monotonic nanoseconds, and never after the
    /// token has expired.
    case accepted(ProviderIdentity, freshUntil: UInt64)
    /// The token is invalid, and is not checked again until `until`, in monotonic nanoseconds.
    case refused(VerificationFailure, until: UInt64)
    /// The provider could not be queried, or its response is unusable. It is queried again from `until` on.
    case unavailable(why: String, retryAfter: Int, until: UInt64)
}

/// The introspection of opaque tokens, off the request path and shared by the workers. Waiters for the same token share
/// one call.
package protocol OpaqueTokenChecking: Sendable {
    /// Determines the verdict on `token`, if necessary by a call. It calls `completion` once, from any thread, during
    /// this call or later.
    ///
    /// - Parameters:
    ///   - provider: An index of the snapshot's `opaqueProviders`.
    ///   - key: The SHA-256 of the token.
    ///   - network: The client's network, so that a client with many tokens delays only its own requests.
    func check(
        _ token: [UInt8], key: SHA256Digest, provider: Int, for network: PeerNetwork,
        completion: @escaping @Sendable (OpaqueVerdict) -> Void)
}

/// An opaque token, by its hash, and the provider that is queried about it.
package struct OpaqueTokenKey: Sendable, Hashable {
    /// An index of the snapshot's `opaqueProviders`.
    package var provider: Int
    package var digest: SHA256Digest

    package init(provider: Int, digest: SHA256Digest) {
        self.provider = provider
        self.digest = digest
    }
}

/// Recent verdicts in bounded memory, as a pure value.
///
/// A verdict belongs to a provider's configuration (endpoint, client, audiences) and to the token's hash. Both are
/// compared separately and never joined into one text. Valid tokens have a limit of their own, so that a flood of
/// unknown tokens evicts none of them.
struct VerdictTable {
    /// The maximum number of verdicts on valid tokens.
    static let acceptedLimit = 12_288
    /// The maximum number of other verdicts.
    static let refusedLimit = 4096

    struct Key: Hashable {
        let provider: Int
        let token: SHA256Digest
    }

    private var accepted = BoundedTable<Key, OpaqueVerdict>(limit: acceptedLimit)
    private var refused = BoundedTable<Key, OpaqueVerdict>(limit: refusedLimit)

    var acceptedCount: Int { accepted.count }
    var refusedCount: Int { refused.count }

    /// Returns the verdict while it is valid.
    mutating func verdict(for key: Key, now: UInt64) -> OpaqueVerdict? {
        if let verdict = accepted[key] {
            if now < verdict.holdsUntil { return verdict }
            accepted.remove(key)
        }
        if let verdict = refused[key] {
            if now < verdict.holdsUntil { return verdict }
            refused.remove(key)
        }
        return nil
    }

    /// Replaces the verdict on a token. An expired verdict only removes the previous one.
    mutating func keep(_ verdict: OpaqueVerdict, for key: Key, now: UInt64) {
        let holds = now < verdict.holdsUntil
        if case .accepted = verdict, holds { accepted.set(verdict, for: key) } else { accepted.remove(key) }
        if case .accepted = verdict { refused.remove(key) } else if holds { refused.set(verdict, for: key) }
    }
}

extension OpaqueVerdict {
    var holdsUntil: UInt64 {
        switch self {
        case .accepted(_, let until), .refused(_, let until), .unavailable(_, _, let until): until
        }
    }
}
