package import GatewayCore
package import JOSE

/// An authenticator: it returns the principal of a request's credential, from the cache or by verification. One per
/// worker, on its event loop.
package final class Authenticator {
    /// The result of authenticating a credential.
    package enum Outcome {
        case verified(VerifiedTokenCache.Entry)
        case refused(VerificationFailure)
        /// The validity cannot be determined now; `Retry-After` in seconds.
        case unavailable(retryAfter: Int)
        /// A key set that may contain the key is being fetched. Authenticate again with its next view.
        case awaitKeys(set: Int, completedFetches: UInt64)
        /// The owner of the identity of a provider's own token must be looked up. Authenticate again afterwards.
        case awaitOwner(OwnerNeed)
    }

    /// The limits of a worker's cache of verified tokens, in entries and bytes.
    static let cacheCapacity = 16_384
    static let cacheBytes = 64 << 20

    /// The maximum size of a token that is parsed, in bytes.
    package static let maximumTokenSize = 16_384

    private let verifiers: VerifierTable
    /// The kind and the key set of each verifier, stored separately so that a lookup copies nothing. -1: emulator
    /// tokens have no keys.
    private let kinds: [CredentialKind]
    private let keySets: [Int]
    private let hasher: SHA256Hasher
    private let render: (Principal) -> RenderedIdentity
    private let counters: WorkerCounters
    /// The owners of identities. `nil` without accounts.
    private let owners: LinkOwners?
    @exclusivity(unchecked) package private(set) var cache: VerifiedTokenCache
    let prefetcher = CachePrefetcher(capacity: cacheCapacity)
    private var views: [KeySetView]

    package init(
        verifiers: VerifierTable, keySets: Int, hasher: SHA256Hasher, counters: WorkerCounters,
        owners: LinkOwners? = nil, render: @escaping (Principal) -> RenderedIdentity
    ) {
        self.verifiers = verifiers
        kinds = verifiers.verifiers.map(\.kind)
        self.keySets = verifiers.verifiers.map { $0.keySet ?? -1 }
        self.hasher = hasher
        self.counters = counters
        self.render = render
        self.owners = owners
        views = Array(repeating: KeySetView(), count: keySets)
        cache = VerifiedTokenCache(capacity: Self.cacheCapacity, bytes: Self.cacheBytes)
    }

    /// Installs a newer view of a key set.
    package func install(_ view: KeySetView, set: Int) {
        guard views.indices.contains(set) else { return }
        // Not modified in place: see `ClientHandler.takeInbound`.
        var changed = views
        changed[set] = view
        views = changed
    }

    /// Announces that a token will be authenticated soon.
    @inline(__always)
    package func expect(_ token: UnsafeRawBufferPointer) {
        prefetcher.expect(token)
    }

    /// Authenticates a token.
    ///
    /// - Parameters:
    ///   - now: Unix seconds; `monotonic`: nanoseconds.
    ///   - waitingSince: The count from `awaitKeys`, when authenticating again.
    package func authenticate(
        _ token: UnsafeRawBufferPointer, kind: CredentialKind, now: Int64, monotonic: UInt64, waitingSince: UInt64?
    ) -> Outcome {
        // Precedes everything whose cost depends on the length.
        guard token.count <= Self.maximumTokenSize else {
            return .refused(VerificationFailure(code: .argumentError, reason: .notCompactJWS))
        }
        prefetcher.fetchAhead(token)
        guard let key = hasher.hash(token) else {
            return .refused(VerificationFailure(code: kind.invalidCode, reason: .hashing))
        }
        if let entry = cache.find(key), kinds[entry.verifier] == kind, stillCounts(entry, now: monotonic) {
            counters.add(to: .tokenCacheHits)
            guard entry.facts.expiresAt.isAfter(now) else {
                cache.remove(key)
                return .refused(VerificationFailure(code: kind.expiredCode, reason: .expired))
            }
            if prefetcher.misses(entry, of: token) { prefetcher.record(entry, of: token, in: cache.place(of: key)) }
            return entry.stamp.place < 0 ? .verified(entry) : resolve(entry, under: key, monotonic: monotonic)
        }
        counters.add(to: .tokenCacheMisses)
        return verify(token, under: key, as: kind, now: now, monotonic: monotonic, waitingSince: waitingSince)
    }

    /// Returns whether the key of a cached token is still usable: a removed key also invalidates cached tokens.
    @inline(__always)
    private func stillCounts(_ entry: VerifiedTokenCache.Entry, now: UInt64) -> Bool {
        let set = keySets[entry.verifier]
        guard set >= 0 else { return true }
        return views[set].generation == entry.keySetGeneration && views[set].isUsable(now: now)
    }

    private func verify(
        _ token: UnsafeRawBufferPointer, under key: SHA256Digest, as kind: CredentialKind, now: Int64,
        monotonic: UInt64, waitingSince: UInt64?
    ) -> Outcome {
        do throws(VerificationFailure) {
            let unverified = try parse(token)
            let index = try verifiers.index(for: unverified, kind)
            let verifier = verifiers.verifiers[index]
            let view = keySets[index] < 0 ? KeySetView() : views[keySets[index]]
            let keyID = try verifier.checkBeforeSignature(unverified, view)
            var publicKey: PublicKey?
            if keySets[index] >= 0 {
                switch view.lookup(kid: keyID, now: monotonic, waitingSince: waitingSince) {
                case .key(let found): publicKey = found
                case .unknown: throw VerificationFailure(code: kind.invalidCode, reason: .unknownKey)
                case .unavailable(let retryAfter): return .unavailable(retryAfter: retryAfter)
                case .fetch: return .awaitKeys(set: keySets[index], completedFetches: view.completedFetches)
                }
            }
            let principal = try verifier.verify(unverified, key: publicKey, view, now: now, hasher: hasher)
            let entry = remember(principal, under: key, by: index, generation: view.generation)
            prefetcher.record(entry, of: token, in: cache.place(of: key))
            return entry.stamp.place < 0 ? .verified(entry) : resolve(entry, under: key, monotonic: monotonic)
        } catch {
            return .refused(error)
        }
    }

    /// Resolves the current owner of the identity of a provider's own token.
    @inline(never)
    private func resolve(
        _ entry: VerifiedTokenCache.Entry, under key: SHA256Digest, monotonic: UInt64
    ) -> Outcome {
        guard let owners else { return .verified(entry) }
        switch owners.resolve(entry, now: monotonic) {
        case .same: return .verified(entry)
        case .changed(let entry):
            cache.insert(entry, under: key)
            return .verified(entry)
        case .refused(let failure): return .refused(failure)
        case .needs(let need): return .awaitOwner(need)
        }
    }

    private func parse(_ token: UnsafeRawBufferPointer) throws(VerificationFailure) -> UnverifiedJWS {
        do {
            return try UnverifiedJWS(token, maximumSize: Self.maximumTokenSize)
        } catch {
            throw VerificationFailure(code: .argumentError, reason: .notCompactJWS)
        }
    }

    private func remember(
        _ principal: Principal, under key: SHA256Digest, by index: Int, generation: UInt64
    ) -> VerifiedTokenCache.Entry {
        let entry = VerifiedTokenCache.Entry(
            principal: principal, verifier: index, keySetGeneration: generation, identity: render(principal),
            stamp: owners?.stamp(of: principal) ?? LinkStamp())
        let before = cache.count
        cache.insert(entry, under: key)
        if cache.count <= before { counters.add(to: .tokenCacheEvictions) }
        counters.set(.tokenCacheEntries, to: Int64(cache.count))
        return entry
    }
}
