import Accounts
import AdminAPI
import AsyncHTTPClient
import Authentication
import Forwarding
package import GatewayConfiguration
package import GatewayCore
import HTTPServer
package import Logging
package import NIOCore
import NIOPosix
import Observability
import Redis
import Revocation
import RevocationStores
import ServiceLifecycle
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A running gateway: workers, listeners, key sets, store and admin listener.
///
/// It serves one configuration at a time; `reload` puts another in its place. `start` opens the listeners at once; what requests need (keys, the store's view) is loaded meanwhile, and requests wait for it
/// for a bounded time. `stop` drains.
package final class Gateway: Sendable {
    /// Where the gateway is in its life.
    enum Phase: Sendable {
        case serving
        case draining
        case stopped
    }

    let store: any GatewayStore
    /// How workers reach a shared store; nil: it is embedded.
    let redis: RedisConfiguration?
    let clock: GatewayClock
    let logger: Logger
    let accessLog: AccessLogWriter?
    let startTime: Int64
    let phase = Mutex(Phase.serving)
    /// Where routes and upstreams are counted.
    let places: CounterPlaces
    /// One reload at a time.
    let reloading = ReloadGate()
    /// Where files are read for a reload.
    let blockingCalls = BlockingCalls()
    /// Reads certificates anew: a configuration that cannot be read does not keep them from it.
    let renewalCalls = BlockingCalls()
    let reloads = Mutex(ReloadAccount())
    /// Reads the configuration again, where somebody can.
    let reloader = Mutex<(@Sendable () async throws -> Void)?>(nil)
    /// What was read to build the snapshots.
    let filesRead: Mutex<Set<String>>
    private let generation: Mutex<Generation>
    /// Those of earlier configurations that may still be asked.
    private let earlier = Mutex<[IdentitySources]>([])
    /// Look after the upstreams' servers.
    let upstreamWatches: UpstreamWatches
    private let fetcher: HTTPKeyFetcher
    let environment: IdentitySources.Environment
    let workerGroup: MultiThreadedEventLoopGroup
    let controlGroup: MultiThreadedEventLoopGroup
    private let background = Mutex<[Task<Void, Never>]>([])
    private let running = LoopList()
    /// In the order of the configuration.
    let listeners = Mutex<[Listener]>([])
    let certificates = CertificateCounters()
    /// How many client connections there are, and may be.
    let budget = ConnectionBudget(limit: 0)
    private let admin = Mutex<AdminServer?>(nil)

    private init(_ configuration: Configuration, clock: GatewayClock, logger: Logger) throws {
        self.clock = clock
        self.logger = logger
        startTime = clock.now()
        let places = CounterPlaces(configuration)
        self.places = places
        let ledger = FileLedger()
        let snapshot = try ledger.record { () throws(ConfigurationErrors) in
            try Snapshot(configuration, places: places)
        }
        let serviceAccount = try ledger.record { () throws(GatewayStartError) in
            try GatewayOthers.serviceAccount(of: configuration)
        }
        filesRead = Mutex(ledger.files)
        let count = configuration.workers ?? System.coreCount
        accessLog = try configuration.log.access.writerTarget.map { try AccessLogWriter(target: $0, workers: count) }
        controlGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            (store, redis) = try Self.openStore(configuration, loop: controlGroup.next(), clock: clock, logger: logger)
        } catch {
            controlGroup.shutdownGracefully { _ in }
            throw error
        }
        // From here on nothing throws: what is made needs an end, which `finish` gives.
        workerGroup = MultiThreadedEventLoopGroup(numberOfThreads: count)
        upstreamWatches = UpstreamWatches(loop: controlGroup.next(), logger: logger) { [running] settings, news in
            for loop in running.list.withLock({ $0 }) { loop.execute { $0.apply(news, of: settings) } }
        }
        fetcher = HTTPKeyFetcher(group: controlGroup, clock: clock)
        environment = IdentitySources.Environment(
            store: store, fetcher: fetcher, group: controlGroup, clock: clock, logger: logger)
        let sources = IdentitySources(configuration, snapshot, serviceAccount: serviceAccount, environment)
        generation = Mutex(Generation(number: 1, configuration, snapshot, sources))
    }

    /// Starts a gateway; when this returns, it accepts connections.
    ///
    /// - Throws: `ConfigurationErrors` for routes that cannot be, `StoreError`, `AccessLogError`, or `GatewayStartError` for an address
    ///   that cannot be listened on, or too few file descriptors.
    package static func start(
        _ configuration: Configuration, clock: GatewayClock = .system, logger: Logger
    ) async throws -> Gateway {
        let gateway = try Gateway(configuration, clock: clock, logger: logger)
        do {
            try await gateway.open()
        } catch {
            await gateway.finish()
            throw error
        }
        return gateway
    }

    /// What each event loop keeps.
    var loops: [NIOLoopBound<WorkerLoop>] { running.list.withLock { $0 } }

    /// The files that the configuration names, and that were read.
    var files: Set<String> { filesRead.withLock { $0 } }

    /// What is served now.
    var current: Generation { generation.withLock { $0 } }
    var configuration: Configuration { current.configuration }
    var snapshot: Snapshot { current.snapshot }
    var keys: KeyCoordinator { current.sources.keys }
    var others: GatewayOthers { current.sources.others }
    var sessions: SessionAuthority? { current.sources.sessions }

    /// The addresses that clients can connect to, in the order of the configuration.
    package var addresses: [SocketAddress] {
        listeners.withLock { $0.map(\.address) }
    }

    /// The admin listener's address; nil without one.
    package var adminAddress: SocketAddress? {
        admin.withLock { $0?.address }
    }

    /// Connections that the admin listener closed for want of room.
    var adminClosedCount: UInt64 { admin.withLock { $0?.closedCount ?? 0 } }

    /// How long draining may take.
    package var drainTime: Duration { configuration.drain.delay + configuration.drain.timeout }

    /// Drains, then ends everything: `/readyz` says 503 and connections are accepted for `drain.delay`, then what runs is
    /// finished, for at most `drain.timeout`.
    package func stop() async {
        let isFirst = phase.withLock { phase in
            defer { if phase == .serving { phase = .draining } }
            return phase == .serving
        }
        guard isFirst else { return }
        logger.notice("draining", metadata: ["delay": "\(configuration.drain.delay)"])
        try? await Task.sleep(for: configuration.drain.delay)
        await closeListeners()
        for loop in loops { try? await loop.onLoop { $0.drain() } }
        await waitUntilIdle()
        await finish()
        logger.notice("stopped")
    }

    // MARK: - Start

    private static func openStore(
        _ configuration: Configuration, loop: any EventLoop, clock: GatewayClock, logger: Logger
    ) throws(StoreError) -> (any GatewayStore, RedisConfiguration?) {
        switch configuration.store {
        case .sqlite(let path): return (try SQLiteStore(path: path, clock: clock, logger: logger), nil)
        case .sqliteMemory: return (try SQLiteStore(path: nil, clock: clock, logger: logger), nil)
        case .redis(let location):
            let store = try RedisStore(
                location, maxStaleness: configuration.revocation.maxStaleness, loop: loop, clock: clock, logger: logger)
            return (store, store.configuration)
        }
    }

    private func makeLoops() async throws {
        let limits = snapshot.limits
        for (index, loop) in workerGroup.makeIterator().enumerated() {
            let made = try await loop.submit {
                [self, slot = accessLog?.slots[index], access = StoreAccess(reader: store.view.reader(), redis: redis)]
                in
                let counters = WorkerCounters(places)
                let made = WorkerLoop(
                    loop: loop, limits: limits, counters: counters, store: access, clock: clock, logger: logger,
                    accessLog: slot)
                made.start()
                return NIOLoopBound(made, eventLoop: loop)
            }.get()
            running.list.withLock { $0.append(made) }
        }
    }

    /// Makes a worker of a configuration on each loop, then puts all of them in place: from then on they begin requests.
    func install(_ next: Generation) async throws {
        let (keys, loops) = (next.sources.keys, loops)
        var lookups = next.sources.forWorkers
        lookups.accountNews = { [weak keys] status, user in
            guard let keys else { return }
            for loop in loops { loop.execute { $0.install(status, of: user, of: keys) } }
        }
        var made: [NIOLoopBound<Worker>] = []
        for loop in loops {
            made.append(
                try await loop.onLoop { [lookups] loop in
                    let worker = Worker(
                        next.snapshot, on: loop, lookups: lookups, keySource: keys, after: loop.current,
                        requestKeys: { keys.requestRefresh(set: $0) })
                    guard let worker else { throw GatewayStartError("libcrypto has no SHA-256; install OpenSSL 3") }
                    return NIOLoopBound(worker, eventLoop: loop.loop)
                })
        }
        for (loop, worker) in zip(loops, made) { try await loop.onLoop { $0.install(worker.value) } }
        upstreamWatches.follow(next.snapshot.upstreams)
    }

    /// Hands every state of key sets, of now and later, to the workers that verify with them.
    func subscribe(to keys: KeyCoordinator) {
        let loops = loops
        keys.subscribe { [weak keys] set, view in
            guard let keys else { return }
            for loop in loops { loop.execute { $0.install(view, set: set, of: keys) } }
        }
    }

    private func open() async throws {
        warnOfInsecureOptions()
        try await makeLoops()
        let first = current
        try await install(first)
        subscribe(to: first.sources.keys)
        first.sources.start()
        try await openListeners()
        try await openAdmin()
        background.withLock { tasks in
            tasks.append(Task { [weak self] in await self?.keepStore() })
            tasks.append(Task { [weak self] in await self?.settleSessions() })
            tasks.append(Task { [weak self] in await self?.keepHouse() })
            tasks.append(Task { [weak self] in await self?.keepCertificates() })
        }
    }

    func warnOfInsecureOptions() {
        for warning in snapshot.warnings {
            logger.warning(
                "configuration",
                metadata: ["at": "\(warning.location)", "warning": "\(warning.what); \(warning.remedy)"])
        }
        for option in configuration.insecureOptions {
            logger.warning("an insecure option is on; never use it in production", metadata: ["option": "\(option)"])
        }
    }

    private func openAdmin() async throws {
        guard let wanted = configuration.admin.address else { return }
        do {
            let server = try await AdminServer.start(
                address: SocketAddress.makeAddressResolvingHost(wanted.host, port: wanted.port),
                token: configuration.admin.token.map { $0.withBytes { String(decoding: $0, as: UTF8.self) } },
                hosts: [wanted.host], backend: GatewayAdministration(self), group: controlGroup)
            admin.withLock { $0 = server }
        } catch {
            throw GatewayStartError(cannotListenOn: "\(wanted) for the admin API", error)
        }
    }

    /// Loads the store's view, again and again until it succeeds, then removes what has expired once an hour.
    private func keepStore() async {
        var pause = Duration.seconds(1)
        var told: StoreError?
        while !Task.isCancelled {
            do throws(StoreError) {
                let report = try await store.load()
                logger.info("store loaded", metadata: ["users": "\(report.users)", "sessions": "\(report.sessions)"])
                break
            } catch {
                let level = error == told ? Logger.Level.debug : .error
                logger.log(level: level, "the store cannot be read", metadata: ["error": "\(error)"])
                told = error
                // A store that follows another has waited already, and goes on trying by itself.
                try? await Task.sleep(for: store.viewIsAuthoritative ? pause : .milliseconds(100))
                pause = min(pause * 2, .seconds(30))
            }
        }
        for loop in loops { loop.execute { loop in for worker in loop.workers { worker.storeLoaded() } } }
        while !Task.isCancelled {
            for _ in 0..<3600 {
                try? await Task.sleep(for: .seconds(1))
                guard !Task.isCancelled else { return }
                await store.inspect()
            }
            do { try await store.purge(now: clock.now()) } catch {
                logger.warning("expired sessions could not be removed", metadata: ["error": "\(error)"])
            }
        }
    }

    // MARK: - Stop

    private func closeListeners() async {
        let open = listeners.withLock { $0 }
        for listener in open { await listener.close() }
    }

    /// Ends the sources of earlier configurations that no worker asks any more.
    private func keepHouse() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(1))
            guard !earlier.withLock({ $0.isEmpty }) else { continue }
            var used: Set<ObjectIdentifier> = [ObjectIdentifier(keys)]
            for loop in loops {
                let keys = try? await loop.onLoop {
                    Set($0.workers.compactMap { $0.keySource.map { ObjectIdentifier($0) } })
                }
                guard let keys else { return }
                used.formUnion(keys)
            }
            let ended = earlier.withLock { sources in
                defer { sources.removeAll { !used.contains(ObjectIdentifier($0.keys)) } }
                return sources.filter { !used.contains(ObjectIdentifier($0.keys)) }
            }
            for sources in ended { await sources.shutdown() }
        }
    }

    /// From now on this is what is served.
    func replace(with next: Generation) {
        let previous = generation.withLock { current in
            defer { current = next }
            return current
        }
        guard previous.sources !== next.sources else { return }
        earlier.withLock { $0.append(previous.sources) }
    }

    private func waitUntilIdle() async {
        let end = ContinuousClock.now + configuration.drain.timeout
        while ContinuousClock.now < end {
            var connections = 0
            for loop in loops { connections += (try? await loop.onLoop { $0.front.registry.count }) ?? 0 }
            if connections == 0 { return }
            try? await Task.sleep(for: .milliseconds(20))
        }
        logger.warning("drain timed out; what still runs is cut off")
    }

    private func finish() async {
        phase.withLock { $0 = .stopped }
        await closeListeners()
        let server = admin.withLock { $0 }
        await server?.close()
        for task in background.withLock({ $0 }) { task.cancel() }
        upstreamWatches.stop()
        for loop in loops { try? await loop.onLoop { $0.stop() } }
        var remainders: [LogBatch] = []
        for loop in loops {
            if let batch = try? await loop.onLoop({ $0.accessLog?.takeBatch() }) { remainders.append(batch) }
        }
        // First: it must not depend on a reader of the logs.
        do { try await store.close() } catch { logger.error("closing the store", metadata: ["error": "\(error)"]) }
        if await accessLog?.close(remainders: remainders) == false {
            logger.warning("the last lines of the access log were not written: its reader takes none")
        }
        for sources in earlier.withLock({ $0 }) + [current.sources] { await sources.shutdown() }
        try? await fetcher.shutdown()
        try? await workerGroup.shutdownGracefully()
        try? await controlGroup.shutdownGracefully()
    }
}

