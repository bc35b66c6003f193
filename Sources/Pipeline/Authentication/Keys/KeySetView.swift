package import JOSE

/// What a worker knows of one key set: an immutable value, posted to each worker's event loop whenever it changes.
///
/// All times are readings of `GatewayClock.monotonic`, in nanoseconds.
package struct KeySetView: Sendable {
    /// The last good set; nil before the first, and after that one outlived its lifetime and `stale_for`.
    package let keys: KeySet?
    /// The algorithms that the discovery document of `keys` lists for ID tokens; nil without a document or a list.
    package let algorithms: Set<Algorithm>?
    /// Who signs with `keys`, where that is not known before they are: the gateway's own session cookies. Nil elsewhere.
    package let issuer: String?
    /// Changes when, and only when, the content of `keys` or `algorithms` changes, and is unique within the process. 0: nothing was read yet.
    ///
    /// What was verified under one generation counts under no other.
    package let generation: UInt64
    /// Whether the set was read at least once since the start.
    package let isLoaded: Bool
    /// Whether the last fetch that ended gave a good set. False before the first.
    package let lastFetchSucceeded: Bool
    /// Whether a fetch runs now.
    package let isFetching: Bool
    /// How many fetches ended, well or not. Who waits for one notes this before, and compares.
    package let completedFetches: UInt64
    /// When `keys` stops to count, even if no newer view comes.
    package let usableUntil: UInt64
    /// No fetch for an unknown key starts before this.
    package let cooldownUntil: UInt64
    /// When the next fetch starts of itself; meaningless while one runs.
    package let nextFetchAt: UInt64

    /// A view with these values; by default, one of a set that nobody asked for yet.
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

    /// Whether tokens, cached ones too, may be judged by this view at `now`.
    @inlinable
    package func isUsable(now: UInt64) -> Bool {
        keys != nil && now < usableUntil
    }
}

/// What a key set says of one `kid`.
package enum KeyLookup: Sendable {
    /// The key.
    case key(PublicKey)
    /// The source has no such key: the token is invalid (401).
    case unknown
    /// The source cannot be asked: 503, with this `Retry-After` in seconds (at least 1).
    case unavailable(retryAfter: Int)
    /// Ask for a refresh, wait for the next view and look again; not longer than `KeySetView.patience` in all.
    case fetch
}

extension KeySetView {
    /// How long a request may wait for a key set, in nanoseconds (5 s).
    package static let patience: UInt64 = 5_000_000_000

    /// The key that has this id, or what to do instead. It costs the same whether the id is known or not.
    ///
    /// - Parameters:
    ///   - kid: the token's `kid`.
    ///   - now: the monotonic time.
    ///   - waitingSince: the `completedFetches` of the view that said `fetch`, when this is the second look. A fetch that
    ///     ended since then decides about an unknown id, so that one token never causes a second fetch.
    package func lookup(kid: String, now: UInt64, waitingSince: UInt64? = nil) -> KeyLookup {
        guard let keys, now < usableUntil else { return withoutKeys(now: now) }
        if let key = keys.key(id: kid) { return .key(key) }
        return unknownKey(now: now, waitingSince: waitingSince)
    }

    /// A set that loads is worth waiting for if its source is asked again soon enough; of one that is gone, only a fetch.
    private func withoutKeys(now: UInt64) -> KeyLookup {
        let startsSoon = !isLoaded && nextFetchAt < now &+ Self.patience
        if isFetching || startsSoon || now >= cooldownUntil { return .fetch }
        return .unavailable(retryAfter: retryAfter(now: now))
    }

    private func unknownKey(now: UInt64, waitingSince: UInt64?) -> KeyLookup {
        let hasWaited = waitingSince.map { completedFetches > $0 } ?? false
        if !hasWaited, isFetching || now >= cooldownUntil { return .fetch }
        return lastFetchSucceeded ? .unknown : .unavailable(retryAfter: retryAfter(now: now))
    }

    /// The whole seconds until the source is asked again, at least 1.
    private func retryAfter(now: UInt64) -> Int {
        let next = max(min(nextFetchAt, max(cooldownUntil, now)), now)
        let (seconds, rest) = (next - now).quotientAndRemainder(dividingBy: 1_000_000_000)
        return max(Int(seconds) + (rest == 0 ? 0 : 1), 1)
    }
}
