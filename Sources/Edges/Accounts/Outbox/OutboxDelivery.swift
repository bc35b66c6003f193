package import GatewayConfiguration
package import GatewayCore
package import Logging
package import NIOCore
import OutboundHTTP
package import Revocation
import Synchronization

/// The delivery of messages from the outbox. Each destination has a lane of its own, so that a slow one delays no
/// other.
package final class OutboxDelivery: Sendable {
    private let store: any OutboxStore
    /// Returns the destinations of the active configuration. `nil` if nothing is delivered.
    private let destinations: @Sendable () -> OutboxDestinations?
    private let environment: LookupEnvironment
    private let makeMachine: @Sendable () -> OutboxMachine
    private let logger: Logger
    private let state = Mutex(State())

    private struct State {
        var lanes: [String: OutboxLane] = [:]
        var isStarted = false
        var isStopped = false
    }

    /// Creates a delivery. It does nothing before `start`.
    package convenience init(
        _ store: any OutboxStore, loop: any EventLoop, clock: GatewayClock, logger: Logger,
        destinations: @escaping @Sendable () -> OutboxDestinations?
    ) {
        self.init(
            store, environment: .timers(loop: loop, clock: clock, logger: logger),
            makeMachine: { OutboxMachine() }, destinations: destinations)
    }

    init(
        _ store: any OutboxStore, environment: LookupEnvironment,
        makeMachine: @escaping @Sendable () -> OutboxMachine,
        destinations: @escaping @Sendable () -> OutboxDestinations?
    ) {
        (self.store, self.destinations, self.environment) = (store, destinations, environment)
        (self.makeMachine, logger) = (makeMachine, environment.logger)
    }

    /// Starts polling the outbox.
    package func start() {
        state.withLock { $0.isStarted = true }
        tick()
    }

    /// Adds messages about changes of accounts if the configuration delivers them. Messages that are parked because of
    /// the previous configuration are tried again.
    package func adopt(_ configuration: Configuration) { adopt(configuration.outboxDestinations) }

    func adopt(_ names: [String]) {
        guard !names.isEmpty else { return store.outbox.set(nil) }
        store.outbox.set(
            OutboxSwitch.Policy(destinations: names, limit: OutboxBounds.messages, reserve: OutboxBounds.reserve) {
                [weak self] dropped in self?.added(dropped: dropped)
            })
        let started = state.withLock { $0.isStarted }
        openLanes(Set(names))
        if started { for lane in lanes { lane.reconfigured() } }
    }

    /// The lanes, by destination.
    private var lanes: [OutboxLane] {
        state.withLock { state in state.lanes.values.sorted { $0.destination < $1.destination } }
    }

    /// Opens lanes for destinations. Messages of a destination that the configuration does not have are parked.
    private func openLanes(_ names: Set<String>) {
        let opened = state.withLock { state -> [OutboxLane] in
            guard !state.isStopped else { return [] }
            var opened: [OutboxLane] = []
            for name in names.sorted()
            where state.lanes[name] == nil && state.lanes.count < OutboxBounds.destinations {
                let lane = OutboxLane(
                    name, store, environment: environment, machine: makeMachine(), destinations: destinations,
                    found: { [weak self] in self?.openLanes($0) })
                state.lanes[name] = lane
                opened.append(lane)
            }
            return state.isStarted ? opened : []
        }
        for lane in opened { lane.tick() }
    }

    /// Handles messages that this gateway added.
    private func added(dropped: Int) {
        if dropped > 0 {
            logger.error(
                "the outbox does not accept messages: tokens are not revoked, or events not sent",
                metadata: ["messages": "\(dropped)"])
        }
        for lane in lanes { lane.added() }
    }

    /// Ends deliveries and releases the leases. The outbox keeps all messages that are not delivered.
    ///
    /// While a delivery runs, its lease is kept, for at most two seconds or until the delivery ends.
    package func stop() async {
        state.withLock { $0.isStopped = true }
        var running = lanes
        for lane in running { lane.stop() }
        for _ in 0..<100 {
            var left: [OutboxLane] = []
            for lane in running {
                if await !lane.release() { left.append(lane) }
            }
            if left.isEmpty { return }
            running = left
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Returns the numbers of deliveries, and the state of the outbox.
    package func status() -> OutboxStatus {
        var status = OutboxStatus()
        for lane in lanes { status.lanes[lane.destination] = lane.status }
        status.dropped = store.outbox.droppedCount
        return status
    }

    /// Handles deadlines that were reached.
    func tick() { for lane in lanes { lane.tick() } }
}

// MARK: - Parked messages

extension OutboxDelivery {
    /// Returns at most `limit` parked messages, the oldest of each destination first.
    package func parkedMessages(limit: Int) async throws(StoreError) -> [ParkedMessage] {
        var messages: [ParkedMessage] = []
        for lane in lanes where messages.count < limit {
            messages += try await store.parkedMessages(of: lane.destination, limit: limit - messages.count)
        }
        return messages
    }

    /// Makes at most `limit` parked messages wait again. Returns their number.
    package func retryMessages(limit: Int) async throws(StoreError) -> Int {
        var count = 0
        for lane in lanes where count < limit {
            count += try await store.retryMessages(
                of: lane.destination, parkedFor: Set(ParkedMessage.Reason.allCases), limit: limit - count)
            lane.added()
        }
        return count
    }

    /// Removes at most `limit` parked messages. Returns their number.
    package func discardMessages(limit: Int) async throws(StoreError) -> Int {
        var count = 0
        for lane in lanes where count < limit {
            count += try await store.discardMessages(of: lane.destination, limit: limit - count)
        }
        return count
    }
}
