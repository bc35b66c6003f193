import GatewayCore
import OutboundHTTP

/// The access token of account lookups, as a pure value. One fetch runs at a time, and a token is renewed before it
/// expires.
struct AccessTokenState: Sendable {
    /// How long before its expiry a token is renewed, in seconds; a fifth of its lifetime if that is less. Earlier, the
    /// metadata server returns the same token: it has its own cache until 4 min before the expiry.
    private static let renewal: Int64 = 225
    /// The number of failures after which the pauses no longer grow.
    private static let longestBackOff = 7
    /// The maximum assumed lifetime of a token, in seconds.
    private static let longestLifetime: Int64 = 86_400

    /// The token and its number.
    private(set) var current: (value: Secret, number: Int)?
    /// The number of the current fetch. `nil` if none runs.
    private(set) var fetch: Int?
    /// How long a fetch may last, in nanoseconds. A longer one, such as a read from a file system that does not answer,
    /// counts as failed, and its result is ignored.
    private let fetchLimit: UInt64
    private var renewAt: UInt64 = 0
    private var endsAt: UInt64 = 0
    private var nextFetchAt: UInt64 = 0
    /// The end of the last pause that the token server requested.
    private var pausedUntil: UInt64 = 0
    private var fetchedAt: UInt64 = 0
    private var count = 0
    private var fetches = 0
    /// The number of consecutive failures, bounded.
    private var failures = 0

    init(fetchLimit: Duration) {
        self.fetchLimit = fetchLimit.nanoseconds
    }

    /// When the token is renewed in advance. `nil` without a token, and during a fetch.
    var renewal: UInt64? { fetch != nil || current == nil ? nil : max(renewAt, nextFetchAt) }

    /// The time of the next `tick`: the renewal, or the end of the current fetch. `nil` if none is needed.
    var deadline: UInt64? { fetch == nil ? renewal : fetchedAt &+ fetchLimit }

    /// Returns the number of a fetch that lasts too long. `nil` if absent.
    func overdueFetch(now: UInt64) -> Int? {
        now >= fetchedAt &+ fetchLimit ? fetch : nil
    }

    /// Drops an expired token, so that only a lookup fetches the next one.
    mutating func dropExpired(now: UInt64) {
        if usable(now: now) == nil { current = nil }
    }

    /// Returns the token while it is valid.
    func usable(now: UInt64) -> (value: Secret, number: Int)? {
        now < endsAt ? current : nil
    }

    /// Returns the number of a fetch to make now. If there is one, `arrived` or `failed` must follow.
    mutating func beginFetch(now: UInt64) -> Int? {
        guard fetch == nil, now >= nextFetchAt, usable(now: now) == nil || now >= renewAt else { return nil }
        fetches += 1
        fetch = fetches
        fetchedAt = now
        return fetches
    }

    /// Replaces the token. Its lifetime counts from the start of the fetch.
    mutating func arrived(_ token: AccessToken) {
        fetch = nil
        failures = 0
        let lifetime = min(token.lifetime, Self.longestLifetime)
        let margin = min(Self.renewal * 1000, lifetime * 1000 / 5)
        count += 1
        current = (token.value, count)
        endsAt = fetchedAt &+ UInt64(lifetime) &* 1_000_000_000
        renewAt = endsAt &- UInt64(margin) &* 1_000_000
    }

    /// Records a failed fetch. While a token is valid, the pauses grow up to a minute; without one, requests wait.
    mutating func failed(_ failure: LookupFailure, now: UInt64) {
        fetch = nil
        failures = min(failures + 1, Self.longestBackOff)
        let pause = CircuitBreaker.pause(after: failure)
        if failure.retryAfter != nil { pausedUntil = now &+ pause }
        let isUrgent = failure.retryAfter != nil || usable(now: now) == nil
        nextFetchAt = now &+ (isUrgent ? pause : Self.jittered(min(pause << (failures - 1), 60 * pause)))
    }

    /// Returns a random duration from half of this one to all of it, so that gateways do not fetch simultaneously.
    private static func jittered(_ duration: UInt64) -> UInt64 {
        duration / 2 + UInt64.random(in: 0...duration / 2)
    }

    /// Drops a token that was rejected. The next fetch no longer waits for the end of a back-off, which is for renewals
    /// in advance, but for that of a pause that the token server requested.
    mutating func refused(_ number: Int) {
        guard current?.number == number else { return }
        current = nil
        nextFetchAt = pausedUntil
    }

    /// Returns the seconds, at least 1, until the next fetch if there is neither a token nor a fetch. `nil` if there is
    /// either, or if the fetch may start now.
    func pause(now: UInt64) -> Int? {
        guard fetch == nil, usable(now: now) == nil, now < nextFetchAt else { return nil }
        return Int(clamping: (nextFetchAt - now - 1) / 1_000_000_000 + 1)
    }
}
