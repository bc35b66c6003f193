import GatewayCore
import Synchronization

/// A machine that has to look at the time.
package protocol TimedMachine: Sendable {
    associatedtype Action: Sendable

    /// When a `tick` is needed; nil: none is.
    var deadline: UInt64? { get }

    /// The deadline has come.
    mutating func tick(now: UInt64) -> [Action]
}

/// Holds a machine under a lock, and has it look at the time when it must; what it wants done is its owner's business.
package final class MachineHost<Machine: TimedMachine>: Sendable {
    private struct State: Sendable {
        var machine: Machine
        /// The earliest time that somebody will be woken at; nil: none.
        var wakesAt: UInt64?
    }

    private let environment: AskingEnvironment
    private let state: Mutex<State>

    package init(_ machine: Machine, environment: AskingEnvironment) {
        self.environment = environment
        state = Mutex(State(machine: machine))
    }

    /// Lets something happen to the machine.
    ///
    /// - Parameter tick: called when the machine has to look at the time; it lets `Machine.tick` happen.
    /// - Returns: what the machine wants done.
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

    /// Reads the machine where it is: a copy would cost its next change a copy of all it remembers.
    package func read<Value: Sendable>(_ body: (borrowing Machine) -> Value) -> Value {
        state.withLock { body($0.machine) }
    }

    /// When to wake, if earlier than is planned.
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
