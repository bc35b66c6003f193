package import GatewayConfiguration
package import GatewayCore
package import Logging
package import NIOCore
package import Redis
package import Revocation

/// The store of several gateways: records in Redis, which other backends can also write, and a replica of them in
/// this process.
///
/// A write is acknowledged when Redis has replied to both parts: the record, and the stream entry that notifies all
/// gateways. If only the first succeeded, the call throws and has to be repeated, which is safe. Until then, gateways
/// learn of the record when they read everything again. The durability of an acknowledged write depends on the
/// configuration of Redis: see the manual.
package final class RedisStore: Store {
    /// The view that requests read. It lags Redis by about one message delay.
    package let view: StoreView
    /// `false`: other programs write to Redis too.
    package let viewIsAuthoritative = false
    /// The generations of links. They change at once for this gateway's writes, and with the stream entry for others.
    package let linkGenerations = LinkGenerations()
    /// The policy of changes that are written back.
    package let writeBack = WriteBackSwitch()
    /// The policy of messages about changes of accounts.
    package let outbox = OutboxSwitch()

    private let loadLimit: Duration
    let clock: GatewayClock
    /// The connection settings, which workers use for strict lookups.
    package let configuration: RedisConfiguration
    let commands: RedisCommands
    let replica: Replica
    /// `nil` for a single server.
    private let watch: MasterWatch?
    /// `nil` for credentials that do not change.
    private let renewal: CredentialRenewal?
    /// `nil` if the view is not saved.
    private let saver: ViewSaver?
    let logger: Logger

    /// The state of the store.
    package var state: StoreState { commands.state }

    /// Creates a store and starts connecting. `load` reports whether that succeeds.
    ///
    /// - Parameters:
    ///   - tokens: The tokens of the managed service, if the location has one.
    ///   - maxStaleness: The maximum age of the view for its readers. It is confirmed several times as often.
    ///   - loop: The event loop of the store's connections, which must outlive the store.
    /// - Throws: `.cannotOpen` for TLS files that cannot be used.
    package init(
        _ location: RedisLocation, tokens: StoreTokenSource? = nil, maxStaleness: Duration = .seconds(60),
        loop: any EventLoop, clock: GatewayClock = .system, logger: Logger
    ) throws(StoreError) {
        var configuration = try location.connection()
        switch configuration.location {
        case .sentinels: configuration.agreement = MasterAgreement()
        case .cluster: (configuration.agreement, configuration.clusterActivity) = (MasterAgreement(), ClusterActivity())
        case .server, .sentinel, .clusterNode: break
        }
        self.configuration = configuration
        loadLimit = location.timeouts.load
        self.clock = clock
        self.logger = logger
        view = StoreView()
        watch = MasterWatch(configuration, loop: loop, logger: logger, clock: clock.monotonic)
        renewal = location.renewal(of: configuration, tokens: tokens, loop: loop, clock: clock, logger: logger)
        var timing = ReplicaTiming(maximumStaleness: maxStaleness, isOfCluster: configuration.keyspace != nil)
        timing.reply = location.timeouts.replicaReply
        let progress = ReplicaProgress()
        replica = try Replica(
            configuration: configuration, view: view, links: linkGenerations, loop: loop, clock: clock, logger: logger,
            timing: timing, onLoss: location.onLostStore,
            applied: { progress.reached($0) })
        commands = RedisCommands(
            RedisClient(configuration, loop: loop, logger: logger, clock: clock.monotonic), replica, progress,
            visibilityLimit: location.timeouts.visibility)
        saver = location.savedView.map { [view, replica] in
            ViewSaver($0, of: view, replica, loop: loop, logger: logger)
        }
        replica.restore { [weak self] records, done in
            Task {
                await self?.restore(records)
                done()
            }
        }
        renewal?.start()
        commands.client.start()
        if let saver { saver.start() } else { replica.start() }
        watch?.start()
    }

    /// Waits until the replica has read all records.
    ///
    /// - Throws: `.io` with the reason if that takes more than `timeouts.load` of the location (5 s), or if Redis
    ///   cannot be reached.
    @discardableResult
    package func load() async throws(StoreError) -> LoadReport {
        try await commands.run { () async throws(StoreError) in
            guard await commands.progress.wait(for: .zero, atMost: loadLimit) else {
                throw state == .closed
                    ? .closed() : StoreError(.io, "the records are not loaded: \(trouble ?? "loading is in progress")")
            }
            guard await commands.isConnected(within: loadLimit) else {
                throw StoreError(.io, "Redis is unreachable for writes: \(commands.client.status)")
            }
            commands.becomeReady()
            let usage = view.usage
            return LoadReport(users: usage.users, sessions: usage.sessions, faulty: view.faultyRecords)
        }
    }

    /// Completes interrupted deletions of accounts, and removes records of unknown users that ended. Redis removes
    /// other expired records itself, and the view follows when it is read again.
    @discardableResult
    package func purge(now: Int64) async throws(StoreError) -> Int {
        try commands.checkOpen()
        return try await completeDeletions(now: now) + removeEndedUsers(now: now)
    }

    /// Completes pending operations and closes the connections.
    package func close() async throws(StoreError) {
        guard await commands.close() else { return }
        await saver?.stop()
        await replica.stop()
        await watch?.stop()
        await renewal?.stop()
        view.setStale()
    }
}

