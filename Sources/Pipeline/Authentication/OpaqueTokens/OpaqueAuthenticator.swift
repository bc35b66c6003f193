package import GatewayCore
package import JOSE

/// Turns an opaque token into who is asking: by what a provider said of it, as long as that counts. One a worker, on its event loop.
package final class OpaqueAuthenticator {
    /// What became of a token.
    package enum Outcome {
        case verified(VerifiedTokenCache.Entry)
        case refused(VerificationFailure)
        /// The provider cannot be asked now; `Retry-After` in seconds.
        case unavailable(retryAfter: Int)
        /// The provider has to be asked; then the token is looked at again.
        case ask(OpaqueTokenKey)
        /// It is not known who owns the identity: the token is looked at again when that is.
        case awaitOwner(OwnerNeed)
    }

    /// The longest opaque token that is looked at, in bytes: it may become a part of a URL.
    package static let maximumTokenSize = 4096
    /// The most entries, and bytes, of a worker's cache of good answers.
    static let cacheCapacity = 8192
    static let cacheBytes = 32 << 20

    private let hasher: SHA256Hasher
    private let render: (Principal) -> RenderedIdentity
    private let counters: WorkerCounters
    /// Who owns identities; nil: nobody does, without accounts.
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

    /// - Parameters:
    ///   - provider: whom the route lets ask about it, by its place among the snapshot's `opaqueProviders`; nil: nobody, or more than one.
    ///   - now: Unix seconds; `monotonic`: nanoseconds.
    ///   - answered: the token that the provider was just asked about for this request: its answer counts, however short it lives.
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
            guard entry.standing.expiresAt.isAfter(now) else {
                return .refused(VerificationFailure(code: .idTokenExpired, reason: .expired))
            }
            return settle(entry, under: digest, monotonic: monotonic)
        }
        if let refusal = refusals.find(key), mayBeOld || monotonic < refusal.until { return refusal.outcome }
        return .ask(key)
    }

    /// Whom it names now.
    private func settle(
        _ entry: VerifiedTokenCache.Entry, under digest: SHA256Digest, monotonic: UInt64
    ) -> Outcome {
        guard let owners else { return .verified(entry) }
        switch owners.settle(entry, now: monotonic) {
        case .same: return .verified(entry)
        case .changed(let entry):
            cache.insert(entry, under: digest)
            return .verified(entry)
        case .refused(let failure): return .refused(failure)
        case .needs(let need): return .awaitOwner(need)
        }
    }

    /// Keeps what a provider said of a token, as long as it says that it counts. Whatever it is, what was said before counts no more: who
    /// waited for the verdict takes what is remembered, however old.
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

/// The tokens that a worker need not have asked about again soon. Bounded: who comes takes the place of who lies where it belongs.
struct RefusedTokens {
    private struct Slot {
        let key: OpaqueTokenKey
        let outcome: OpaqueAuthenticator.Outcome
        let until: UInt64
    }

    /// The most that a worker remembers: a power of two.
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
    /// `b64token`: letters, digits and `-._~+/`, then any number of `=`.
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
