package import JOSE

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
