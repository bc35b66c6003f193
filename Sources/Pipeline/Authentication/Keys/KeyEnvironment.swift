import GatewayCore
package import OutboundHTTP

/// What the driver of a key set needs of the world; tests put their own in its place.
struct KeyEnvironment: Sendable {
    var fetcher: any KeyFetcher
    var clock: GatewayClock
    /// Returns when the monotonic clock has reached the time, or throws when the task is cancelled.
    var sleepUntil: @Sendable (UInt64) async throws -> Void
    /// Takes an event and the source of the set that it happened to.
    var log: @Sendable (KeySetEvent, KeySetSource) -> Void

    /// The world as it is.
    static func live(
        fetcher: any KeyFetcher, clock: GatewayClock, log: @escaping @Sendable (KeySetEvent, KeySetSource) -> Void
    ) -> KeyEnvironment {
        KeyEnvironment(
            fetcher: fetcher, clock: clock,
            sleepUntil: { deadline in
                // In steps, so that a clock that runs at another pace than the sleep's is never missed by much.
                while case let now = clock.monotonic(), now < deadline {
                    try await Task.sleep(nanoseconds: min(deadline - now, 60_000_000_000))
                }
            },
            log: log)
    }
}

/// Asks a source for its key set, once.
///
/// A fetch ends within a bound of its own, and soon after its task was cancelled. It is never called twice at a time for
/// one source.
package protocol KeyFetcher: Sendable {
    /// The key set of `source` now.
    func fetch(_ source: KeySetSource) async throws(KeyFetchError) -> FetchedKeySet
}
