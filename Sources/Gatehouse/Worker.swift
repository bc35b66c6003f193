import HTTPWire
import JOSE
import Logging
import NIOCore
import Redis
import SecurityRules

/// What one event loop serves one configuration with: the cache of verified tokens, upstream pools, what waits for keys and the store.
///
/// On the request path nothing waits for a lock and nothing hops to another loop. What outlives a configuration is the ``WorkerLoop``'s.
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
        /// Tells the workers of other loops what Identity Toolkit said: their streams may be the user's.
        var accountNews: (@Sendable (AccountStatus, StoreKey) -> Void)?
        var opaqueTokens: (any OpaqueTokenChecking)?
        var calls: (any AccountServing)?
        /// Who owns identities, and what tells when that changes. Both are there with accounts, else neither.
        var links: (any LinkAsking)?
        var linkGenerations: LinkGenerations?
        /// The process's buckets of rate limits; nil: this worker's own.
        var rates: RateTables?
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
    let tellOthers: (@Sendable (AccountStatus, StoreKey) -> Void)?
    /// Whose key sets it verifies with; nil in tests.
    let keySource: KeyCoordinator?
    let requestKeys: @Sendable (Int) -> Void
    let pathScratch = PathScratch()
    var pools: [UpstreamPool] = []
    var waiters = WaitingRoom<Waiter, PeerNetwork>(limit: waitingLimit)
    private(set) var inquiries: RedisInquiries<AskingRequest>?
    /// The store's answer that is just being handed to its request.
    var arrived: (AskingRequest, StoreAnswer)?
    /// Identity Toolkit's word on accounts; nil: it is not asked.
    let accounts: WorkerAccounts?
    /// Providers' word on opaque tokens; nil: none count.
    var opaqueTokens: WorkerOpaqueTokens?
    let takesOpaqueTokens: Bool
    /// Account calls; nil: there are no accounts.
    var calls: WorkerCalls?
    /// The keys that are published; nil: not all are known yet.
    var keysDocument: ReadyAnswer?
    /// The buckets of rate limits; nil: no route has any.
    let rates: RateTables?
    /// The store's word on who owns identities; nil: there are no accounts.
    var links: WorkerLinks?
    /// How many requests it began that are not over.
    private(set) var requestsInFlight = 0
    private let clearingCookie: [UInt8]?

    /// The most requests of a worker that wait for keys or the store.
    static let waitingLimit = 1024
    /// How long one waits, in nanoseconds.
    static let patience: UInt64 = 5_000_000_000
    /// A worker that has begun nothing yet. Nil when libcrypto fails.
    ///
    /// - Parameter previous: whose upstream connections and verified tokens go on, as far as both configurations agree on them.
    init?(
        _ snapshot: Snapshot, on home: WorkerLoop, others: Others = Others(), keySource: KeyCoordinator? = nil,
        after previous: Worker? = nil,
        requestKeys: @escaping @Sendable (Int) -> Void
    ) {
        guard let hasher = SHA256Hasher() else { return nil }
        loop = home.loop
        self.snapshot = snapshot
        clock = home.clock
        logger = home.logger
        accessLog = home.accessLog
        front = home.front
        counters = home.counters
        self.requestKeys = requestKeys
        self.keySource = keySource
        tellOthers = others.accountNews
        let store = home.store
        let outgoing = snapshot.outgoing
        let rules = RuleAsker(RequestBindings { outgoing.showsRules($0, of: $1) })
        self.rules = snapshot.plans.contains { $0.policy.rules != nil } ? rules : nil
        let sharesIdentity = previous.map { $0.snapshot.identityShape == snapshot.identityShape } ?? false
        if sharesIdentity, let previous {
            authenticator = previous.authenticator
            links = previous.links.map { WorkerLinks(source: $0.source, owners: $0.owners) }
            opaqueTokens = previous.opaqueTokens.map {
                WorkerOpaqueTokens(source: $0.source, authenticator: $0.authenticator)
            }
            accounts = previous.accounts
        } else {
            let (renderer, evaluator) = (outgoing.identity, rules.evaluator)
            let render = { renderer.render($0, by: evaluator) }
            let owners = others.linkGenerations.map { generations in
                LinkOwners(
                    generations: generations, view: store.reader.view, maxStaleness: snapshot.maxStaleness,
                    deniesUnlinked: snapshot.deniesUnlinked, hasher: hasher, render: render)
            }
            links = others.links.flatMap { source in owners.map { WorkerLinks(source: source, owners: $0) } }
            authenticator = Authenticator(
                verifiers: snapshot.verifiers, keySets: snapshot.keySetCount, hasher: hasher, counters: home.counters,
                owners: owners, render: render)
            opaqueTokens = others.opaqueTokens.map { source in
                WorkerOpaqueTokens(
                    source: source,
                    authenticator: OpaqueAuthenticator(
                        hasher: hasher, counters: home.counters, owners: owners, render: render))
            }
            accounts = others.accounts.map { WorkerAccounts(source: $0) }
        }
        takesOpaqueTokens = opaqueTokens != nil
        authorizer = Authorizer(
            store: store.reader, viewIsAuthoritative: store.redis == nil, clockSkew: snapshot.clockSkew,
            maxStaleness: snapshot.maxStaleness, asksFirebase: others.accounts != nil,
            acrValues: snapshot.acrValues)
        let cookies = SessionCookieLines(name: snapshot.cookieName ?? "")
        calls = others.calls.map { WorkerCalls(service: $0, cookies: cookies) }
        clearingCookie = calls.map { $0.cookies.line(of: .clear) }
        if snapshot.accounts == nil { keysDocument = Self.document(of: snapshot.assertionKeys?.published ?? []) }
        pools = snapshot.upstreams.map { settings in
            previous?.pools.first { $0.settings == settings }
                ?? UpstreamPool(
                    settings: settings, front: home.front, counters: home.counters, loop: home.loop,
                    logger: home.logger)
        }
        rates =
            snapshot.plans.contains { $0.rates != nil } ? others.rates ?? previous?.rates ?? RateTables() : nil
        inquiries =
            snapshot.asksStore
            ? home.storeLink().map { link in
                RedisInquiries(link: link, timeout: snapshot.strictTimeout) { [weak self] in
                    self?.storeAnswered($0, $1)
                }
            } : nil
    }

    var additions: AnswerAdditions? { snapshot.additions }

    /// It becomes the one that begins requests.
    func begin() {
        front.clearingCookie = clearingCookie
    }

    func began(_ client: ClientHandler) {
        requestsInFlight += 1
    }

    /// A request that it began is over.
    func ended() {
        requestsInFlight -= 1
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

    /// Closes the upstream connections that nothing uses.
    ///
    /// - Parameter others: pools that are not its own alone.
    func closeIdle(except others: Set<ObjectIdentifier>) {
        for pool in pools where !others.contains(ObjectIdentifier(pool)) { pool.closeIdle() }
    }

    /// - Parameter others: pools that are looked at by whoever else has them.
    func tick(now: UInt64, except others: Set<ObjectIdentifier> = []) {
        expireWaiters(now: now)
        for pool in pools where others.isEmpty || !others.contains(ObjectIdentifier(pool)) { pool.tick(now: now) }
    }

    // MARK: - Waiting

    /// Keeps a request until what it needs is there.
    ///
    /// - Returns: false when there was no place for it; then it is answered.
    @discardableResult
    func wait(_ client: ClientHandler, for awaited: Awaited) -> Bool {
        if client.record.waitsUntil == 0 { client.record.waitsUntil = front.time &+ Self.patience }
        let waiter = Waiter(client: client, number: client.record.number, awaited: awaited)
        switch waiters.enter(waiter, of: client.origin.network) {
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
