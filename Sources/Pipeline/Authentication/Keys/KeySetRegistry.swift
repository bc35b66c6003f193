import Synchronization

/// The registry of the latest states of all sets. Drivers write to it; readers and subscribers are notified.
final class KeySetRegistry: Sendable {
    typealias Sink = @Sendable (Int, KeySetView) -> Void

    private struct State {
        var machines: [KeySetMachine]
        var sinks: [Int: Sink] = [:]
        var nextSink = 0
    }

    private let state: Mutex<State>

    init(_ machines: [KeySetMachine]) {
        state = Mutex(State(machines: machines))
    }

    /// The latest machines, as values.
    var machines: [KeySetMachine] { state.withLock { $0.machines } }

    /// Stores `machine` as the state of a set and, if `isNews`, passes its view to every sink.
    ///
    /// Sinks are called under the lock, so that each receives the views of a set in order.
    func record(_ machine: KeySetMachine, set: Int, isNews: Bool) {
        state.withLock { state in
            state.machines[set] = machine
            guard isNews else { return }
            for sink in state.sinks.values { sink(set, machine.view) }
        }
    }

    /// Passes the current views to `sink`, and every later one.
    func subscribe(_ sink: @escaping Sink) -> Int {
        state.withLock { state in
            let id = state.nextSink
            state.nextSink += 1
            state.sinks[id] = sink
            for (set, machine) in state.machines.enumerated() { sink(set, machine.view) }
            return id
        }
    }

    /// Ends a subscription. The sink is not called after this returns.
    func unsubscribe(_ id: Int) {
        state.withLock { _ = $0.sinks.removeValue(forKey: id) }
    }
}
