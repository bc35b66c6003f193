import Accounts
import AdminAPI
import Atomics
import Authentication
import Authorization
import Decisions
import Forwarding
package import GatewayConfiguration
package import GatewayCore
package import Logging
import NIOCore
import NIOPosix
import Observability
import Redis
import Revocation
import RevocationStores
import Synchronization
import Telemetry

/// A running gateway: its parts, and their order of start and stop.
///
/// `start` opens the listeners immediately. Keys and the revocation view are loaded in the meantime; requests wait for
/// them for a bounded time. `stop` drains. The ``Reloader`` replaces the configuration.
package final class Gateway: Sendable {
    /// `nil` if the configuration is never reloaded.
    let reloader: Reloader?
    private let isServing = ManagedAtomic(true)
    private let generations: Generations
    private let workers: WorkerLoops
    private let listeners: ListenerSet
    private let decisionListeners: ListenerSet
    private let certificates: CertificateRenewal
    private let upstreamWatches: UpstreamWatches
    private let admin = AdminListener()
    /// `nil` before the listeners are open.
    private let administration = Mutex<GatewayAdministration?>(nil)
    private let accessLog: AccessLogWriter?
    private let telemetry: TelemetryExporter
    /// `nil` if the store has only one gateway.
    private let rateStore: RedisRateStore?
    private let fetcher: HTTPKeyFetcher
    private let controlGroup: MultiThreadedEventLoopGroup
    private let environment: GatewayEnvironment
    private let supervisor: Supervisor?
    private let loops: LoopWatch
    private let places: MetricIndices
    private let startTime: Int64
    private let writeBack: WriteBackDelivery
    private let outbox: OutboxDelivery
    private let history = GatewayHistory()
    private let decisions: DecisionFeed
    private let background = Mutex<Task<Void, Never>?>(nil)
    /// The current drain, and whether it ends at once.
    private let draining = Mutex<(task: Task<Void, Never>?, isEnded: Bool)>((nil, false))

    private init(
        _ configuration: Configuration, reloads: GatewayService.Reloads?, supervisor: Supervisor?, clock: GatewayClock,
        logger: Logger
    ) throws {
        let startTime = clock.now()
        self.startTime = startTime
        self.supervisor = supervisor
        loops = LoopWatch(clock: clock)
        let (places, ledger) = (MetricIndices(configuration), FileLedger())
        let (snapshot, credentials) = try ledger.record {
            (
                try Snapshot(
                    configuration, places: places, counting: RuleCounting(configuration, at: startTime)),
                try GoogleCredentials(of: configuration)
            )
        }
        let count = configuration.workerCount
        let accessLog = try configuration.log.access.writerTarget.map {
            try AccessLogWriter(target: $0, workers: count)
        }
        controlGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let control = controlGroup.next()
        let (store, redis): (any GatewayStore, RedisConfiguration?)
        do {
            (store, redis) = try configuration.openStore(loop: control, clock: clock, logger: logger)
        } catch {
            controlGroup.shutdownGracefully { _ in }
            throw error
        }
        // Nothing throws from here on, because the following parts must be shut down by `finish`.
        (self.places, self.accessLog) = (places, accessLog)
        let telemetry = TelemetryExporter(
            .live(group: controlGroup, clock: clock, logger: logger, version: GatehouseVersion.current))
        self.telemetry = telemetry
        workers = WorkerLoops(count: count) { loop, index in
            let home = WorkerLoop(
                loop: loop, limits: snapshot.limits, counters: WorkerCounters(places),
                store: StoreAccess(reader: store.view.reader(), redis: redis), clock: clock, logger: logger,
                accessLog: accessLog?.slots[index])
            home.index = index
            if configuration.admin.console { home.samples = RequestSamples() }
            home.spans = SpanBuffer(telemetry.spans)
            return home
        }
        decisions = DecisionFeed { [workers] viewers in workers.execute { $0.viewers = viewers } }
        listeners = ListenerSet(workers, control: control, logger: logger)
        decisionListeners = ListenerSet(workers, for: .decisions, control: control, logger: logger)
        certificates = CertificateRenewal(of: [listeners, decisionListeners], clock: clock, logger: logger)
        upstreamWatches = UpstreamWatches(loop: control, logger: logger) { [workers] settings, update in
            workers.execute { $0.apply(update, of: settings) }
        }
        fetcher = HTTPKeyFetcher(group: controlGroup, clock: clock)
        rateStore = redis.map { RedisRateStore($0, loop: control, clock: clock, logger: logger) }
        environment = GatewayEnvironment(
            store: store, fetcher: fetcher, group: controlGroup, clock: clock, logger: logger,
            rates: RateTables(shared: rateStore.map { SharedRates($0, clock: clock, logger: logger) }))
        generations = Generations(
            Generation(
                number: 1, loadedAt: startTime, configuration, snapshot,
                IdentitySources(configuration, snapshot, credentials: credentials, environment)))
        writeBack = WriteBackDelivery(store, loop: control, clock: clock, logger: logger) { [generations] in
            generations.current.sources.writeBack
        }
        outbox = OutboxDelivery(store, loop: control, clock: clock, logger: logger) { [generations] in
            generations.current.sources.outbox
        }
        let installer = ConfigurationInstaller(
            isServing: isServing, generations: generations, workers: workers, listeners: listeners,
            decisionListeners: decisionListeners, upstreamWatches: upstreamWatches, places: places,
            telemetry: telemetry, writeBack: writeBack, outbox: outbox, decisions: decisions, environment: environment)
        reloader = reloads.map {
            Reloader(installer, files: $0.files.union(ledger.files), supervisor: supervisor, load: $0.load)
        }
    }

    /// Starts a gateway. When this returns, it accepts connections.
    ///
    /// - Parameters:
    ///   - reloads: How the configuration is reloaded. `nil` if it never is.
    ///   - supervisor: The service manager that is notified of reloads. `nil` without one.
    /// - Throws: `ConfigurationErrors` for invalid routes. `StoreError` or `AccessLogError`. `GatewayStartError` for an
    ///   address that cannot be bound, or too few file descriptors.
    package static func start(
        _ configuration: Configuration, reloads: GatewayService.Reloads? = nil, supervisor: Supervisor? = nil,
        clock: GatewayClock = .system, logger: Logger
    ) async throws -> Gateway {
        let gateway = try Gateway(
            configuration, reloads: reloads, supervisor: supervisor, clock: clock, logger: logger)
        do {
            try await gateway.open()
        } catch {
            await gateway.finish()
            throw error
        }
        return gateway
    }

    private func open() async throws {
        let first = generations.current
        first.logWarnings(to: logger)
        try await workers.start()
        try await workers.install(first)
        upstreamWatches.follow(first.snapshot.upstreams)
        workers.subscribe(to: first.sources.keys)
        first.sources.start()
        writeBack.adopt(first.configuration)
        writeBack.start()
        outbox.adopt(first.configuration)
        outbox.start()
        try await listeners.open(for: first)
        try await decisionListeners.open(for: first)
        let metrics = MetricsCollector(
            workers: workers, places: places, generations: generations, certificates: certificates,
            upstreamWatches: upstreamWatches, accessLog: accessLog, telemetry: telemetry, writeBack: writeBack,
            outbox: outbox, decisions: decisions, admin: admin, reloader: reloader, startTime: startTime,
            environment: environment)
        let backend = GatewayAdministration(
            isServing: isServing, loops: loops, generations: generations, reloader: reloader, metrics: metrics,
            history: history, environment: environment)
        administration.withLock { $0 = backend }
        // Before the admin API, through which a reload can replace the settings.
        telemetry.start(first.configuration.telemetry) { await backend.metricsSnapshot() }
        try await admin.open(
            first.configuration.admin, backend: backend, signIn: GatewayConsoleSignIn(generations: generations),
            clock: environment.clock, group: controlGroup)
        var services: [@Sendable () async -> Void] = [
            StoreMaintenance(workers, environment).run,
            SessionKeyLoader(generation: first, workers: workers, environment: environment).run,
            { [generations, workers] in await generations.reapRetiredSources(usedBy: workers) },
            certificates.run,
            { [loops, workers, controlGroup] in await loops.run { try await Self.turn(workers, controlGroup) } },
        ]
        if admin.address != nil {
            services.append(backend.announce)
            services.append(HistorySampling(history, clock: environment.clock) { await backend.readings() }.run)
        }
        if let supervisor {
            services.append { [workers, controlGroup] in
                await supervisor.ping { try await Self.turn(workers, controlGroup) }
            }
        }
        let task = Task { [services] in
            await withDiscardingTaskGroup { group in for service in services { group.addTask(operation: service) } }
        }
        background.withLock { $0 = task }
    }

    var store: any GatewayStore { environment.store }
    private var logger: Logger { environment.logger }

    /// The addresses that clients can connect to, with the actual ports.
    package var listenAddresses: [ListenAddress] { listeners.current.map(\.listenAddress) }

    /// The same addresses for display, with `https://` for TLS listeners.
    package var listenNames: [String] { listeners.current.map(\.name) }

    /// The address of the listener for decisions, with the actual port. `nil` without one.
    package var decisionListenAddress: ListenAddress? { decisionListeners.current.first?.listenAddress }

    /// The same address for display. `nil` without one.
    package var decisionListenName: String? { decisionListeners.current.first?.name }

    /// The address of the admin listener. `nil` without one.
    package var adminListenAddress: ListenAddress? { admin.address.flatMap(ListenAddress.init) }

    /// The state for a service manager.
    var servingStatus: ServingStatus {
        let isReady = administration.withLock { $0 }?.readiness().allSatisfy(\.isOK) ?? false
        return ServingStatus(
            listeners: listenNames, generation: generations.current.number, isReady: isReady,
            isReloadRejected: reloader?.outcomes.lastRefusal != nil)
    }

    /// Returns after every event loop has run a task.
    static func turn(_ workers: WorkerLoops, _ control: any EventLoopGroup) async throws {
        _ = try await workers.onEach { _ in }
        try await control.next().submit {}.get()
    }

    /// The maximum duration of draining.
    package var drainTime: Duration {
        let drain = generations.current.configuration.drain
        return drain.delay + drain.timeout
    }

    // MARK: - Stop

    /// Drains, then stops. `/readyz` returns 503 and connections are accepted for `drain.delay`. Current requests are
    /// then completed for at most `drain.timeout`.
    package func stop() async {
        guard isServing.exchange(false, ordering: .sequentiallyConsistent) else { return }
        let task = Task { await drain() }
        let isEnded = draining.withLock { draining in
            draining.task = task
            return draining.isEnded
        }
        if isEnded { task.cancel() }
        await task.value
        await finish()
        logger.notice("stopped")
    }

    /// Ends the drain of `stop`, or omits it if `stop` was not called yet. Current requests are aborted.
    package func endDrain() {
        draining.withLock { draining in
            draining.isEnded = true
            return draining.task
        }?.cancel()
    }

    private func drain() async {
        let drain = generations.current.configuration.drain
        // The streams of the admin API would last longer than the drain.
        decisions.close()
        logger.notice("draining", metadata: ["delay": "\(drain.delay)"])
        try? await Task.sleep(for: drain.delay)
        await listeners.close()
        await decisionListeners.close()
        if await !workers.drain(within: drain.timeout, clock: environment.clock) {
            logger.warning(
                Task.isCancelled
                    ? "the drain was ended by a signal; current requests are aborted"
                    : "drain timed out; current requests are aborted")
        }
    }

    private func finish() async {
        isServing.store(false, ordering: .sequentiallyConsistent)
        decisions.close()
        await listeners.close()
        await decisionListeners.close()
        await admin.close()
        background.withLock { $0 }?.cancel()
        upstreamWatches.stop()
        let remainders = await workers.stop()
        await writeBack.stop()
        await outbox.stop()
        await generations.stopPolls()
        await rateStore?.close()
        // The store is closed first, because closing it must not depend on a reader of the logs.
        do { try await store.close() } catch { logger.error("closing the store", metadata: ["error": "\(error)"]) }
        if await accessLog?.close(remainders: remainders) == false {
            logger.warning("the last lines of the access log were not written, because its reader accepts no data")
        }
        await telemetry.stop()
        await generations.shutdown()
        try? await fetcher.shutdown()
        await workers.shutdown()
        try? await controlGroup.shutdownGracefully()
    }
}

