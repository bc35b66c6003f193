import HTTPWire
import JOSE
import Logging
import NIOCore
import Redis

/// What one event loop owns: client connections, the cache of verified tokens, upstream pools, scratch memory.
///
/// On the request path nothing waits for a lock and nothing hops to another loop.
final class Worker {
    /// A request that waits for keys, or for the store's view.
    struct Waiter {
        let client: ClientHandler
        let number: UInt64
        /// The key set; nil: the store.
        let keySet: Int?
    }

    let loop: any EventLoop
    let snapshot: Snapshot
    let front: ServerFront
    let counters: WorkerCounters
    let authenticator: Authenticator
    let authorizer: Authorizer
    let clock: GatewayClock
    let logger: Logger
    let accessLog: AccessLogBuffer?
    let requestKeys: @Sendable (Int) -> Void
    let pathScratch = PathScratch()
    var pools: [UpstreamPool] = []
    var waiters = WaitingRoom<Waiter, PeerNetwork>(limit: waitingLimit)
    /// The connection to a shared store; nil: there is none, or no route asks it on a request.
    private let link: RedisLink?
    private(set) var inquiries: RedisInquiries<AskingRequest>?
    /// The store's answer that is just being handed to its request.
    var arrived: (AskingRequest, StoreAnswer)?
    private var ticker: RepeatedTask?

    /// The most requests of a worker that wait for keys or the store.
    static let waitingLimit = 1024
    /// How long one waits, in nanoseconds.
    static let patience: UInt64 = 5_000_000_000
    /// How often time is looked at: what is late is noticed this much later.
    static let tickInterval = TimeAmount.milliseconds(100)

    /// Nil when libcrypto fails.
    init?(
        loop: any EventLoop, snapshot: Snapshot, store: StoreAccess, clock: GatewayClock, logger: Logger,
        accessLog: AccessLogSlot?, requestKeys: @escaping @Sendable (Int) -> Void
    ) {
        guard let hasher = SHA256Hasher() else { return nil }
        self.loop = loop
        self.snapshot = snapshot
        self.clock = clock
        self.logger = logger
        self.requestKeys = requestKeys
        front = ServerFront(limits: snapshot.limits, clock: clock)
        counters = WorkerCounters(routes: snapshot.plans.count, upstreams: snapshot.upstreams.count)
        let renderer = snapshot.outgoing.identity
        authenticator = Authenticator(
            verifiers: snapshot.verifiers, keySets: snapshot.keyURLs.count, hasher: hasher, counters: counters,
            render: { renderer.render($0) })
        authorizer = Authorizer(
            store: store.reader, viewIsAuthoritative: store.redis == nil, clockSkew: snapshot.clockSkew,
            maxStaleness: snapshot.maxStaleness)
        link =
            snapshot.asksStore
            ? store.redis.map { RedisLink($0, loop: loop, logger: logger, clock: clock.monotonic) } : nil
        let counters = counters
        self.accessLog = accessLog.map { AccessLogBuffer(slot: $0, counters: counters) }
        let front = front
        pools = snapshot.upstreams.enumerated().map { index, settings in
            UpstreamPool(settings: settings, index: index, front: front, counters: counters, loop: loop)
        }
        front.handler = self
        inquiries = link.map { link in
            RedisInquiries(link: link, timeout: snapshot.strictTimeout) { [weak self] in self?.storeAnswered($0, $1) }
        }
    }

    /// Begins to look at time.
    func start() {
        link?.start()
        let bound = NIOLoopBound(self, eventLoop: loop)
        ticker = loop.scheduleRepeatedTask(initialDelay: Self.tickInterval, delay: Self.tickInterval) { _ in
            bound.value.tick()
        }
    }

    /// A newer state of a key set: who waits for it is decided again.
    func install(_ view: KeySetView, set: Int) {
        authenticator.install(view, set: set)
        resume { $0.keySet == set }
    }

    /// The store's view is loaded: who waits for it is decided again.
    func storeLoaded() {
        resume { $0.keySet == nil }
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
        for pool in pools { pool.closeIdle() }
        front.handler = nil
    }

    func tick() {
        front.readClock()
        let now = front.time
        expireWaiters(now: now)
        for pool in pools { pool.tick(now: now) }
        front.registry.forEach { $0.tick(now: now) }
        accessLog?.flush()
    }

    // MARK: - Waiting

    /// Keeps a request until keys or the store are there.
    func wait(_ client: ClientHandler, forKeySet set: Int?) {
        if client.record.waitsUntil == 0 { client.record.waitsUntil = front.time &+ Self.patience }
        let waiter = Waiter(client: client, number: client.record.number, keySet: set)
        switch waiters.enter(waiter, of: client.peer.network) {
        case .admitted:
            client.adjustReading()
        case .replaced(let evicted):
            client.adjustReading()
            if isCurrent(evicted) { evicted.client.deny(Denial(.overloaded)) }
        case .refused:
            client.deny(Denial(.overloaded))
        }
    }

    private func resume(_ isConcerned: (Waiter) -> Bool) {
        front.readClock()
        for waiter in waiters.remove(where: isConcerned) where isCurrent(waiter) { waiter.client.serveAgain() }
    }

    private func expireWaiters(now: UInt64) {
        for waiter in waiters.remove(where: { now >= $0.client.record.waitsUntil }) where isCurrent(waiter) {
            if waiter.keySet == nil {
                // Decided without the store: by the route's `on_store_failure`.
                waiter.client.serveAgain()
            } else {
                waiter.client.deny(Denial(.keysUnavailable))
            }
        }
    }

    private func isCurrent(_ waiter: Waiter) -> Bool {
        waiter.client.isOpen && waiter.client.record.number == waiter.number
    }
}
