import GatewayCore
import Observability

/// The sampling of the gateway's readings, off the request path.
struct HistorySampling: Sendable {
    private let history: GatewayHistory
    private let readings: @Sendable () async -> GatewayReadings
    private let clock: GatewayClock
    private let wait: Supervisor.Wait

    init(
        _ history: GatewayHistory, clock: GatewayClock,
        wait: @escaping Supervisor.Wait = { try await Task.sleep(for: $0) },
        readings: @escaping @Sendable () async -> GatewayReadings
    ) {
        self.history = history
        self.clock = clock
        self.wait = wait
        self.readings = readings
    }

    /// Takes a sample after each interval, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            do { try await wait(.seconds(GatewayHistory.interval)) } catch { return }
            history.record(await readings(), at: clock.now())
        }
    }
}
