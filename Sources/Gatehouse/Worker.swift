import HTTPWire
import JOSE
import Logging
import NIOCore
import Redis
import SecurityRules

/// What one event loop owns: client connections, the cache of verified tokens, upstream pools, scratch memory.
///
/// On the request path nothing waits for a lock and nothing hops to another loop.
final class Worker {
    /// A request that waits for something that comes from outside its worker.
    struct Waiter {
        let client: ClientHandler
        let number: UInt64
        let awaited: Awaited
    }

    /// Whom a worker asks besides the store, where the configuration says so.
    struct Others: Sendable {
        var accounts: (any AccountLookingUp)?
        var opaqueTokens: (any OpaqueTokenChecking)?
        var calls: (any AccountServing)?
        /// Who owns identities, and what tells when that changes. Both are there with accounts, else neither.
        var links: (any LinkAsking)?
        var linkGenerations: LinkGenerations?
    }

    /// What a request may wait for.
    enum Awaited: Hashable {
        case keySet(Int)
        /// The store's view.
        case store
        /// A provider's word on an opaque token.
        case opaqueToken(OpaqueTokenKey)
        /// Identity Toolkit's word on the account of a user.
        case account(StoreKey)
        /// The store's word on who owns the identity with this key.
        case owner(StoreKey)

        /// How a request ends that waited too long; nil: it is decided without what it waited for.
        var failure: DecisionCode? {
            switch self {
            case .keySet: .keysUnavailable
            case .opaqueToken: .introspectionUnavailable
            case .owner: .storeUnavailable
            case .store, .account: nil
            }
        }
    }

    let loop: any EventLoop
    let snapshot: Snapshot
    let front: ServerFront
    let counters: WorkerCounters
    let authenticator: Authenticator
    let authorizer: Authorizer
    /// Asks rules; nil: no route has any.
    let rules: RuleAsker?
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
    /// Identity Toolkit's word on accounts; nil: it is not asked.
    var accounts: WorkerAccounts?
    /// Providers' word on opaque tokens; nil: none count.
    var opaqueTokens: WorkerOpaqueTokens?
    /// Account calls; nil: there are no accounts.
    var calls: WorkerCalls?
    /// The keys that are published; nil: not all are known yet.
    var keysDocument: ReadyAnswer?
    /// The store's word on who owns identities; nil: there are no accounts.
    var links: WorkerLinks?
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
        accessLog: AccessLogSlot?, others: Others = Others(), requestKeys: @escaping @Sendable (Int) -> Void
    ) {
        guard let hasher = SHA256Hasher() else { return nil }
        self.loop = loop
        self.snapshot = snapshot
        self.clock = clock
        self.logger = logger
        self.requestKeys = requestKeys
        front = ServerFront(limits: snapshot.limits, clock: clock)
        counters = WorkerCounters(routes: snapshot.plans.count, upstreams: snapshot.upstreams.count)
        let outgoing = snapshot.outgoing
        let rules = RuleAsker(RequestBindings { outgoing.showsRules($0, of: $1) })
        self.rules = snapshot.plans.contains { $0.policy.rules != nil } ? rules : nil
        let (renderer, evaluator) = (outgoing.identity, rules.evaluator)
        let owners = others.linkGenerations.map { generations in
            LinkOwners(
                generations: generations, view: store.reader.view, maxStaleness: snapshot.maxStaleness,
                deniesUnlinked: snapshot.deniesUnlinked, hasher: hasher, render: { renderer.render($0, by: evaluator) })
        }
        links = others.links.flatMap { source in owners.map { WorkerLinks(source: source, owners: $0) } }
        authenticator = Authenticator(
            verifiers: snapshot.verifiers, keySets: snapshot.keySetCount, hasher: hasher, counters: counters,
            owners: owners, render: { renderer.render($0, by: evaluator) })
        let counters = counters
        opaqueTokens = others.opaqueTokens.map { source in
            WorkerOpaqueTokens(
                source: source,
                authenticator: OpaqueAuthenticator(
                    hasher: hasher, counters: counters, owners: owners, render: { renderer.render($0, by: evaluator) }))
        }
        authorizer = Authorizer(
            store: store.reader, viewIsAuthoritative: store.redis == nil, clockSkew: snapshot.clockSkew,
            maxStaleness: snapshot.maxStaleness, asksFirebase: others.accounts != nil,
            acrValues: snapshot.acrValues)
        accounts = others.accounts.map { WorkerAccounts(source: $0) }
        let cookies = SessionCookieLines(name: snapshot.cookieName ?? "")
        calls = others.calls.map { WorkerCalls(service: $0, cookies: cookies) }
        front.clearingCookie = calls.map { $0.cookies.line(of: .clear) }
        if snapshot.accounts == nil { keysDocument = Self.document(of: snapshot.assertionKeys?.published ?? []) }
        link =
            snapshot.asksStore
            ? store.redis.map { RedisLink($0, loop: loop, logger: logger, clock: clock.monotonic) } : nil
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
        resume(.keySet(set))
    }

    /// The session cookies' keys are known: who waits for them is decided again.
    func install(_ session: SessionKeys) {
        guard let set = snapshot.sessionSet else { return }
        keysDocument = Self.document(of: (snapshot.assertionKeys?.published ?? []) + session.published)
        install(session.view, set: set)
    }

    private static func document(of keys: [SigningKey]) -> ReadyAnswer {
        ReadyAnswer(
            contentType: "application/jwk-set+json", maximumAge: OwnEndpoints.keysAge, body: JWKSet.text(of: keys))
    }

    /// The store's view is loaded: who waits for it is decided again.
    func storeLoaded() {
        resume(.store)
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

    /// Keeps a request until what it needs is there.
    ///
    /// - Returns: false when there was no place for it; then it is answered.
    @discardableResult
    func wait(_ client: ClientHandler, for awaited: Awaited) -> Bool {
        if client.record.waitsUntil == 0 { client.record.waitsUntil = front.time &+ Self.patience }
        let waiter = Waiter(client: client, number: client.record.number, awaited: awaited)
        switch waiters.enter(waiter, of: client.peer.network) {
        case .admitted:
            client.adjustReading()
        case .replaced(let evicted):
            client.adjustReading()
            if isCurrent(evicted) { evicted.client.deny(Denial(.overloaded)) }
        case .refused:
            client.deny(Denial(.overloaded))
            return false
        }
        return true
    }

    /// Decides again who waits for it.
    func resume(_ awaited: Awaited) {
        front.readClock()
        for waiter in waiters.remove(where: { $0.awaited == awaited }) where isCurrent(waiter) {
            waiter.client.serveAgain()
        }
    }

    private func expireWaiters(now: UInt64) {
        for waiter in waiters.remove(where: { now >= $0.client.record.waitsUntil }) where isCurrent(waiter) {
            if let code = waiter.awaited.failure {
                waiter.client.deny(Denial(code))
            } else {
                // Decided without it: by the route's `on_store_failure`.
                waiter.client.serveAgain()
            }
        }
    }

    /// Whether the client still has the request that waits.
    func isCurrent(_ waiter: Waiter) -> Bool {
        waiter.client.isOpen && waiter.client.record.number == waiter.number
    }
}
