import GatewayCore
import Synchronization

/// A state machine that has deadlines.
package protocol TimedMachine: Sendable {
    associatedtype Action: Sendable

    /// When a `tick` is needed, in monotonic nanoseconds; `nil`: none is needed.
    var deadline: UInt64? { get }

    /// Handles a deadline that was reached.
    mutating func tick(now: UInt64) -> [Action]
}

/// A state machine under a lock, with a timer for its deadlines. The owner performs the returned actions.
package final class MachineHost<Machine: TimedMachine>: Sendable {
    private struct State: Sendable {
        var machine: Machine
        /// The earliest time at which a timer fires; `nil`: none is set.
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
    /// - Parameter tick: called at a deadline; it has to apply `Machine.tick`.
    /// - Returns: the actions to perform.
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

    /// Reads the machine in place: a copy would make its next change copy all its storage.
    package func read<Value: Sendable>(_ body: (borrowing Machine) -> Value) -> Value {
        state.withLock { body($0.machine) }
    }

    /// The time for a new timer; `nil` if an earlier one is set or none is needed.
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
