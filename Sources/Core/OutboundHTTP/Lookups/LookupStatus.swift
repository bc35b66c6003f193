/// Counters of the lookups at one service; they only increase.
package struct LookupCounters: Sendable, Equatable {
    /// Calls that were started; a second attempt of one call on a new connection is not counted.
    package var calls: UInt64 = 0
    /// Calls by their result. Lookups of accounts distinguish failures only.
    package var accepted: UInt64 = 0
    package var refused: UInt64 = 0
    package var failed: UInt64 = 0
    /// Waiters that got a remembered result.
    package var hits: UInt64 = 0
    /// Waiters that joined another waiter's call.
    package var shared: UInt64 = 0
    /// Waiters that were rejected for want of places or time.
    package var overflowed: UInt64 = 0
    /// Waiters that were rejected while the breaker was open.
    package var paused: UInt64 = 0

    package init() {}
}

/// The state of the lookups at one service, for operators.
package struct LookupStatus: Sendable, Equatable {
    /// The provider's id; `firebase` for accounts.
    package var provider = "firebase"
    package let counters: LookupCounters
    /// Calls that run, and keys that wait for one.
    package let running: Int
    package let waiting: Int
    /// Results that are remembered; of providers they are not counted apart.
    package var remembered = 0
    /// Why the last call failed; `nil` after a success.
    package var failing: LookupFailure.Kind?
    /// Nanoseconds until the breaker lets calls start; 0: they may start.
    package let pausedFor: UInt64
}
