import Accounts
import AdminAPI
import Authentication
import Authorization
import Forwarding
import GatewayCore
import HTTPServer
import Logging
import NIOCore
import Observability
import Redis
import Revocation
import Telemetry

/// The state of one event loop that persists across configurations: client connections, counters, scratch memory, the
/// access log's buffer, and the connection to a shared store.
///
/// Each configuration has a ``Worker`` on the loop. The current one serves new requests; earlier ones stay until their
/// last request has ended. All calls happen on the event loop.
final class WorkerLoop {
    let loop: any EventLoop
    let connectionContext: ConnectionContext
    let counters: WorkerCounters
    let clock: GatewayClock
    let logger: Logger
    let store: StoreAccess
    let accessLog: AccessLogBuffer?
    /// The worker of new requests. `nil` before the first configuration and after the stop.
    private(set) var current: Worker?
    /// Earlier workers with current requests, oldest first.
    private(set) var retiring: [Worker] = []
    private(set) var link: RedisLink?
    /// The index of the loop, for counters of rules. `nil` in tests.
    var index: Int?
    /// The completed spans of recorded requests. `nil` in tests.
    var spans: SpanBuffer?
    /// The viewers of decisions. Requests record nothing without viewers.
    var viewers: [DecisionViewer] = []
    /// The sample of requests that reloads decide again. `nil` without a console.
    var samples: RequestSamples?
    /// The last denials of users.
    var denials = RecentDenials()
    private var ticker: RepeatedTask?

    /// The interval of timeout checks, by which timeouts may be late.
    static let tickInterval = TimeAmount.milliseconds(100)

    init(
        loop: any EventLoop, limits: ConnectionLimits, counters: WorkerCounters, store: StoreAccess,
        clock: GatewayClock, logger: Logger, accessLog: AccessLogSlot?
    ) {
        self.loop = loop
        self.counters = counters
        self.store = store
        self.clock = clock
        self.logger = logger
        connectionContext = ConnectionContext(limits: limits, clock: clock, loop: loop)
        self.accessLog = accessLog.map { AccessLogBuffer(slot: $0, counters: counters) }
    }

    /// All workers with requests, the current one last.
    var workers: [Worker] { retiring + (current.map { [$0] } ?? []) }

    /// Starts the timeout checks.
    func start() {
        let bound = NIOLoopBound(self, eventLoop: loop)
        ticker = loop.scheduleRepeatedTask(initialDelay: Self.tickInterval, delay: Self.tickInterval) { _ in
            bound.value.tick()
        }
    }

    /// Returns the pipelined connection to a shared store for queries on requests. `nil` if the store is embedded.
    func storeLink() -> RedisLink? {
        if let link { return link }
        link = store.redis.map { RedisLink($0, loop: loop, logger: logger, clock: clock.monotonic) }
        link?.start()
        return link
    }

    /// Makes a worker the current one. The previous one completes its requests.
    func install(_ worker: Worker) {
        connectionContext.adopt(worker.snapshot.limits)
        if let current { retiring.append(current) }
        current = worker
        worker.begin()
        connectionContext.handlers = self
        let kept = Self.pools(of: [worker])
        for pool in retiring.flatMap(\.pools) where !kept.contains(ObjectIdentifier(pool)) { pool.retire() }
        releaseIdleWorkers()
    }

    /// Installs a newer view of a key set in the workers that use it.
    func install(_ view: KeySetView, set: Int, of source: KeyCoordinator) {
        for worker in workers where worker.keySource === source { worker.install(view, set: set) }
    }

    /// Installs an account status that another loop received.
    func install(_ status: AccountStatus, of user: StoreKey, of source: KeyCoordinator) {
        for worker in workers where worker.keySource === source { worker.learn(status, of: user) }
    }

    /// Installs the session keys in the workers that use them.
    func install(_ session: SessionKeys, of source: KeyCoordinator) {
        for worker in workers where worker.keySource === source { worker.install(session) }
    }

    /// Applies an update to the pool of its upstream.
    func apply(_ update: UpstreamUpdate, of settings: UpstreamSettings) {
        var updated: Set<ObjectIdentifier> = []
        for pool in workers.flatMap(\.pools) where pool.settings == settings {
            if updated.insert(ObjectIdentifier(pool)).inserted { pool.apply(update) }
        }
    }

    /// Closes connections after their current request.
    func drain() {
        connectionContext.isDraining = true
        connectionContext.drainingSince = clock.monotonic()
    }

    /// Stops immediately and aborts current requests.
    func stop() {
        ticker?.cancel()
        link?.stop()
        for connection in connectionContext.registry.elements { connection.abandon(.clientClosed) }
        for connection in connectionContext.multiplexed.elements { connection.stop() }
        for worker in workers { worker.closeIdle(except: []) }
        spans?.close()
        connectionContext.handlers = nil
        retiring = []
        current = nil
    }

    func tick() {
        connectionContext.readClock()
        let now = connectionContext.time
        if !retiring.isEmpty { tickRetiring(now: now) }
        current?.tick(now: now)
        connectionContext.registry.forEach { $0.tick(now: now) }
        connectionContext.multiplexed.tick(now: now)
        samples?.removeExpired(at: now)
        accessLog?.flush()
        spans?.flush()
    }

    private func tickRetiring(now: UInt64) {
        releaseIdleWorkers()
        var seen = Self.pools(of: current.map { [$0] } ?? [])
        for worker in retiring {
            worker.tick(now: now, except: seen)
            seen.formUnion(Self.pools(of: [worker]))
        }
    }

    /// Releases the workers whose last request has ended, and closes their unshared pools.
    private func releaseIdleWorkers() {
        let leaving = retiring.filter { $0.requestsInFlight == 0 }
        guard !leaving.isEmpty else { return }
        retiring.removeAll { $0.requestsInFlight == 0 }
        let kept = Self.pools(of: workers)
        for worker in leaving { worker.closeIdle(except: kept) }
    }

    private static func pools(of workers: [Worker]) -> Set<ObjectIdentifier> {
        Set(workers.flatMap { $0.pools.map { ObjectIdentifier($0) } })
    }
}

/// The factory of handlers for the listener for decisions.
final class DecisionHandlers: RequestHandlerSource {
    private let home: WorkerLoop

    init(_ home: WorkerLoop) {
        self.home = home
    }

    package func makeHandler() -> any RequestHandler { DecisionExchange(home) }
}

extension WorkerLoop: RequestHandlerSource {
    package func makeHandler() -> any RequestHandler { ClientExchange(self) }
}
