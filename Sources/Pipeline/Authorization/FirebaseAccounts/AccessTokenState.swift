import GatewayCore

/// The access token of account lookups, as a pure value. One fetch runs at a time, and a token is renewed before it
/// expires.
struct AccessTokenState: Sendable {
    /// How long before its expiry a token is renewed, in seconds; a fifth of its lifetime if that is less.
    private static let renewal: Int64 = 300
    /// The maximum assumed lifetime of a token, in seconds.
    private static let longestLifetime: Int64 = 86_400

    /// The token and its number.
    private(set) var current: (value: Secret, number: Int)?
    private(set) var isFetching = false
    private var renewAt: UInt64 = 0
    private var endsAt: UInt64 = 0
    private var nextFetchAt: UInt64 = 0
    private var fetchedAt: UInt64 = 0
    private var count = 0

    /// Returns the token while it is valid.
    func usable(now: UInt64) -> (value: Secret, number: Int)? {
        now < endsAt ? current : nil
    }

    /// Returns whether to fetch a token now. If so, `arrived` or `failed` must follow.
    mutating func beginFetch(now: UInt64) -> Bool {
        guard !isFetching, now >= nextFetchAt, usable(now: now) == nil || now >= renewAt else { return false }
        isFetching = true
        fetchedAt = now
        return true
    }

    /// Replaces the token. Its lifetime counts from the start of the fetch.
    mutating func arrived(_ token: AccessToken) {
        isFetching = false
        let lifetime = min(token.lifetime, Self.longestLifetime)
        let margin = min(Self.renewal * 1000, lifetime * 1000 / 5)
        count += 1
        current = (token.value, count)
        endsAt = fetchedAt &+ UInt64(lifetime) &* 1_000_000_000
        renewAt = endsAt &- UInt64(margin) &* 1_000_000
    }

    mutating func failed(nextFetchAt time: UInt64) {
        isFetching = false
        nextFetchAt = time
    }

    /// Drops a token that was rejected.
    mutating func refused(_ number: Int) {
        if current?.number == number { current = nil }
    }
}
