package import GatewayConfiguration
package import GatewayCore
package import Logging
package import NIOCore
import OutboundHTTP
package import Revocation

/// The delivery of messages from the outbox: it performs the actions of `OutboxMachine`.
package final class OutboxDelivery: Sendable {
    private let store: any OutboxStore
    /// Returns the destinations of the active configuration. `nil` if nothing is delivered.
    private let destinations: @Sendable () -> OutboxDestinations?
    /// The name of this gateway's lease.
    private let holder = RandomText.name()
    private let logger: Logger
    private let host: MachineHost<OutboxMachine>

    /// Creates a delivery. It does nothing before `start`.
    package convenience init(
        _ store: any OutboxStore, loop: any EventLoop, clock: GatewayClock, logger: Logger,
        destinations: @escaping @Sendable () -> OutboxDestinations?
    ) {
        self.init(
            store, environment: .timers(loop: loop, clock: clock, logger: logger), machine: OutboxMachine(),
            destinations: destinations)
    }

    init(
        _ store: any OutboxStore, environment: LookupEnvironment, machine: OutboxMachine,
        destinations: @escaping @Sendable () -> OutboxDestinations?
    ) {
        (self.store, self.destinations, logger) = (store, destinations, environment.logger)
        host = MachineHost(machine, environment: environment)
    }

    /// Starts polling the outbox.
    package func start() { tick() }

    /// Adds messages about changes of accounts if the configuration delivers them.
    package func adopt(_ configuration: Configuration) {
        guard let accounts = configuration.accounts, configuration.hasOutbox else { return store.outbox.set(nil) }
        store.outbox.set(
            OutboxSwitch.Policy(limit: OutboxBounds.messages, sendsEvents: accounts.webhook != nil) {
                [weak self] dropped in self?.added(dropped: dropped)
            })
    }

    /// Handles messages that this gateway added.
    private func added(dropped: Int) {
        if dropped > 0 {
            logger.error(
                "the outbox does not accept messages: tokens are not revoked, or events not sent",
                metadata: ["messages": "\(dropped)"])
        }
        apply { machine, now in machine.added(now: now) }
    }

    /// Ends deliveries and releases the lease. The outbox keeps all messages that are not delivered.
    ///
    /// While a delivery runs, the lease is kept, for at most two seconds or until it ends by itself.
    package func stop() async {
        apply { machine, _ in
            machine.stop()
            return []
        }
        for _ in 0..<100 {
            if host.read({ $0.isIdle }) {
                try? await store.releaseOutbox(of: holder)
                return
            }
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Returns the numbers of deliveries, and the state of the outbox.
    package func status() -> OutboxStatus {
        var status = host.read { $0.status }
        status.dropped = store.outbox.droppedCount
        return status
    }

    /// Handles deadlines that were reached.
    func tick() {
        apply { machine, now in machine.tick(now: now) }
    }

    private func apply(_ event: (inout OutboxMachine, UInt64) -> [OutboxMachine.Action]) {
        for action in host.apply(event, tick: { [weak self] in self?.tick() }) { perform(action) }
    }

    private func perform(_ action: OutboxMachine.Action) {
        switch action {
        case .poll: Task { await poll() }
        case .deliver(let message): Task { await deliver(message) }
        case .remove(let message):
            settle(message) { store throws(StoreError) in try await store.removeMessage(message) }
        case .postpone(let message, let seconds):
            settle(message) { store throws(StoreError) in try await store.postponeMessage(message, by: seconds) }
        case .park(let message):
            settle(message) { store throws(StoreError) in try await store.parkMessage(message) }
        case .logUnreadable(let error):
            logger.error("the outbox cannot be read", metadata: ["error": "\(error)"])
        case .logFailing(let destination, let reason):
            logger.warning(
                "a message of the outbox could not be delivered; it is retried",
                metadata: ["destination": "\(destination)", "reason": "\(reason)"])
        case .logParked(let message, let reason):
            logger.error(
                "a message of the outbox is parked",
                metadata: [
                    "kind": "\(message.kind.rawValue)", "message": "\(message.id)",
                    "destination": "\(message.destination)", "reason": "\(reason)",
                ])
        }
    }

    private func poll() async {
        guard destinations() != nil else { return apply { machine, now in machine.polled(nil, now: now) } }
        do throws(StoreError) {
            let poll = try await store.pollOutbox(
                by: holder, lease: OutboxBounds.lease, limit: OutboxBounds.batch)
            apply { machine, now in machine.polled(poll, now: now) }
        } catch {
            apply { machine, now in machine.pollFailed(error, now: now) }
        }
    }

    private func deliver(_ message: OutboxMessage) async {
        let result = await destinations()?.deliver(message) ?? .failed("nothing is delivered", concernsAll: false)
        apply { machine, now in machine.delivered(message, result, now: now) }
    }

    private func settle(
        _ message: OutboxMessage, _ body: @escaping @Sendable (any OutboxStore) async throws(StoreError) -> Void
    ) {
        Task {
            try? await body(store)
            apply { machine, now in machine.settled(message, now: now) }
        }
    }
}
