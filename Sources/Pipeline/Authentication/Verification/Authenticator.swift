package import GatewayCore
package import JOSE

/// Turns a request's credential into who is asking: by the cache, else by verifying. One a worker, on its event loop.
package final class Authenticator {
    /// What became of a credential.
    package enum Outcome {
        case verified(VerifiedTokenCache.Entry)
        case refused(VerificationFailure)
        /// Whether it is valid cannot be known now; `Retry-After` in seconds.
        case unavailable(retryAfter: Int)
        /// A key set is being fetched that may have the key: ask again when its next view is here.
        case awaitKeys(set: Int, completedFetches: UInt64)
        /// A provider's own token, and it is not known who owns the identity: ask again when that is.
        case awaitOwner(OwnerNeed)
    }

    /// The most entries, and bytes, of a worker's cache of verified tokens.
    static let cacheCapacity = 16_384
    static let cacheBytes = 64 << 20

    /// The longest token that is looked at, in bytes.
    package static let maximumTokenSize = 16_384

    private let verifiers: VerifierTable
    /// Each verifier's place and key set, apart from it so that a look costs no copy; -1: the emulator's tokens have no keys.
    private let kinds: [CredentialKind]
    private let keySets: [Int]
    private let hasher: SHA256Hasher
    private let render: (Principal) -> RenderedIdentity
    private let counters: WorkerCounters
    /// Who owns identities; nil: nobody does, without accounts.
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

    /// A newer state of a key set.
    package func install(_ view: KeySetView, set: Int) {
        guard views.indices.contains(set) else { return }
        // Not in place: see `ClientHandler.takeInbound`.
        var changed = views
        changed[set] = view
        views = changed
    }

    /// A token will be asked about before long.
    @inline(__always)
    package func expect(_ token: UnsafeRawBufferPointer) {
        prefetcher.expect(token)
    }

    /// - Parameters:
    ///   - now: Unix seconds; `monotonic`: nanoseconds.
    ///   - waitingSince: what `awaitKeys` told, when this is a later look.
    package func authenticate(
        _ token: UnsafeRawBufferPointer, kind: CredentialKind, now: Int64, monotonic: UInt64, waitingSince: UInt64?
    ) -> Outcome {
        // Before anything that costs by its length.
        guard token.count <= Self.maximumTokenSize else {
            return .refused(VerificationFailure(code: .argumentError, reason: .notCompactJWS))
        }
        prefetcher.fetchAhead(token)
        guard let key = hasher.hash(token) else {
            return .refused(VerificationFailure(code: kind.invalidCode, reason: .hashing))
        }
        if let entry = cache.find(key), kinds[entry.verifier] == kind, stillCounts(entry, now: monotonic) {
            counters.add(to: .tokenCacheHits)
            guard entry.standing.expiresAt.isAfter(now) else {
                cache.remove(key)
                return .refused(VerificationFailure(code: kind.expiredCode, reason: .expired))
            }
            if prefetcher.misses(entry, of: token) { prefetcher.record(entry, of: token, in: cache.place(of: key)) }
            return entry.stamp.place < 0 ? .verified(entry) : resolve(entry, under: key, monotonic: monotonic)
        }
        counters.add(to: .tokenCacheMisses)
        return verify(token, under: key, as: kind, now: now, monotonic: monotonic, waitingSince: waitingSince)
    }

    /// A key that is gone is gone for cached tokens too.
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

    /// Of a provider's own token: whom it names now.
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
