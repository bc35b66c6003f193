import GatewayCore
import Synchronization

/// A state machine with deadlines.
package protocol TimedMachine: Sendable {
    associatedtype Action: Sendable

    /// The time of the next `tick` in monotonic nanoseconds. `nil` if none is needed.
    var deadline: UInt64? { get }

    /// Handles a deadline.
    mutating func tick(now: UInt64) -> [Action]
}

/// A state machine in a lock, with a timer for its deadlines. The owner performs the returned actions.
package final class MachineHost<Machine: TimedMachine>: Sendable {
    private struct State: Sendable {
        var machine: Machine
        /// The time of the earliest timer. `nil` if none is scheduled.
        var wakesAt: UInt64?
    }

    private let environment: LookupEnvironment
    private let state: Mutex<State>

    package init(_ machine: Machine, environment: LookupEnvironment) {
        self.environment = environment
        state = Mutex(State(machine: machine))
    }

    /// Applies an event to the machine.
    ///
    /// - Parameter tick: Called at a deadline; it has to apply `Machine.tick`.
    /// - Returns: The actions to perform.
    package func apply(
        _ event: (inout Machine, UInt64) -> [Machine.Action], tick: @escaping @Sendable () -> Void
    ) -> [Machine.Action] {
        let now = environment.clock.monotonic()
        let (actions, wakeAt) = state.withLock { state in
            let actions = event(&state.machine, now)
            return (actions, Self.newWakeTime(&state))
        }
        if let wakeAt { arm(wakeAt, tick) }
        return actions
    }

    /// Reads the machine in place. After a copy, its next change would copy all its storage.
    package func read<Value: Sendable>(_ body: (borrowing Machine) -> Value) -> Value {
        state.withLock { body($0.machine) }
    }

    /// Returns the time of a new timer. `nil` if an earlier one is scheduled or none is needed.
    private static func newWakeTime(_ state: inout State) -> UInt64? {
        guard let deadline = state.machine.deadline, deadline < state.wakesAt ?? .max else { return nil }
        state.wakesAt = deadline
        return deadline
    }

    private func arm(_ time: UInt64, _ tick: @escaping @Sendable () -> Void) {
        environment.wake(time) { [weak self] in
            guard let self else { return }
            state.withLock { if $0.wakesAt == time { $0.wakesAt = nil } }
            tick()
        }
    }
}
