import Accounts
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

/// What one event loop keeps whatever configuration it serves: client connections, counters, scratch memory, the access log's
/// buffer, the connection to a shared store.
///
/// Each configuration has a ``Worker`` of its own on the loop. One is current and begins requests; earlier ones stay until the last
/// request that they began is over. Lives on the event loop.
final class WorkerLoop {
    let loop: any EventLoop
    let front: ConnectionContext
    let counters: WorkerCounters
    let clock: GatewayClock
    let logger: Logger
    let store: StoreAccess
    let accessLog: AccessLogBuffer?
    /// Begins requests; nil before the first configuration, and once stopped.
    private(set) var current: Worker?
    /// Finish what they began; the oldest first.
    private(set) var retiring: [Worker] = []
    private(set) var link: RedisLink?
    private var ticker: RepeatedTask?

    /// How often time is looked at: what is late is noticed this much later.
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
        front = ConnectionContext(limits: limits, clock: clock, loop: loop)
        self.accessLog = accessLog.map { AccessLogBuffer(slot: $0, counters: counters) }
    }

    /// All that still have requests, the current one last.
    var workers: [Worker] { retiring + (current.map { [$0] } ?? []) }

    /// Begins to look at time.
    func start() {
        let bound = NIOLoopBound(self, eventLoop: loop)
        ticker = loop.scheduleRepeatedTask(initialDelay: Self.tickInterval, delay: Self.tickInterval) { _ in
            bound.value.tick()
        }
    }

    /// The pipelined connection to a shared store, for whoever asks it on requests; nil: the store is embedded.
    func storeLink() -> RedisLink? {
        if let link { return link }
        link = store.redis.map { RedisLink($0, loop: loop, logger: logger, clock: clock.monotonic) }
        link?.start()
        return link
    }

    /// From now on this worker begins requests; the one before finishes its own.
    func install(_ worker: Worker) {
        front.adopt(worker.snapshot.limits)
        if let current { retiring.append(current) }
        current = worker
        worker.begin()
        front.handlers = self
        let kept = Self.pools(of: [worker])
        for pool in retiring.flatMap(\.pools) where !kept.contains(ObjectIdentifier(pool)) { pool.retire() }
        letGoOfIdle()
    }

    /// A newer state of a key set, for the workers that verify with it.
    func install(_ view: KeySetView, set: Int, of source: KeyCoordinator) {
        for worker in workers where worker.keySource === source { worker.install(view, set: set) }
    }

    /// What Identity Toolkit said to the worker of another loop.
    func install(_ status: AccountStatus, of user: StoreKey, of source: KeyCoordinator) {
        for worker in workers where worker.keySource === source { worker.learn(status, of: user) }
    }

    /// The session cookies' keys, for the workers that verify with them.
    func install(_ session: SessionKeys, of source: KeyCoordinator) {
        for worker in workers where worker.keySource === source { worker.install(session) }
    }

    /// An update of an upstream, for its pool.
    func apply(_ update: UpstreamUpdate, of settings: UpstreamSettings) {
        var updated: Set<ObjectIdentifier> = []
        for pool in workers.flatMap(\.pools) where pool.settings == settings {
            if updated.insert(ObjectIdentifier(pool)).inserted { pool.apply(update) }
        }
    }

    /// Takes no more requests on a connection after the one it serves.
    func drain() {
        front.isDraining = true
        front.drainingSince = clock.monotonic()
    }

    /// Ends everything at once: what is still served is cut off.
    func stop() {
        ticker?.cancel()
        link?.stop()
        for connection in front.registry.connections { connection.abandon(.clientClosed) }
        for worker in workers { worker.closeIdle(except: []) }
        front.handlers = nil
        retiring = []
        current = nil
    }

    func tick() {
        front.readClock()
        let now = front.time
        if !retiring.isEmpty { tickRetiring(now: now) }
        current?.tick(now: now)
        front.registry.forEach { $0.tick(now: now) }
        accessLog?.flush()
    }

    private func tickRetiring(now: UInt64) {
        letGoOfIdle()
        var seen = Self.pools(of: current.map { [$0] } ?? [])
        for worker in retiring {
            worker.tick(now: now, except: seen)
            seen.formUnion(Self.pools(of: [worker]))
        }
    }

    /// Lets go of the workers whose last request is over, and closes what only they had.
    private func letGoOfIdle() {
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

extension WorkerLoop: RequestHandlerSource {
    package func makeHandler() -> any RequestHandler { ClientExchange(self) }
}
