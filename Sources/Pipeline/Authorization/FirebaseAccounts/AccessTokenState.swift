import GatewayCore

/// The access token that lookups need, as a pure value: one fetch at a time, a new one before the old one ends.
struct AccessTokenState: Sendable {
    /// The token, and which one it is.
    private(set) var current: (value: Secret, number: Int)?
    private(set) var isFetching = false
    private var renewAt: UInt64 = 0
    private var endsAt: UInt64 = 0
    private var nextFetchAt: UInt64 = 0
    private var count = 0

    /// The token, as long as it counts.
    func usable(now: UInt64) -> (value: Secret, number: Int)? {
        now < endsAt ? current : nil
    }

    /// Whether to fetch a token now; the answer is `arrived` or `failed`.
    mutating func beginFetch(now: UInt64) -> Bool {
        guard !isFetching, now >= nextFetchAt, usable(now: now) == nil || now >= renewAt else { return false }
        isFetching = true
        return true
    }

    /// - Parameter asked: when the fetch started; the lifetime counts from then.
    mutating func arrived(_ token: AccessToken, asked: UInt64) {
        isFetching = false
        let lifetime = min(token.lifetime, AccountBounds.longestLifetime)
        let margin = min(AccountBounds.renewal * 1000, lifetime * 1000 / 5)
        count += 1
        current = (token.value, count)
        endsAt = asked &+ UInt64(lifetime) &* 1_000_000_000
        renewAt = endsAt &- UInt64(margin) &* 1_000_000
    }

    mutating func failed(nextFetchAt time: UInt64) {
        isFetching = false
        nextFetchAt = time
    }

    /// The token was not accepted: it is not used again.
    mutating func refused(_ number: Int) {
        if current?.number == number { current = nil }
    }
}
