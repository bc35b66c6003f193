import Synchronization

/// Where the drivers put the newest state of their sets, and where readers and subscribers find it.
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

    /// The newest machines, as values.
    var machines: [KeySetMachine] { state.withLock { $0.machines } }

    /// Keeps `machine` as the state of a set and, if `isNews`, hands its view to every sink.
    ///
    /// Sinks are called under the lock, so that each sees the views of a set in their order.
    func record(_ machine: KeySetMachine, set: Int, isNews: Bool) {
        state.withLock { state in
            state.machines[set] = machine
            guard isNews else { return }
            for sink in state.sinks.values { sink(set, machine.view) }
        }
    }

    /// Hands the views of now to `sink`, and every later one.
    func subscribe(_ sink: @escaping Sink) -> Int {
        state.withLock { state in
            let id = state.nextSink
            state.nextSink += 1
            state.sinks[id] = sink
            for (set, machine) in state.machines.enumerated() { sink(set, machine.view) }
            return id
        }
    }

    /// After this returns, the sink is not called any more.
    func unsubscribe(_ id: Int) {
        state.withLock { _ = $0.sinks.removeValue(forKey: id) }
    }
}
