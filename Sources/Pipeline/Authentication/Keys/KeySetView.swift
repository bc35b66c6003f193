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
