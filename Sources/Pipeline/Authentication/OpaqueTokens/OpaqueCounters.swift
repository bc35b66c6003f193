package import OutboundHTTP

/// What happened so far with a provider's opaque tokens.
package struct OpaqueCounters: Sendable, Equatable {
    /// Calls that were started; the second try of one call is not counted.
    var calls: UInt64 = 0
    /// Calls by what came of them.
    package var accepted: UInt64 = 0
    package var refused: UInt64 = 0
    package var failed: UInt64 = 0
    /// Questions that were answered from memory.
    package var hits: UInt64 = 0
    /// Questions that joined a call of another's.
    package var shared: UInt64 = 0
    /// Calls that had to wait for their turn.
    var queued: UInt64 = 0
    /// Questions that were answered `unavailable`, for want of places or time.
    package var overflowed: UInt64 = 0
    /// Questions that were answered `unavailable` while the provider was left alone.
    package var paused: UInt64 = 0
}

/// What operators may know of a provider's opaque tokens.
package struct OpaqueStatus: Sendable, Equatable {
    /// The provider's id.
    package var provider: String
    /// The URL that is asked, without what may be secret.
    var source: String
    package var counters: OpaqueCounters
    /// Calls that run, and that wait for their turn.
    package var running: Int
    package var waiting: Int
    /// Why the last call failed, if it did.
    package var failing: AskingFailure.Kind?
    /// Nanoseconds for which the provider is still left alone; 0: it is asked.
    var pausedFor: UInt64
}

/// How much is remembered of opaque tokens, for all providers together.
struct OpaqueMemory: Sendable, Equatable {
    var accepted: Int
    var refused: Int
}
