package import GatewayCore
package import JOSE

/// An authenticator of apps: it returns the app of an App Check token, from the cache or by verification. One per
/// worker, on its event loop.
package final class AppCheckAuthenticator {
    package enum Outcome {
        case verified(AppCheckProof)
        case refused(AppCheckFailure)
        /// The keys are unavailable; `Retry-After` in seconds.
        case unavailable(retryAfter: Int)
        /// The key set that may contain the key is being fetched. Authenticate again with its next view.
        case awaitKeys(completedFetches: UInt64)
    }

    /// The maximum number of cached tokens of a worker.
    static let cacheCapacity = 16_384

    package let verifier: AppCheckVerifier
    private let hasher: SHA256Hasher
    private let counters: WorkerCounters
    private let requestKeys: @Sendable (Int) -> Void
    private var cache = AppCheckCache(capacity: cacheCapacity)
    private var view = KeySetView()

    /// Creates an authenticator without keys.
    ///
    /// - Parameter requestKeys: Requests a fetch of a key set. It returns immediately.
    package init(
        _ verifier: AppCheckVerifier, hasher: SHA256Hasher, counters: WorkerCounters,
        requestKeys: @escaping @Sendable (Int) -> Void
    ) {
        self.verifier = verifier
        self.hasher = hasher
        self.counters = counters
        self.requestKeys = requestKeys
    }

    /// Installs a newer view of the key set. Views of other sets are ignored.
    package func install(_ view: KeySetView, set: Int) {
        if set == verifier.keySet { self.view = view }
    }

    /// Requests the key set for requests that do not wait for it.
    package func requestKeySet() {
        requestKeys(verifier.keySet)
    }

    /// Authenticates the app of a token.
    ///
    /// - Parameters:
    ///   - now: Unix seconds; `monotonic`: nanoseconds.
    ///   - waitingSince: The count from `awaitKeys`, when authenticating again.
    package func authenticate(
        _ token: UnsafeRawBufferPointer, now: Int64, monotonic: UInt64, waitingSince: UInt64?
    ) -> Outcome {
        guard !Self.isPlaceholder(token) else { return .refused(.placeholder) }
        // Precedes everything whose cost depends on the length.
        guard token.count <= Authenticator.maximumTokenSize else { return .refused(.notCompactJWS) }
        guard let key = hasher.hash(token) else { return .refused(.hashing) }
        if view.isUsable(now: monotonic), let proof = cache.find(key, generation: view.generation) {
            counters.add(to: .tokenCacheHits)
            return proof.expiresAt.isAfter(now) ? .verified(proof) : .refused(.expired)
        }
        counters.add(to: .tokenCacheMisses)
        do throws(AppCheckFailure) {
            return try verify(token, under: key, now: now, monotonic: monotonic, waitingSince: waitingSince)
        } catch {
            return .refused(error)
        }
    }

    private func verify(
        _ token: UnsafeRawBufferPointer, under key: SHA256Digest, now: Int64, monotonic: UInt64, waitingSince: UInt64?
    ) throws(AppCheckFailure) -> Outcome {
        guard let unverified = try? UnverifiedJWS(token, maximumSize: Authenticator.maximumTokenSize) else {
            throw .notCompactJWS
        }
        let keyID = try verifier.checkBeforeSignature(unverified)
        switch view.lookup(kid: keyID, now: monotonic, waitingSince: waitingSince) {
        case .unknown: throw .unknownKey
        case .unavailable(let retryAfter): return .unavailable(retryAfter: retryAfter)
        case .fetch: return .awaitKeys(completedFetches: view.completedFetches)
        case .key(let publicKey):
            let proof = try verifier.verify(unverified, key: publicKey, now: now)
            cache.insert(proof, under: key, generation: view.generation)
            return .verified(proof)
        }
    }

    /// Returns whether a token is the Base64 of `{"error":"UNKNOWN_ERROR"}`, with or without its padding.
    private static func isPlaceholder(_ token: UnsafeRawBufferPointer) -> Bool {
        let text: StaticString = "eyJlcnJvciI6IlVOS05PV05fRVJST1IifQ"
        let count = text.utf8CodeUnitCount
        guard token.count >= count, token.count <= count + 2 else { return false }
        let placeholder = UnsafeRawBufferPointer(start: text.utf8Start, count: count)
        return token[..<count].elementsEqual(placeholder) && token[count...].allSatisfy { $0 == UInt8(ascii: "=") }
    }
}
