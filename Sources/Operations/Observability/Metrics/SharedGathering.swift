package import GatewayCore

/// Gathers a text that costs work on every event loop, for any number of callers.
///
/// One gathering runs at a time, and callers that come before the next one begins share it. So `/metrics`, which needs no token, takes a
/// tenth of one core at most.
package actor SharedGathering {
    /// From the start of a gathering to the start of the next one, at least; ten times as long as the last one took, but at most a second.
    static let interval = 100 * UInt64(1_000_000)
    private static let longestInterval = UInt64(1_000_000_000)

    private let clock: GatewayClock
    private let sleep: @Sendable (UInt64) async -> Void
    private var running: Task<String, Never>?
    /// The gathering that has not begun; its callers see all that happened before they came.
    private var next: Task<String, Never>?
    private var allowed: UInt64 = 0

    /// - Parameter sleep: Waits for a number of nanoseconds.
    package init(
        clock: GatewayClock,
        sleep: @escaping @Sendable (UInt64) async -> Void = { try? await Task.sleep(nanoseconds: $0) }
    ) {
        self.clock = clock
        self.sleep = sleep
    }

    /// The text of a gathering that begins after this call.
    package func text(_ gather: @escaping @Sendable () async -> String) async -> String {
        if let next { return await next.value }
        let previous = running
        let task = Task {
            _ = await previous?.value
            let now = clock.monotonic()
            if allowed > now { await sleep(allowed - now) }
            return await begin(gather)
        }
        next = task
        return await task.value
    }

    private func begin(_ gather: @Sendable () async -> String) async -> String {
        running = next
        next = nil
        let start = clock.monotonic()
        let text = await gather()
        let cost = clock.monotonic() &- start
        allowed =
            start
            &+ min(max(Self.interval, cost.multipliedReportingOverflow(by: 10).partialValue), Self.longestInterval)
        return text
    }
}
