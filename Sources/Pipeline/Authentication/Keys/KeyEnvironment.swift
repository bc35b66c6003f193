import GatewayCore
package import OutboundHTTP

/// The dependencies of a key set's driver; tests replace them.
struct KeyEnvironment: Sendable {
    var fetcher: any KeyFetcher
    var clock: GatewayClock
    /// Returns when the monotonic clock has reached the time. Throws if the task is cancelled.
    var sleepUntil: @Sendable (UInt64) async throws -> Void
    /// Logs an event of a source's set.
    var log: @Sendable (KeySetEvent, KeySetSource) -> Void

    /// Returns the production environment.
    static func live(
        fetcher: any KeyFetcher, clock: GatewayClock, log: @escaping @Sendable (KeySetEvent, KeySetSource) -> Void
    ) -> KeyEnvironment {
        KeyEnvironment(
            fetcher: fetcher, clock: clock,
            sleepUntil: { deadline in
                // Sleeps in steps, because the two clocks may run at different rates.
                while case let now = clock.monotonic(), now < deadline {
                    try await Task.sleep(nanoseconds: min(deadline - now, 60_000_000_000))
                }
            },
            log: log)
    }
}

/// A client that fetches key sets.
///
/// A fetch ends within a timeout of its own, and soon after its task is cancelled. Fetches of one source never overlap.
package protocol KeyFetcher: Sendable {
    /// Returns the current key set of `source`.
    func fetch(_ source: KeySetSource) async throws(KeyFetchError) -> FetchedKeySet
}
