/// Counters of the lookups at one service; they only increase.
package struct LookupCounters: Sendable, Equatable {
    /// Started calls, without repetitions on a new connection.
    package var calls: UInt64 = 0
    /// Calls by result. Lookups of accounts count only failures.
    package var accepted: UInt64 = 0
    package var refused: UInt64 = 0
    package var failed: UInt64 = 0
    /// Waiters that received a cached result.
    package var hits: UInt64 = 0
    /// Waiters that shared another waiter's call.
    package var shared: UInt64 = 0
    /// Waiters that were rejected because of a limit or a timeout.
    package var overflowed: UInt64 = 0
    /// Waiters that were rejected while the breaker was open.
    package var paused: UInt64 = 0

    package init() {}

    package static func + (one: Self, other: Self) -> Self {
        var sum = one
        sum.calls += other.calls
        sum.accepted += other.accepted
        sum.refused += other.refused
        sum.failed += other.failed
        sum.hits += other.hits
        sum.shared += other.shared
        sum.overflowed += other.overflowed
        sum.paused += other.paused
        return sum
    }
}

/// The state of the lookups at one service, for operators.
package struct LookupStatus: Sendable, Equatable {
    /// The provider's id; `firebase` for accounts.
    package var provider = "firebase"
    package let counters: LookupCounters
    /// The number of running calls, and of keys that wait for one.
    package let running: Int
    package let waiting: Int
    /// The number of cached results. For providers it is not counted separately.
    package var remembered = 0
    /// Whether the gateway has valid credentials for its calls. Only lookups of accounts need an access token.
    package var hasCredentials = true
    /// The kind of the last failure. `nil` after a success.
    package var failing: LookupFailure.Kind?
    /// The nanoseconds until the breaker permits calls; 0 if it does now.
    package let pausedFor: UInt64

    /// Returns the state of the lookups at two services as one. A failure of either is a failure.
    package func combined(with other: LookupStatus) -> LookupStatus {
        LookupStatus(
            provider: provider, counters: counters + other.counters, running: running + other.running,
            waiting: waiting + other.waiting, remembered: remembered + other.remembered,
            hasCredentials: hasCredentials && other.hasCredentials, failing: failing ?? other.failing,
            pausedFor: max(pausedFor, other.pausedFor))
    }
}
