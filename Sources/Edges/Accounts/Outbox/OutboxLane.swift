import GatewayCore
import Logging
import OutboundHTTP
import Revocation
import Synchronization

/// The delivery of the messages of one destination: it performs the actions of its `OutboxMachine`.
final class OutboxLane: Sendable {
    let destination: String
    private let store: any OutboxStore
    /// Returns the destinations of the active configuration. `nil` if nothing is delivered.
    private let destinations: @Sendable () -> OutboxDestinations?
    /// Called with the names of all destinations that the store has.
    private let found: @Sendable (Set<String>) -> Void
    /// The name of this gateway's lease.
    private let holder = RandomText.name()
    private let logger: Logger
    private let host: MachineHost<OutboxMachine>
    /// Running deliveries, by the ID of the message.
    private let tasks = Mutex<[String: Task<Void, Never>]>([:])

    init(
        _ destination: String, _ store: any OutboxStore, environment: LookupEnvironment, machine: OutboxMachine,
        destinations: @escaping @Sendable () -> OutboxDestinations?, found: @escaping @Sendable (Set<String>) -> Void
    ) {
        (self.destination, self.store, self.destinations, self.found) = (destination, store, destinations, found)
        logger = environment.logger
        host = MachineHost(machine, environment: environment)
    }

    var status: OutboxStatus.Lane { host.read { $0.status } }

    /// Handles deadlines that were reached.
    func tick() { apply { machine, now in machine.tick(now: now) } }

    /// Handles messages that this gateway added.
    func added() { apply { machine, now in machine.added(now: now) } }

    /// Handles another configuration.
    func reconfigured() { apply { machine, now in machine.reconfigured(now: now) } }

    /// Begins no further delivery.
    func stop() {
        apply { machine, _ in
            machine.stop()
            return []
        }
    }

    /// Releases the lease if nothing is running any more. Returns whether it did.
    func release() async -> Bool {
        guard host.read({ $0.isIdle }) else { return false }
        try? await store.releaseOutbox(of: destination, by: holder)
        return true
    }

    private func apply(_ event: (inout OutboxMachine, UInt64) -> [OutboxMachine.Action]) {
        for action in host.apply(event, tick: { [weak self] in self?.tick() }) { perform(action) }
    }

    private func perform(_ action: OutboxMachine.Action) {
        switch action {
        case .poll: Task { await poll() }
        case .deliver(let message): start(message)
        case .cancel(let message): tasks.withLock { $0.removeValue(forKey: message.id) }?.cancel()
        case .settle(let message, let settlement): Task { await settle(message, settlement) }
        case .retryParked: Task { await retryParked() }
        case .log(let line): log(line)
        }
    }

    private func poll() async {
        guard destinations() != nil else { return apply { machine, now in machine.polled(nil, now: now) } }
        do throws(StoreError) {
            let poll = try await store.pollOutbox(
                of: destination, by: holder, lease: OutboxBounds.lease, limit: OutboxBounds.batch)
            found(poll.destinations)
            apply { machine, now in machine.polled(poll, now: now) }
        } catch {
            apply { machine, now in machine.pollFailed(error, now: now) }
        }
    }

    private func start(_ message: OutboxMessage) {
        // The lock is held until the task is listed, so that the task cannot end before.
        tasks.withLock { tasks in tasks[message.id] = Task { await deliver(message) } }
    }

    private func deliver(_ message: OutboxMessage) async {
        let off = OutboxResult.failed(OutboxResult.Failure("nothing is delivered"), concernsAll: false)
        let result = await destinations()?.deliver(message) ?? off
        _ = tasks.withLock { $0.removeValue(forKey: message.id) }
        apply { machine, now in machine.delivered(message, result, now: now) }
    }

    private func settle(_ message: OutboxMessage, _ settlement: OutboxMachine.Settlement) async {
        var failure: StoreError?
        do throws(StoreError) {
            switch settlement {
            case .remove: try await store.removeMessage(message)
            case .postpone(let seconds): try await store.postponeMessage(message, by: seconds)
            case .park(let reason): try await store.parkMessage(message, for: reason)
            }
        } catch {
            failure = error
        }
        apply { [failure] machine, now in machine.settled(message, failure, now: now) }
    }

    private func retryParked() async {
        let result: Result<Int, StoreError>
        do throws(StoreError) {
            result = .success(
                try await store.retryMessages(
                    of: destination, parkedFor: ParkedMessage.Reason.configurable, limit: OutboxBounds.retries))
        } catch {
            result = .failure(error)
        }
        apply { machine, now in machine.retried(result, now: now) }
    }

    private func log(_ line: OutboxMachine.Log) {
        var metadata: Logger.Metadata = ["destination": "\(destination)"]
        func add(_ failure: OutboxResult.Failure) {
            metadata["reason"] = "\(failure.reason)"
            if let status = failure.status { metadata["status"] = "\(status)" }
        }
        switch line {
        case .unreadable(let error):
            metadata["error"] = "\(error)"
            logger.error("the outbox cannot be read", metadata: metadata)
        case .unsettled(let error):
            metadata["error"] = "\(error)"
            logger.error("the result of a delivery cannot be stored; it is stored later", metadata: metadata)
        case .failing(let failure):
            add(failure)
            logger.warning("a message of the outbox could not be delivered; it is retried", metadata: metadata)
        case .unknownToken(let failure):
            add(failure)
            logger.warning("a provider does not know a token; its grant may remain", metadata: metadata)
        case .parked(let message, let reason, let failure):
            add(failure)
            metadata["kind"] = "\(message.kind.rawValue)"
            metadata["message"] = "\(message.id)"
            metadata["parked"] = "\(reason.rawValue)"
            logger.error("a message of the outbox is parked", metadata: metadata)
        case .discarded(let message, let failure):
            add(failure)
            metadata["message"] = "\(message.id)"
            logger.error("an event with a link was not delivered and is discarded", metadata: metadata)
        }
    }
}
