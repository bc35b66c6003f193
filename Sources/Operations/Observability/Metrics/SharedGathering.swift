package import GatewayCore

/// The gathering of a text that requires work on every event loop, shared by all callers.
///
/// One gathering runs at a time. Callers that arrive before the next one begins share it. `/metrics`, which needs no
/// token, therefore uses at most a tenth of one core.
package actor SharedGathering {
    /// The minimum and the maximum interval between the starts of two gatherings, in nanoseconds. Within these bounds,
    /// it is ten times the duration of the last one.
    static let interval = 100 * UInt64(1_000_000)
    private static let longestInterval = UInt64(1_000_000_000)

    private let clock: GatewayClock
    private let sleep: @Sendable (UInt64) async -> Void
    private var running: Task<String, Never>?
    /// The gathering that has not begun. It includes everything that happened before its callers arrived.
    private var next: Task<String, Never>?
    private var allowed: UInt64 = 0

    /// Creates a gathering.
    ///
    /// - Parameter sleep: Waits for a number of nanoseconds.
    package init(
        clock: GatewayClock,
        sleep: @escaping @Sendable (UInt64) async -> Void = { try? await Task.sleep(nanoseconds: $0) }
    ) {
        self.clock = clock
        self.sleep = sleep
    }

    /// Returns the text of a gathering that begins after this call.
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
