package import GatewayCore
package import JOSE

/// An authenticator of opaque tokens. It uses the provider's verdict while it is valid. One per worker, on its event
/// loop.
package final class OpaqueAuthenticator {
    /// The result of authenticating a token.
    package enum Outcome {
        case verified(VerifiedTokenCache.Entry)
        case refused(VerificationFailure)
        /// The provider cannot be queried now; `Retry-After` in seconds.
        case unavailable(retryAfter: Int)
        /// The provider must be queried; then the token is authenticated again.
        case query(OpaqueTokenKey)
        /// The owner of the identity must be looked up; then the token is authenticated again.
        case awaitOwner(OwnerNeed)
    }

    /// The maximum size of an opaque token, in bytes. A token may become part of a URL.
    package static let maximumTokenSize = 4096
    /// The limits of a worker's cache of valid tokens, in entries and bytes.
    static let cacheCapacity = 8192
    static let cacheBytes = 32 << 20

    private let hasher: SHA256Hasher
    private let render: (Principal) -> RenderedIdentity
    private let counters: WorkerCounters
    /// The owners of identities. `nil` without accounts.
    private let owners: LinkOwners?
    private(set) var cache = VerifiedTokenCache(capacity: OpaqueAuthenticator.cacheCapacity, bytes: cacheBytes)
    private var refusals = RefusedTokens()

    package init(
        hasher: SHA256Hasher, counters: WorkerCounters, owners: LinkOwners? = nil,
        render: @escaping (Principal) -> RenderedIdentity
    ) {
        self.owners = owners
        self.hasher = hasher
        self.counters = counters
        self.render = render
    }

    /// Authenticates a token.
    ///
    /// - Parameters:
    ///   - provider: The provider that the route allows, as an index of the snapshot's `opaqueProviders`. `nil` for
    ///     none or several.
    ///   - now: Unix seconds; `monotonic`: nanoseconds.
    ///   - answered: The token that was just introspected for this request. Its verdict applies even if it has expired.
    package func authenticate(
        _ token: UnsafeRawBufferPointer, provider: Int?, now: Int64, monotonic: UInt64, answered: OpaqueTokenKey?
    ) -> Outcome {
        guard token.count <= Self.maximumTokenSize, BearerText.isToken(token) else {
            return .refused(VerificationFailure(code: .argumentError, reason: .notBearerToken))
        }
        guard let provider else {
            return .refused(VerificationFailure(code: .argumentError, reason: .noOpaqueProvider))
        }
        guard let digest = hasher.hash(token) else {
            return .refused(VerificationFailure(code: .internalError, reason: .hashing))
        }
        let key = OpaqueTokenKey(provider: provider, digest: digest)
        let mayBeOld = key == answered
        if let entry = cache.find(digest), entry.verifier == provider, mayBeOld || monotonic < entry.freshUntil {
            counters.add(to: .tokenCacheHits)
            guard entry.facts.expiresAt.isAfter(now) else {
                return .refused(VerificationFailure(code: .idTokenExpired, reason: .expired))
            }
            return resolve(entry, under: digest, monotonic: monotonic)
        }
        if let refusal = refusals.find(key), mayBeOld || monotonic < refusal.until { return refusal.outcome }
        return .query(key)
    }

    /// Resolves the owner of the token's identity.
    private func resolve(
        _ entry: VerifiedTokenCache.Entry, under digest: SHA256Digest, monotonic: UInt64
    ) -> Outcome {
        guard let owners else { return .verified(entry) }
        switch owners.resolve(entry, now: monotonic) {
        case .same: return .verified(entry)
        case .changed(let entry):
            cache.insert(entry, under: digest)
            return .verified(entry)
        case .refused(let failure): return .refused(failure)
        case .needs(let need): return .awaitOwner(need)
        }
    }

    /// Caches the verdict on a token and drops the previous one. Requests that waited for the verdict use it even if it
    /// has expired.
    package func install(_ verdict: OpaqueVerdict, of key: OpaqueTokenKey) {
        cache.remove(key.digest)
        switch verdict {
        case .accepted(let identity, let freshUntil):
            guard let principal = Principal(identity, hasher: hasher) else {
                let failure = VerificationFailure(code: .invalidIDToken, reason: .subject)
                return refusals.insert(.refused(failure), until: freshUntil, of: key)
            }
            let entry = VerifiedTokenCache.Entry(
                principal: principal, verifier: key.provider, keySetGeneration: 0, identity: render(principal),
                freshUntil: freshUntil, stamp: owners?.stamp(of: principal) ?? LinkStamp())
            refusals.remove(key)
            cache.insert(entry, under: key.digest)
        case .refused(let failure, let until):
            refusals.insert(.refused(failure), until: until, of: key)
        case .unavailable(_, let retryAfter, let until):
            refusals.insert(.unavailable(retryAfter: retryAfter), until: until, of: key)
        }
    }
}

/// A bounded cache of tokens that were rejected or could not be checked. Insertion evicts the current occupant of the
/// slot.
struct RefusedTokens {
    private struct Slot {
        let key: OpaqueTokenKey
        let outcome: OpaqueAuthenticator.Outcome
        let until: UInt64
    }

    /// The number of slots: a power of two.
    static let capacity = 4096
    private var slots: [Slot?]

    init() {
        slots = Array(repeating: nil, count: Self.capacity)
    }

    func find(_ key: OpaqueTokenKey) -> (outcome: OpaqueAuthenticator.Outcome, until: UInt64)? {
        guard let slot = slots[Self.place(of: key)], slot.key == key else { return nil }
        return (slot.outcome, slot.until)
    }

    mutating func insert(_ outcome: OpaqueAuthenticator.Outcome, until: UInt64, of key: OpaqueTokenKey) {
        slots[Self.place(of: key)] = Slot(key: key, outcome: outcome, until: until)
    }

    mutating func remove(_ key: OpaqueTokenKey) {
        if slots[Self.place(of: key)]?.key == key { slots[Self.place(of: key)] = nil }
    }

    private static func place(of key: OpaqueTokenKey) -> Int {
        Int(truncatingIfNeeded: key.digest.prefix) & (capacity - 1)
    }
}

/// The text of a Bearer credential (RFC 6750 section 2.1).
package enum BearerText {
    /// Returns whether text is a `b64token`: letters, digits and `-._~+/`, then any number of `=`.
    package static func isToken(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var end = bytes.count
        while end > 0, bytes[end - 1] == UInt8(ascii: "=") { end -= 1 }
        guard end > 0 else { return false }
        return bytes[..<end].allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-._~+/".utf8.contains(byte)
            }
        }
    }
}
