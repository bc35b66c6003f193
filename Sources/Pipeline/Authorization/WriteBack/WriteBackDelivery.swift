package import GatewayCore
package import Logging
package import NIOCore
package import OutboundHTTP
package import Revocation

/// The delivery of queued changes of users to Firebase: it performs the actions of `WriteBackMachine`.
package final class WriteBackDelivery: Sendable {
    private let store: any Store & WriteBackQueue
    /// Returns the writer of the active configuration. `nil` if nothing is written back.
    private let writer: @Sendable () -> FirebaseWriteBack?
    /// The name of this gateway's lease.
    private let holder: String
    private let logger: Logger
    private let host: MachineHost<WriteBackMachine>

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
        logger = environment.logger
        host = MachineHost(machine, environment: environment)
    }

    /// Starts polling the queue.
    package func start() { tick() }

    /// Sets the maximum number of queued changes, and the targets of the users whose changes are queued. `nil` if none
    /// are.
    package func adopt(limit: Int?, target: @escaping @Sendable (UserKey) -> WriteBackTarget?) {
        store.writeBack.set(
            limit.map { limit in
                WriteBackSwitch.Policy(limit: limit, target: target) { [weak self] in self?.queued() }
            })
    }

    /// Handles a change that this gateway queued.
    private func queued() {
        apply { machine, now in machine.queued(now: now) }
    }

    /// Ends deliveries and releases the lease. The queue keeps all entries that are not delivered.
    ///
    /// While a delivery runs, the lease is kept, for at most two seconds or until it ends by itself: a delivery of
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
        case .logMissing(let entry):
            logger.notice(
                "a user of a change to write back does not exist at Firebase",
                metadata: [
                    "uid": "\(entry.user.uid)", "project": "\(entry.target.project)",
                    "change": "\(entry.part.rawValue)",
                ])
        case .logUnreadable(let error):
            logger.error("the queue of changes to write back cannot be read", metadata: ["error": "\(error)"])
        case .logParked(.rejected(let code)):
            logger.error("Identity Toolkit rejects changes of users", metadata: ["reason": "\(code)"])
        case .logParked(.unconfigured):
            logger.error(
                "changes of users are not written back, because identity.firebase does not have their project")
        case .logParked:
            logger.error(
                "changes of users cannot be written back: grant firebaseauth.users.update and firebaseauth.users.get")
        }
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
        do throws(StoreError) {
            let record = try await store.user(entry.user)
            let change: AccountUpdate.Payload.Change
            switch entry.part {
            case .disabled: change = .disabled(record.disabled)
            case .validSince:
                guard let time = record.validSince else { return completion(.success(.unchanged)) }
                change = .validSince(time)
            }
            guard let writer = writer() else { return completion(.failure(.stopping)) }
            writer.write(
                AccountUpdate.Payload(uid: entry.user.uid, target: entry.target, change: change),
                completion: completion)
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