/// The resources that persist across configurations.
struct GatewayEnvironment: Sendable {
    let store: any GatewayStore
    let fetcher: any KeyFetcher
    let group: any EventLoopGroup
    let clock: GatewayClock
    let logger: Logger
    /// The rate limit buckets, shared by all workers.
    let rates: RateTables
    /// The uses of sessions to record.
    let sessionUses = SessionUses()
    /// The limits of failed authentications of introspection clients, shared by all workers.
    let authenticationLimits = AuthenticationLimits()
    /// The last sign-ins of users, shared by all configurations.
    let signIns = RecentSignIns()
}

extension Configuration {
    /// Opens the store. Returns it with the connection settings for workers if it is shared.
    fileprivate func openStore(
        loop: any EventLoop, clock: GatewayClock, logger: Logger
    ) throws -> (any GatewayStore, RedisConfiguration?) {
        switch store {
        case .sqlite(let path): return (try SQLiteStore(path: path, clock: clock, logger: logger), nil)
        case .sqliteMemory: return (try SQLiteStore(path: nil, clock: clock, logger: logger), nil)
        case .redis(let location):
            let tokens: StoreTokenSource?
            do throws(ServiceAccount.Failure) {
                tokens = try StoreTokenSource(for: store, clock: clock, logger: logger)
            } catch {
                throw GatewayStartError("\(error); store.credentials needs an identity of the gateway")
            }
            let redis = try RedisStore(
                location, tokens: tokens, maxStaleness: revocation.maxStaleness, loop: loop, clock: clock,
                logger: logger)
            return (redis, redis.configuration)
        }
    }
}

extension Configuration.AccessLogTarget {
    fileprivate var writerTarget: AccessLogWriter.Target? {
        switch self {
        case .standardOutput: .standardOutput
        case .off: nil
        case .file(let path): .file(path: path)
        }
    }
}
