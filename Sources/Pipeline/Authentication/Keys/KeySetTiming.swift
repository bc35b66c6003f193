import GatewayConfiguration
import GatewayCore

/// The times of one key set, in nanoseconds: when it is asked for again, and how long what came counts.
struct KeySetTiming: Sendable {
    /// The bounds of the wait after a failed fetch: 1 s, doubled with each failure in a row, at most 60 s.
    static let firstRetry: UInt64 = 1_000_000_000
    static let lastRetry: UInt64 = 60_000_000_000
    /// No source is asked more often than this, whatever the policy says.
    static let leastPause: UInt64 = 50_000_000
    /// A refresh may come this share of its delay too early, and never too late.
    static let refreshSpread = 0.1

    let minimumLifetime: UInt64
    let maximumLifetime: UInt64
    let staleFor: UInt64
    let cooldown: UInt64
    let refreshAt: Double

    init(_ policy: Configuration.KeyPolicy) {
        minimumLifetime = policy.minTTL.nanoseconds
        maximumLifetime = max(policy.maxTTL.nanoseconds, minimumLifetime)
        staleFor = policy.staleFor.nanoseconds
        cooldown = max(policy.unknownKeyCooldown.nanoseconds, Self.leastPause)
        refreshAt = min(max(policy.refreshAt, 0), 1)
    }

    /// What the source's `max-age` (seconds) comes to within the policy's bounds.
    func lifetime(maxAge: UInt64) -> UInt64 {
        let (nanoseconds, isTooLarge) = maxAge.multipliedReportingOverflow(by: 1_000_000_000)
        return min(max(isTooLarge ? .max : nanoseconds, minimumLifetime), maximumLifetime)
    }

    /// How long after a fetch that succeeded the next one starts.
    func refreshDelay(lifetime: UInt64, jitter: inout KeyJitter) -> UInt64 {
        let latest = Double(lifetime) * refreshAt
        let delay = jitter.duration(from: UInt64(latest * (1 - Self.refreshSpread)), through: UInt64(latest))
        return max(delay, Self.leastPause)
    }

    /// How long after the last of `failures` fetches that failed in a row the next one starts.
    func retryDelay(failures: Int, jitter: inout KeyJitter) -> UInt64 {
        let doublings = min(max(failures, 1), 6)
        let greatest = min(Self.firstRetry << UInt64(doublings), Self.lastRetry)
        return jitter.duration(from: greatest / 2, through: greatest)
    }
}