// MARK: - Health

extension RedisStore {
    /// The health of the replica.
    package var health: StoreHealth? {
        let status = replica.status
        let known = [("start", "first"), ("hourly", "due")]
        let readings =
            known.map { StoreHealth.Readings(reason: $0.0, count: status.rereads[$0.1] ?? 0) }
            + [StoreHealth.Readings(reason: "gap", count: status.gaps)]
        var health = StoreHealth(
            isConnected: status.isConnected, trouble: trouble(status), changes: status.entries,
            malformedChanges: status.strangeEntries, readings: readings)
        if status.isLossCertain { health.loss = status.loss }
        health.credentials = renewal?.status
        health.cluster = configuration.clusterActivity.map { activity in
            let now = clock.monotonic()
            return StoreHealth.Cluster(
                redirects: ClusterActivity.Kind.allCases.map {
                    StoreHealth.Readings(reason: $0.rawValue, count: activity.redirects[$0] ?? 0)
                },
                topologyAge: activity.confirmedAt.map { Double(now > $0 ? now - $0 : 0) / 1e9 })
        }
        return health
    }

    /// Confirms the current content of Redis. The view changes after everything was read again, which begins within
    /// seconds.
    @discardableResult
    package func accept() async throws(StoreError) -> StoreLoss {
        try commands.checkOpen()
        let loss = await replica.accept()
        logger.warning(
            "revocations: the current state of Redis was accepted",
            metadata: ["users": "\(loss.users)", "sessions": "\(loss.sessions)", "went_back": "\(loss.wentBack)"])
        return loss
    }

    /// The current problem and its remedy, or `nil`.
    package var trouble: String? { trouble(replica.status) }

    private func trouble(_ status: ReplicaStatus) -> String? {
        if !status.isConnected { return "\(replica.linkStatus)" }
        if let fault = status.lastFault { return fault.message }
        if status.isCatchingUp, status.isLoaded { return "changes are missing; all records are being read again" }
        if status.isLossCertain, status.loss.isAny { return Self.text(of: status.loss) }
        return renewal?.status.failing.map { "the credentials for Redis could not be renewed: \($0)" }
    }

    private static func text(of loss: StoreLoss) -> String {
        let records = "the records of \(loss.users) users and \(loss.sessions) sessions"
        let what =
            loss.users + loss.sessions > 0
            ? "Redis has lost \(records), which the gateway still has" : "Redis has lost changes"
        return what + "; restore it from a backup, or accept its state with POST /v1/store/accept"
    }

    /// Writes lost records back: the later time wins, and a disabled user stays disabled. Failures are retried later.
    func restore(_ records: [LostRecord]) async {
        var failures = 0
        for record in records {
            do throws(StoreError) {
                switch record.content {
                case .user(let user):
                    if let time = user.validSince { try await revoke(record.user, at: time.seconds, .before) }
                    if user.disabled { try await setDisabled(record.user, true) }
                // The expiry is unknown, so the record does not expire.
                case .session(let session): try await revokeSession(record.user, session, expires: nil)
                }
            } catch {
                failures += 1
                if error.code == .closed || failures == 3 { break }
            }
        }
        logger.notice(
            "revocations: records were written back",
            metadata: ["records": "\(records.count)", "failures": "\(failures)"])
    }
}
