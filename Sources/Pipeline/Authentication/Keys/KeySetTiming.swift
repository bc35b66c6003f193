import GatewayConfiguration
import GatewayCore

/// The timing of one key set in nanoseconds: refresh, retry and lifetime.
struct KeySetTiming: Sendable {
    /// The bounds of the delay after a failed fetch: 1 s, doubled with each consecutive failure, at most 60 s.
    static let firstRetry: UInt64 = 1_000_000_000
    static let lastRetry: UInt64 = 60_000_000_000
    /// The minimum interval between fetches of a source, whatever the policy.
    static let leastPause: UInt64 = 50_000_000
    /// The fraction of its delay by which a refresh may be early. It is never late.
    static let refreshSpread = 0.1

    let minimumLifetime: UInt64
    let maximumLifetime: UInt64
    let staleFor: UInt64
    let cooldown: UInt64
    let refreshAt: Double

    /// The lifetime of the key set of App Check: six hours (Firebase documentation, "Verify App Check tokens from a
    /// custom backend"). The SDKs ignore the source's `Cache-Control`.
    static let appCheckLifetime: UInt64 = 6 * 3600 * 1_000_000_000

    init(_ policy: Configuration.KeyPolicy, of source: KeySetSource) {
        if case .appCheck = source {
            self.init(policy, lifetime: min(Self.appCheckLifetime, policy.maxTTL.nanoseconds))
        } else {
            self.init(policy)
        }
    }

    /// Creates the timing of a policy.
    ///
    /// - Parameter lifetime: The lifetime of each set. `nil` if its source states it.
    init(_ policy: Configuration.KeyPolicy, lifetime: UInt64? = nil) {
        minimumLifetime = lifetime ?? policy.minTTL.nanoseconds
        maximumLifetime = lifetime ?? max(policy.maxTTL.nanoseconds, minimumLifetime)
        staleFor = policy.staleFor.nanoseconds
        cooldown = max(policy.unknownKeyCooldown.nanoseconds, Self.leastPause)
        refreshAt = min(max(policy.refreshAt, 0), 1)
    }

    /// Returns the source's `max-age` (seconds), clamped to the policy's bounds.
    func lifetime(maxAge: UInt64) -> UInt64 {
        let (nanoseconds, isTooLarge) = maxAge.multipliedReportingOverflow(by: 1_000_000_000)
        return min(max(isTooLarge ? .max : nanoseconds, minimumLifetime), maximumLifetime)
    }

    /// Returns the delay from a successful fetch to the next one.
    func refreshDelay(lifetime: UInt64, jitter: inout KeyJitter) -> UInt64 {
        let latest = Double(lifetime) * refreshAt
        let delay = jitter.duration(from: UInt64(latest * (1 - Self.refreshSpread)), through: UInt64(latest))
        return max(delay, Self.leastPause)
    }

    /// Returns the delay from the last of `failures` consecutive failed fetches to the next one.
    func retryDelay(failures: Int, jitter: inout KeyJitter) -> UInt64 {
        let doublings = min(max(failures, 1), 6)
        let greatest = min(Self.firstRetry << UInt64(doublings), Self.lastRetry)
        return jitter.duration(from: greatest / 2, through: greatest)
    }
}
