package import JOSE

/// A worker's view of one key set: an immutable value, posted to each worker's event loop whenever it changes.
///
/// All times are readings of `GatewayClock.monotonic`, in nanoseconds.
package struct KeySetView: Sendable {
    /// The last good set. `nil` before the first one, and after it exceeded its lifetime and `stale_for`.
    package let keys: KeySet?
    /// The algorithms that the discovery document of `keys` lists for ID tokens. `nil` without a document or a list.
    package let algorithms: Set<Algorithm>?
    /// The issuer of `keys`, if it is known only with them: for the gateway's own session cookies. Otherwise `nil`.
    package let issuer: String?
    /// A number that changes if and only if the content of `keys` or `algorithms` changes. It is unique within the
    /// process. 0 before the first fetch.
    ///
    /// A token verified under one generation is not valid under any other.
    package let generation: UInt64
    /// Whether the set was fetched at least once since the start.
    package let isLoaded: Bool
    /// Whether the last completed fetch returned a good set. `false` before the first fetch.
    package let lastFetchSucceeded: Bool
    /// Whether a fetch is running.
    package let isFetching: Bool
    /// The number of completed fetches, successful or not. A waiting request records it beforehand and compares.
    package let completedFetches: UInt64
    /// When `keys` expires, even if no newer view arrives.
    package let usableUntil: UInt64
    /// The earliest time of a fetch for an unknown key.
    package let cooldownUntil: UInt64
    /// When the next scheduled fetch starts. Meaningless while a fetch is running.
    package let nextFetchAt: UInt64

    /// Creates a view with these values. The default is the view of a set that was never requested.
    package init(
        keys: KeySet? = nil, algorithms: Set<Algorithm>? = nil, issuer: String? = nil, generation: UInt64 = 0,
        isLoaded: Bool = false,
        lastFetchSucceeded: Bool = false, isFetching: Bool = false, completedFetches: UInt64 = 0,
        usableUntil: UInt64 = 0, cooldownUntil: UInt64 = 0, nextFetchAt: UInt64 = 0
    ) {
        self.keys = keys
        self.algorithms = algorithms
        self.issuer = issuer
        self.generation = generation
        self.isLoaded = isLoaded
        self.lastFetchSucceeded = lastFetchSucceeded
        self.isFetching = isFetching
        self.completedFetches = completedFetches
        self.usableUntil = usableUntil
        self.cooldownUntil = cooldownUntil
        self.nextFetchAt = nextFetchAt
    }

    /// Returns whether tokens, including cached ones, may be verified with this view at `now`.
    @inlinable
    package func isUsable(now: UInt64) -> Bool {
        keys != nil && now < usableUntil
    }
}

/// The result of looking up a key ID.
package enum KeyLookup: Sendable {
    /// The key.
    case key(PublicKey)
    /// The source has no such key: the token is invalid (401).
    case unknown
    /// The source is unavailable: 503, with this `Retry-After` in seconds (at least 1).
    case unavailable(retryAfter: Int)
    /// Request a refresh, wait for the next view and look up again; not longer than `KeySetView.waitLimit` in total.
    case fetch
}

extension KeySetView {
    /// The maximum time that a request waits for a key set, in nanoseconds (5 s).
    package static let waitLimit: UInt64 = 5_000_000_000

    /// Returns the key with this ID, or how to proceed without it. The cost is the same for known and unknown IDs.
    ///
    /// - Parameters:
    ///   - kid: The token's `kid`.
    ///   - now: The monotonic time.
    ///   - waitingSince: The `completedFetches` of the view that returned `fetch`, in a second lookup. A fetch
    ///     completed since then is final for an unknown ID, so that one token never causes a second fetch.
    package func lookup(kid: String, now: UInt64, waitingSince: UInt64? = nil) -> KeyLookup {
        guard let keys, now < usableUntil else { return withoutKeys(now: now) }
        if let key = keys.key(id: kid) { return .key(key) }
        return unknownKey(now: now, waitingSince: waitingSince)
    }

    /// Returns the result without usable keys. A request waits for a set that is loading if the next fetch starts soon
    /// enough. For an expired set it waits only for a fetch.
    private func withoutKeys(now: UInt64) -> KeyLookup {
        let startsSoon = !isLoaded && nextFetchAt < now &+ Self.waitLimit
        if isFetching || startsSoon || now >= cooldownUntil { return .fetch }
        return .unavailable(retryAfter: retryAfter(now: now))
    }

    private func unknownKey(now: UInt64, waitingSince: UInt64?) -> KeyLookup {
        let hasWaited = waitingSince.map { completedFetches > $0 } ?? false
        if !hasWaited, isFetching || now >= cooldownUntil { return .fetch }
        return lastFetchSucceeded ? .unknown : .unavailable(retryAfter: retryAfter(now: now))
    }

    /// Returns the whole seconds until a fetch for an unknown key may begin, at least 1.
    package func secondsOfCooldown(at now: UInt64) -> Int { Self.seconds(until: cooldownUntil, now: now) }

    /// Returns the whole seconds until the next fetch, at least 1.
    private func retryAfter(now: UInt64) -> Int {
        Self.seconds(until: min(nextFetchAt, max(cooldownUntil, now)), now: now)
    }

    private static func seconds(until next: UInt64, now: UInt64) -> Int {
        let (seconds, rest) = (max(next, now) - now).quotientAndRemainder(dividingBy: 1_000_000_000)
        return max(Int(clamping: seconds) + (rest == 0 ? 0 : 1), 1)
    }
}
