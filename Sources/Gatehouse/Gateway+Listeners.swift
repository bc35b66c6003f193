import NIOCore
import NIOPosix
import Synchronization

extension Gateway {
    /// Opens the configuration's listeners.
    func openListeners() async throws {
        let budget = ConnectionBudget(limit: try connectionLimit(workers: loops.count))
        for (wanted, front) in zip(configuration.listen, snapshot.fronts) {
            do {
                let listener = try await open(wanted.address, front, budget)
                listeners.withLock { $0.append(listener) }
            } catch {
                throw GatewayStartError(cannotListenOn: "\(wanted.address)", error)
            }
        }
    }

    /// Opens one listener on every worker.
    func open(_ address: ListenAddress, _ front: ListenerFront, _ budget: ConnectionBudget) async throws -> Listener {
        var lanes: [ListenerLane] = []
        for bound in loops {
            let loop = bound.eventLoop
            lanes.append(
                try await loop.submit {
                    ListenerLane(
                        front: NIOLoopBound(bound.value.front, eventLoop: loop),
                        counters: NIOLoopBound(bound.value.counters, eventLoop: loop))
                }.get())
        }
        return try await Listener.open(
            address, lanes: lanes, group: workerGroup, control: controlGroup.next(), front: front, budget: budget)
    }
}
