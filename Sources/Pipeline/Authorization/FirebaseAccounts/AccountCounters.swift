package import OutboundHTTP

/// What happened so far with lookups of accounts.
package struct AccountCounters: Sendable, Equatable {
    /// Calls that were started, and the accounts that they asked about.
    package var calls: UInt64 = 0
    var accounts: UInt64 = 0
    /// Calls that failed.
    package var failed: UInt64 = 0
    /// Access tokens that were asked for.
    var tokens: UInt64 = 0
    /// Questions that were answered from memory.
    var hits: UInt64 = 0
    /// Questions that joined another's about the same account.
    var shared: UInt64 = 0
    /// Questions that were answered `unavailable`, for want of places or time.
    var overflowed: UInt64 = 0
    /// Questions that were answered `unavailable` while Identity Toolkit was left alone.
    var paused: UInt64 = 0
}

/// What operators may know of lookups of accounts.
package struct AccountLookupStatus: Sendable, Equatable {
    /// The URL that is asked, without what may be secret.
    var source: String
    package var counters: AccountCounters
    /// Whether there is an access token: the service account's key was accepted.
    var hasToken: Bool
    /// Calls that run, accounts that wait for one, and accounts that are remembered.
    package var running: Int
    package var waiting: Int
    package var remembered: Int
    /// Why the last call failed, if it did.
    package var failing: AskingFailure.Kind?
    /// Nanoseconds for which Identity Toolkit is still left alone; 0: it is asked.
    var pausedFor: UInt64
}
