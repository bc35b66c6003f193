package import GatewayCore
package import Logging
package import NIOCore
package import OutboundHTTP
package import Revocation
import Synchronization

/// The delivery of queued changes of users to Firebase: it performs the actions of `WriteBackMachine`.
package final class WriteBackDelivery: Sendable {
    private let store: any Store & WriteBackQueue
    /// Returns the writer of the active configuration. `nil` if nothing is written back.
    private let writer: @Sendable () -> FirebaseWriteBack?
    /// The name of this gateway's lease.
    private let holder: String
    private let clock: GatewayClock
    private let logger: Logger
    private let host: MachineHost<WriteBackMachine>
    private let configured = Mutex(Configured())

    /// The destinations and projects of the active configuration.
    private struct Configured {
        var destinations: Set<WriteBackDestination> = []
        var projects: [String] = []
    }

    /// Creates a delivery. It does nothing before `start`.
    package convenience init(
        _ store: any Store & WriteBackQueue, loop: any EventLoop, clock: GatewayClock, logger: Logger,
        writer: @escaping @Sendable () -> FirebaseWriteBack?
    ) {
        self.init(
            store, environment: .timers(loop: loop, clock: clock, logger: logger), machine: WriteBackMachine(),
            writer: writer)
    }

    init(
        _ store: any Store & WriteBackQueue, environment: LookupEnvironment, machine: WriteBackMachine,
        writer: @escaping @Sendable () -> FirebaseWriteBack?
    ) {
        (self.store, self.writer, holder) = (store, writer, RandomText.name())
        (clock, logger) = (environment.clock, environment.logger)
        host = MachineHost(machine, environment: environment)
    }

    /// Starts polling the queue.
    package func start() { tick() }

    /// Sets the maximum number of queued changes, their destinations, and the targets of the users whose changes are
    /// queued. `nil` if none are.
    ///
    /// - Parameter projects: The projects whose parked changes return to the queue.
    package func adopt(
        limit: Int?, destinations: Set<WriteBackDestination> = [.identityToolkit], projects: [String],
        target: @escaping @Sendable (UserKey) -> WriteBackTarget?
    ) {
        configured.withLock { $0 = Configured(destinations: limit == nil ? [] : destinations, projects: projects) }
        let lanes = destinations.flatMap { destination in
            projects.map { WriteBackStatus.Lane(destination: destination.rawValue, project: $0) }
        }
        apply { machine, _ in
            machine.configured(Set(lanes))
            return []
        }
        store.writeBack.set(
            limit.map { limit in
                WriteBackSwitch.Policy(limit: limit, destinations: destinations, target: target) { [weak self] in
                    self?.queued()
                }
            })
    }

    /// Handles a change that this gateway queued.
    private func queued() {
        apply { machine, now in machine.queued(now: now) }
    }

    /// Ends deliveries and releases the lease. The queue keeps all entries that are not delivered.
    ///
    /// While a delivery runs, the lease is kept, for at most two seconds or until the delivery ends: a delivery of
    /// another gateway could precede the running one.
    package func stop() async {
        apply { machine, _ in
            machine.stop()
            return []
        }
        for _ in 0..<100 {
            if host.read({ $0.isIdle }) {
                try? await store.releaseWriteBacks(of: holder)
                return
            }
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Returns the numbers of deliveries, and the state of the queue.
    package func status() -> WriteBackStatus {
        var status = host.read { $0.status }
        status.dropped = store.writeBack.droppedCount
        return status
    }

    /// Handles deadlines that were reached.
    func tick() {
        apply { machine, now in machine.tick(now: now) }
    }

    private func apply(_ event: (inout WriteBackMachine, UInt64) -> [WriteBackMachine.Action]) {
        for action in host.apply(event, tick: { [weak self] in self?.tick() }) { perform(action) }
    }

    private func perform(_ action: WriteBackMachine.Action) {
        switch action {
        case .poll: Task { await poll() }
        case .deliver(let entry): Task { await deliver(entry) }
        case .remove(let entry): settle(entry) { store throws(StoreError) in try await store.removeWriteBack(entry) }
        case .postpone(let entry, let seconds):
            settle(entry) { store throws(StoreError) in try await store.postponeWriteBack(entry, by: seconds) }
        case .park(let entry): settle(entry) { store throws(StoreError) in try await store.parkWriteBack(entry) }
        case .returnParked: Task { await returnParked() }
        case .logUnstorable(let entry):
            logger.warning(
                "a revocation is not written to the Realtime Database, because the uid cannot be a key",
                metadata: ["uid": "\(entry.user.uid)", "project": "\(entry.target.project)"])
        case .logMissing(let entry):
            logger.notice(
                "a user of a change to write back does not exist at Firebase",
                metadata: [
                    "uid": "\(entry.user.uid)", "project": "\(entry.target.project)",
                    "change": "\(entry.part.rawValue)",
                ])
        case .logUnreadable(let error):
            logger.error("the queue of changes to write back cannot be read", metadata: ["error": "\(error)"])
        case .logHeld(.rejected(let code), let destination):
            logger.error(
                "Firebase rejects changes of users",
                metadata: ["destination": "\(destination.rawValue)", "reason": "\(code)"])
        case .logHeld(.unconfigured, let destination):
            logger.error(
                "changes of users are parked, because the configuration does not have their project or destination",
                metadata: ["destination": "\(destination.rawValue)"])
        case .logHeld(_, .identityToolkit):
            logger.error(
                "changes of users cannot be written back: grant firebaseauth.users.update and firebaseauth.users.get")
        case .logHeld(_, .realtimeDatabase):
            logger.error(
                "revocations cannot be written to the Realtime Database: grant firebasedatabase.instances.update")
        }
    }

    /// Moves the parked entries of the active configuration back. The next poll returns them.
    private func returnParked() async {
        let configured = configured.withLock { $0 }
        let parts = WriteBackPart.allCases.filter { configured.destinations.contains($0.destination) }
        guard !parts.isEmpty, !configured.projects.isEmpty else { return }
        _ = try? await store.returnWriteBacks(parts, of: configured.projects)
    }

    private func poll() async {
        guard writer() != nil else { return apply { machine, now in machine.polled(nil, now: now) } }
        do throws(StoreError) {
            let poll = try await store.pollWriteBacks(
                by: holder, lease: WriteBackBounds.lease, limit: WriteBackBounds.batch)
            apply { machine, now in machine.polled(poll, now: now) }
        } catch {
            apply { machine, now in machine.pollFailed(error, now: now) }
        }
    }

    /// Delivers the current record of the user.
    private func deliver(_ entry: WriteBackEntry) async {
        let completion: @Sendable (Result<WriteBackResult, GoogleCallFailure>) -> Void = { result in
            self.apply { machine, now in machine.delivered(entry, result, now: now) }
        }
        let deadline = clock.monotonic() &+ WriteBackBounds.deadline
        do throws(StoreError) {
            let record = try await store.user(entry.user)
            guard let writer = writer() else { return completion(.failure(.stopping)) }
            writer.write(entry, of: record, deadline: deadline, completion: completion)
        } catch {
            let failure = GoogleCallFailure(reason: "the store cannot be read", retryAfter: nil)
            completion(error.code == .faultyRecord ? .success(.faulty) : .failure(failure))
        }
    }

    private func settle(
        _ entry: WriteBackEntry, _ body: @escaping @Sendable (any WriteBackQueue) async throws(StoreError) -> Void
    ) {
        Task {
            try? await body(store)
            apply { machine, now in machine.settled(entry, now: now) }
        }
    }
}
