package import GatewayConfiguration
package import GatewayCore
package import Logging
package import NIOCore
package import Redis
package import Revocation
import Synchronization

/// The store of several gateways: records in Redis, which other backends may write too, and a replica of them in this process.
///
/// A write is acknowledged when Redis has answered both its parts, the record and the entry of the stream that tells every gateway. Where only
/// the first was done, the call throws and is to be repeated, which is safe; until then, gateways learn of it when they read everything again.
/// What an acknowledged write is worth when the server dies is up to Redis: see the manual.
package final class RedisStore: Store {
    /// What requests read; behind Redis by about the time that a message takes.
    package let view: StoreView
    /// False: others write too.
    package let viewIsAuthoritative = false
    /// What changed of links: at once where this gateway changed it, else when the entry of the stream comes.
    package let linkGenerations = LinkGenerations()

    /// How long `load` waits for the replica before it throws, to be called again.
    static let loadLimit = Duration.seconds(5)
    /// How long a write that Redis has acknowledged waits to show in this gateway's view.
    static let visibilityLimit = Duration.seconds(1)
    /// What more is asked at once than this is refused.
    static let maximumRunning = 10_000

    private struct Life {
        var state = StoreState.opened
        var running = 0
        var closing: CheckedContinuation<Void, Never>?
    }

    let progress = ReplicaProgress()
    let clock: GatewayClock
    /// How Redis is reached; for workers, who ask it on a request.
    package let configuration: RedisConfiguration
    private let client: RedisClient
    let replica: Replica
    let logger: Logger
    private let life = Mutex(Life())

    /// Where the store is in its life.
    package var state: StoreState { life.withLock { $0.state } }

    /// Begins to connect; whether that succeeds, `load` tells.
    ///
    /// - Parameters:
    ///   - maxStaleness: how old the view may be for those who read it; it is confirmed several times as often.
    ///   - loop: where both connections live; it must outlive the store.
    /// - Throws: `.cannotOpen` for files of TLS that cannot be used.
    package init(
        _ location: RedisLocation, maxStaleness: Duration = .seconds(60), loop: any EventLoop,
        clock: GatewayClock = .system, logger: Logger
    ) throws(StoreError) {
        configuration = try location.connection()
        self.clock = clock
        self.logger = logger
        view = StoreView()
        client = RedisClient(configuration, loop: loop, logger: logger, clock: clock.monotonic)
        replica = try Replica(
            configuration: configuration, view: view, links: linkGenerations, loop: loop, clock: clock, logger: logger,
            timing: ReplicaTiming(maximumStaleness: maxStaleness), onLoss: location.onLostStore,
            applied: { [progress] in progress.reached($0) })
        replica.restore { [weak self] records, done in
            Task {
                await self?.restore(records)
                done()
            }
        }
        client.start()
        replica.start()
    }

    /// Waits until the replica has read all records.
    ///
    /// - Throws: `.io` where that takes more than 5 s or Redis cannot be reached, with the reason.
    @discardableResult
    package func load() async throws(StoreError) -> LoadReport {
        try await run { () async throws(StoreError) in
            guard await progress.wait(for: .zero, atMost: Self.loadLimit) else {
                throw state == .closed
                    ? .closed() : StoreError(.io, "the records were not read yet: \(trouble ?? "they are being read")")
            }
            guard await isConnected(within: Self.loadLimit) else {
                throw StoreError(.io, "Redis cannot be reached for writing: \(client.status)")
            }
            life.withLock { if $0.state == .opened { $0.state = .ready } }
            let usage = view.usage
            return LoadReport(users: usage.users, sessions: usage.sessions, faulty: view.faultyRecords)
        }
    }

    /// Does nothing: Redis removes what has expired, and the view follows when it is read anew.
    @discardableResult
    package func purge(now _: Int64) async throws(StoreError) -> Int {
        try checkOpen()
        return 0
    }

    /// Finishes what was asked before, and ends the connections.
    package func close() async throws(StoreError) {
        let isFirst = life.withLock { life in
            defer { life.state = .closed }
            return life.state != .closed
        }
        guard isFirst else { return }
        // Who only waits to see a write that Redis has acknowledged, or for the first load, is let go at once.
        progress.close()
        await waitForRunning()
        await client.close()
        await replica.stop()
        view.setStale()
    }

    /// How many operations run now.
    var running: Int { life.withLock { $0.running } }

    /// Whether there is a connection for writing, now or within so long.
    func isConnected(within limit: Duration) async -> Bool {
        await client.isReady(within: limit)
    }

    func checkOpen() throws(StoreError) {
        guard state != .closed else { throw .closed() }
    }
}

// MARK: - Asking

extension RedisStore {
    /// Sends commands in one go, and gives the reply of each.
    ///
    /// - Throws: also for the first reply that is an error, with `faulty` for a key of the wrong type.
    func ask(_ command: RedisCommand, faulty: StoreError? = nil) async throws(StoreError) -> [RedisValue] {
        try await run { () async throws(StoreError) in try await send(command, faulty: faulty) }
    }

    /// Writes a record by `command`, tells of it, and waits until this gateway's view shows it.
    ///
    /// - Parameter read: makes the answer of the reply to `command`.
    func write<Record>(
        _ command: RedisCommand, telling change: RedisChange, faulty: StoreError,
        read: (RedisValue) throws(StoreError) -> Record
    ) async throws(StoreError) -> Record {
        try await run { () async throws(StoreError) in
            let replies = try await send(command + change.command, faulty: faulty)
            guard replies.count == 2, case .string(let bytes) = replies[1], let entry = ReplicaStreamID(parsing: bytes)
            else {
                throw .unexpectedReply()
            }
            let record = try read(replies[0])
            // Not to show in time is no failure: Redis has it, and every gateway will.
            _ = await progress.wait(for: entry, atMost: Self.visibilityLimit)
            return record
        }
    }

    /// As `ask`, for who is run already.
    func send(_ command: RedisCommand, faulty: StoreError?) async throws(StoreError) -> [RedisValue] {
        let replies: [RedisValue]
        do throws(RedisFailure) { replies = try await client.send(command) } catch { throw StoreError(error) }
        if let refusal = replies.lazy.compactMap(\.serverError).first {
            throw refusal.code == "WRONGTYPE" ? faulty ?? StoreError(refusal) : StoreError(refusal)
        }
        return replies
    }

    /// Does something that `close` waits for.
    func run<Value>(_ body: () async throws(StoreError) -> Value) async throws(StoreError) -> Value {
        try enter()
        defer { leave() }
        return try await body()
    }

    private func enter() throws(StoreError) {
        let refusal = life.withLock { life -> StoreError? in
            if life.state == .closed { return .closed() }
            guard life.running < Self.maximumRunning else {
                return StoreError(.overloaded, "\(Self.maximumRunning) operations wait for Redis already")
            }
            life.running += 1
            return nil
        }
        if let refusal { throw refusal }
    }

    private func leave() {
        let closing = life.withLock { life -> CheckedContinuation<Void, Never>? in
            life.running -= 1
            guard life.running == 0 else { return nil }
            defer { life.closing = nil }
            return life.closing
        }
        closing?.resume()
    }

    private func waitForRunning() async {
        await withCheckedContinuation { continuation in
            let isIdle = life.withLock { life in
                if life.running > 0 { life.closing = continuation }
                return life.running == 0
            }
            if isIdle { continuation.resume() }
        }
    }
}
