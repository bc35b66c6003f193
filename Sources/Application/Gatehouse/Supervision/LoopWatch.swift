import Atomics
import GatewayCore

/// The observation of the event loops for `/livez`. A process with a hanging loop accepts connections, but does not
/// serve them.
final class LoopWatch: Sendable {
    /// The maximum time from one run of a task on every event loop to the next, in seconds. A loaded loop needs
    /// milliseconds.
    static let limit: UInt64 = 30
    /// The time between two runs.
    private static let interval = Duration.seconds(5)

    private let clock: GatewayClock
    private let wait: Supervisor.Wait
    /// The monotonic time of the last complete run, in nanoseconds.
    private let lastRun: ManagedAtomic<UInt64>

    /// Creates an observation. The event loops count as running at this moment.
    init(clock: GatewayClock, wait: @escaping Supervisor.Wait = { try await Task.sleep(for: $0) }) {
        self.clock = clock
        self.wait = wait
        lastRun = ManagedAtomic(clock.monotonic())
    }

    /// Observes the loops until the task is cancelled or a loop has ended.
    ///
    /// - Parameter turn: Returns after each event loop has run a task.
    func run(after turn: @Sendable () async throws -> Void) async {
        while !Task.isCancelled {
            do {
                try await turn()
                lastRun.store(clock.monotonic(), ordering: .relaxed)
                try await wait(Self.interval)
            } catch {
                return
            }
        }
    }

    /// The reason why the process should be replaced. `nil` if it responds.
    var failure: String? {
        let now = clock.monotonic()
        guard now &- min(now, lastRun.load(ordering: .relaxed)) > Self.limit * 1_000_000_000 else { return nil }
        return "an event loop has run no task for more than \(Self.limit) s; restart the gateway"
    }
}
