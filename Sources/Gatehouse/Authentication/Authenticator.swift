import JOSE

/// Turns a request's credential into who is asking: by the cache, else by verifying. One a worker, on its event loop.
final class Authenticator {
    /// What became of a credential.
    enum Outcome {
        case verified(VerifiedTokenCache.Entry)
        case refused(VerificationFailure)
        /// Whether it is valid cannot be known now; `Retry-After` in seconds.
        case unavailable(retryAfter: Int)
        /// A key set is being fetched that may have the key: ask again when its next view is here.
        case awaitKeys(set: Int, completedFetches: UInt64)
    }

    /// The most entries, and bytes, of a worker's cache of verified tokens.
    static let cacheCapacity = 16_384
    static let cacheBytes = 64 << 20

    /// The longest token that is looked at, in bytes.
    static let maximumTokenSize = 16_384

    private let verifiers: [FirebaseVerifier]
    /// Each verifier's key set, apart from it so that a look costs no copy; -1: the emulator's tokens have none.
    private let keySets: [Int]
    private let hasher: SHA256Hasher
    private let render: (Principal) -> RenderedIdentity
    private let counters: WorkerCounters
    private(set) var cache: VerifiedTokenCache
    private var views: [KeySetView]

    init(
        verifiers: [FirebaseVerifier], keySets: Int, hasher: SHA256Hasher, counters: WorkerCounters,
        render: @escaping (Principal) -> RenderedIdentity
    ) {
        self.verifiers = verifiers
        self.keySets = verifiers.map { $0.insecureEmulator ? -1 : $0.keySet }
        self.hasher = hasher
        self.counters = counters
        self.render = render
        views = Array(repeating: KeySetView(), count: keySets)
        cache = VerifiedTokenCache(capacity: Self.cacheCapacity, bytes: Self.cacheBytes)
    }

    /// A newer state of a key set.
    func install(_ view: KeySetView, set: Int) {
        guard views.indices.contains(set) else { return }
        views[set] = view
    }

    /// - Parameters:
    ///   - now: Unix seconds; `monotonic`: nanoseconds.
    ///   - waitingSince: what `awaitKeys` told, when this is a later look.
    func authenticate(
        _ token: UnsafeRawBufferPointer, kind: CredentialKind, now: Int64, monotonic: UInt64, waitingSince: UInt64?
    ) -> Outcome {
        // Before anything that costs by its length.
        guard token.count <= Self.maximumTokenSize else {
            return .refused(VerificationFailure(code: .argumentError, reason: .notCompactJWS))
        }
        guard let index = verifiers.firstIndex(where: { $0.kind == kind }), let key = hasher.hash(token) else {
            return .refused(VerificationFailure(code: kind.invalidCode, reason: .hashing))
        }
        if let entry = cache.find(key), entry.verifier == index, stillCounts(entry, now: monotonic) {
            counters.add(to: .tokenCacheHits)
            guard now < entry.standing.expiresAt else {
                cache.remove(key)
                return .refused(VerificationFailure(code: kind.expiredCode, reason: .expired))
            }
            return .verified(entry)
        }
        counters.add(to: .tokenCacheMisses)
        return verify(token, under: key, by: index, now: now, monotonic: monotonic, waitingSince: waitingSince)
    }

    /// A key that is gone is gone for cached tokens too.
    @inline(__always)
    private func stillCounts(_ entry: VerifiedTokenCache.Entry, now: UInt64) -> Bool {
        let set = keySets[entry.verifier]
        guard set >= 0 else { return true }
        return views[set].generation == entry.keySetGeneration && views[set].isUsable(now: now)
    }

    private func verify(
        _ token: UnsafeRawBufferPointer, under key: SHA256Digest, by index: Int, now: Int64, monotonic: UInt64,
        waitingSince: UInt64?
    ) -> Outcome {
        let verifier = verifiers[index]
        do throws(VerificationFailure) {
            let unverified = try parse(token)
            let keyID = try verifier.checkBeforeSignature(unverified)
            var publicKey: PublicKey?
            if !verifier.insecureEmulator {
                let view = views[verifier.keySet]
                switch view.lookup(kid: keyID, now: monotonic, waitingSince: waitingSince) {
                case .key(let found): publicKey = found
                case .unknown: throw VerificationFailure(code: verifier.kind.invalidCode, reason: .unknownKey)
                case .unavailable(let retryAfter): return .unavailable(retryAfter: retryAfter)
                case .fetch: return .awaitKeys(set: verifier.keySet, completedFetches: view.completedFetches)
                }
            }
            let principal = try verifier.verify(unverified, key: publicKey, now: now, hasher: hasher)
            return .verified(remember(principal, under: key, by: index))
        } catch {
            return .refused(error)
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
        _ principal: Principal, under key: SHA256Digest, by index: Int
    ) -> VerifiedTokenCache.Entry {
        let verifier = verifiers[index]
        let generation = verifier.insecureEmulator ? 0 : views[verifier.keySet].generation
        let entry = VerifiedTokenCache.Entry(
            principal: principal, verifier: index, keySetGeneration: generation, identity: render(principal))
        let before = cache.count
        cache.insert(entry, under: key)
        if cache.count <= before { counters.add(to: .tokenCacheEvictions) }
        counters.set(.tokenCacheEntries, to: Int64(cache.count))
        return entry
    }
}