/// The loops that serve, for those who tell them something from outside.
final class LoopList: Sendable {
    let list = Mutex<[NIOLoopBound<WorkerLoop>]>([])
}

/// Why a gateway could not start, with what to do.
package struct GatewayStartError: Error, CustomStringConvertible, Sendable {
    /// What went wrong; what to do.
    package let description: String

    init(_ description: String) {
        self.description = description
    }

    init(cannotListenOn address: String, _ error: any Error) {
        let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
        self.init("cannot listen on \(address): \(reason); free the address or choose another")
    }
}

/// Runs a gateway until the process is asked to end, then drains.
package struct GatewayService: Service {
    /// How the configuration is read again while the gateway runs.
    package struct Reloads: Sendable {
        let files: Set<String>
        let load: @Sendable () throws -> Configuration
        let signals: @Sendable (@Sendable () async -> Void) async -> Void

        /// - Parameters:
        ///   - files: what was read for the first configuration.
        ///   - load: reads the next one.
        ///   - signals: calls its argument whenever the process is asked to reload, until the task is cancelled.
        package init(
            files: Set<String>, load: @escaping @Sendable () throws -> Configuration,
            signals: @escaping @Sendable (@Sendable () async -> Void) async -> Void
        ) {
            self.files = files
            self.load = load
            self.signals = signals
        }
    }

    let configuration: Configuration
    let logger: Logger
    let reloads: Reloads?
    let onStart: @Sendable (Gateway) -> Void

    /// - Parameters:
    ///   - reloads: nil: the configuration stays as it is.
    ///   - onStart: told once the gateway accepts connections.
    package init(
        _ configuration: Configuration, logger: Logger, reloads: Reloads? = nil,
        onStart: @escaping @Sendable (Gateway) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.logger = logger
        self.reloads = reloads
        self.onStart = onStart
    }

    /// Starts, waits for the graceful shutdown, drains.
    package func run() async throws {
        let gateway = try await Gateway.start(configuration, logger: logger)
        let reloader = reloads.map { Reloader(gateway, files: $0.files, load: $0.load) }
        onStart(gateway)
        // Not children of this task: stopping does not wait for a reload that is under way.
        var tasks: [Task<Void, Never>] = []
        if let reloads, let reloader {
            tasks.append(Task { await reloader.watch() })
            tasks.append(Task { await reloads.signals { try? await reloader.reload() } })
        }
        try? await gracefulShutdown()
        for task in tasks { task.cancel() }
        await gateway.stop()
    }
}

extension Configuration.AccessLogTarget {
    var writerTarget: AccessLogWriter.Target? {
        switch self {
        case .standardOutput: .standardOutput
        case .off: nil
        case .file(let path): .file(path: path)
        }
    }
}

extension Configuration {
    /// The insecure options that are on, by their keys.
    var insecureOptions: [String] {
        var options: [String] = []
        if identity.firebase?.insecureEmulator == true { options.append("identity.firebase.insecure_emulator") }
        if identity.firebase?.insecureHTTP == true { options.append("identity.firebase.insecure_http") }
        options += identity.providers.filter(\.insecureHTTP).map { "identity.providers.\($0.id).insecure_http" }
        options += routes.filter(\.insecureNoCSRF).map { "routes[\($0.path)].insecure_no_csrf" }
        return options
    }
}
