import Accounts
import Authentication
import Authorization
import Forwarding
import GatewayCore
import HTTPServer
import JOSE
import Logging
import NIOCore
import Observability
import Redis
import RequestPipeline
import Revocation
import Routing

/// Remote services that a worker queries, if configured.
struct RemoteLookups: Sendable {
    var accounts: (any AccountLookingUp)?
    /// Passes the state of a Firebase account to the workers of other loops: their streams may be the user's.
    var accountNews: (@Sendable (AccountStatus, StoreKey) -> Void)?
    var opaqueTokens: (any OpaqueTokenChecking)?
    var calls: (any AccountServing)?
    /// The owners of identities, and the counters that say when an owner changes. Both are there with accounts, else neither.
    var links: (any LinkLookup)?
    var linkGenerations: LinkGenerations?
    /// The process's buckets of rate limits; `nil`: the worker has its own.
    var rates: RateTables?
}

/// What one event loop serves one configuration with: the pipeline, the lookups under way, and the upstream pools.
///
/// On the request path nothing waits for a lock and nothing hops to another loop. The ``WorkerLoop`` holds what outlives a configuration.
final class Worker {
    let loop: any EventLoop
    let snapshot: Snapshot
    let front: ConnectionContext
    let counters: WorkerCounters
    let pipeline: RequestPipeline
    let clock: GatewayClock
    let logger: Logger
    let accessLog: AccessLogBuffer?
    /// Passes the state of a Firebase account to the workers of other loops.
    let tellOthers: (@Sendable (AccountStatus, StoreKey) -> Void)?
    /// The source of the key sets; `nil` in tests.
    let keySource: KeyCoordinator?
    let requestKeys: @Sendable (Int) -> Void
    let lookups: RemoteLookups
    let pathScratch = PathScratch()
    let pools: [UpstreamPool]
    var pending = PendingLookups<WaitingRequest>(limit: lookupLimit)
    private(set) var inquiries: RedisInquiries<StoreRequest>?
    /// The owners of identities; `nil` without accounts.
    let owners: LinkOwners?
    /// Account calls; `nil` without accounts.
    var calls: WorkerCalls?
    /// The published keys; `nil`: not all are known yet.
    private(set) var keysDocument: StaticResponse?
    /// How many requests it began that are not over.
    private(set) var requestsInFlight = 0
    /// The buckets of rate limits; `nil`: no route has any.
    private let rates: RateTables?
    private let clearingCookie: [UInt8]?

    /// The most requests of a worker that wait for lookups, and the most lookups of owners.
    static let lookupLimit = 1024

    /// A worker that has begun nothing yet. `nil` if libcrypto fails.
    ///
    /// - Parameter previous: the worker whose upstream connections and verified tokens go on, as far as both configurations agree on them.
    init?(
        _ snapshot: Snapshot, on home: WorkerLoop, lookups: RemoteLookups = RemoteLookups(),
        keySource: KeyCoordinator? = nil, after previous: Worker? = nil,
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
        self.lookups = lookups
        tellOthers = lookups.accountNews
        let store = home.store
        let outgoing = snapshot.outgoing
        let rules = RuleEvaluationContext(RequestBindings { outgoing.showsRules($0, of: $1) })
        let authenticator: Authenticator
        let opaqueAuthenticator: OpaqueAuthenticator?
        let accounts: AccountMemory?
        if let previous, previous.snapshot.identityShape == snapshot.identityShape {
            owners = previous.owners
            authenticator = previous.pipeline.authenticator
            opaqueAuthenticator = previous.pipeline.opaqueAuthenticator
            accounts = previous.pipeline.accounts
        } else {
            let (renderer, evaluator) = (outgoing.identity, rules.evaluator)
            let render = { renderer.render($0, by: evaluator) }
            let owners = lookups.linkGenerations.map { generations in
                LinkOwners(
                    generations: generations, view: store.reader.view, maxStaleness: snapshot.pipeline.maxStaleness,
                    deniesUnlinked: snapshot.deniesUnlinked, hasher: hasher, render: render)
            }
            self.owners = owners
            authenticator = Authenticator(
                verifiers: snapshot.verifiers, keySets: snapshot.keySetCount, hasher: hasher, counters: home.counters,
                owners: owners, render: render)
            opaqueAuthenticator = lookups.opaqueTokens.map { _ in
                OpaqueAuthenticator(hasher: hasher, counters: home.counters, owners: owners, render: render)
            }
            accounts = lookups.accounts.map { _ in AccountMemory() }
        }
        let plans = snapshot.pipeline.plans
        rates =
            plans.contains { $0.rates != nil } ? lookups.rates ?? previous?.rates ?? RateTables() : nil
        pipeline = RequestPipeline(
            snapshot.pipeline, authenticator: authenticator, opaqueAuthenticator: opaqueAuthenticator,
            authorizer: Authorizer(
                store: store.reader, viewIsAuthoritative: store.redis == nil, clockSkew: snapshot.clockSkew,
                maxStaleness: snapshot.pipeline.maxStaleness, asksFirebase: lookups.accounts != nil,
                acrValues: snapshot.acrValues),
            rules: plans.contains { $0.policy.rules != nil } ? rules : nil, rates: rates, accounts: accounts,
            counters: home.counters)
        let cookies = SessionCookieLines(name: snapshot.cookieName ?? "")
        calls = lookups.calls.map { WorkerCalls(service: $0, cookies: cookies) }
        clearingCookie = calls.map { $0.cookies.line(of: .clear) }
        pools = snapshot.upstreams.map { settings in
            previous?.pools.first { $0.settings == settings }
                ?? UpstreamPool(
                    settings: settings, front: home.front, counters: home.counters, loop: home.loop,
                    logger: home.logger)
        }
        if snapshot.sessionSet == nil { keysDocument = Self.document(of: snapshot.assertionKeys?.published ?? []) }
        inquiries =
            snapshot.asksStore
            ? home.storeLink().map { link in
                RedisInquiries(link: link, timeout: snapshot.strictTimeout) { [weak self] in
                    self?.storeAnswered($0, $1)
                }
            } : nil
    }

    /// It becomes the one that begins requests.
    func begin() {
        front.clearingCookie = clearingCookie
    }

    func requestBegan() {
        requestsInFlight += 1
    }

    /// A request that it began is over.
    func requestEnded() {
        requestsInFlight -= 1
    }

    /// Installs a newer state of a key set, and resumes the requests that wait for it.
    func install(_ view: KeySetView, set: Int) {
        pipeline.authenticator.install(view, set: set)
        resume(.keySet(set))
    }

    /// Installs the keys of session cookies.
    func install(_ session: SessionKeys) {
        guard let set = snapshot.sessionSet else { return }
        keysDocument = Self.document(of: (snapshot.assertionKeys?.published ?? []) + session.published)
        install(session.view, set: set)
    }

    private static func document(of keys: [SigningKey]) -> StaticResponse {
        StaticResponse(contentType: "application/jwk-set+json", maximumAge: keysAge, body: JWKSet.text(of: keys))
    }

    /// For how long clients may keep the published keys, in seconds.
    private static let keysAge = 300

    /// The revocation view is loaded.
    func storeLoaded() {
        resume(.revocationView)
    }

    /// Logs that a request passes or fails although the store could not answer, where the route allows it.
    func logAllowed(_ failure: StoreFailure, _ plan: RoutePlan) {
        logger.warning(
            "request passed although the store could not tell",
            metadata: ["route": "\(plan.pattern)", "failure": "\(failure.rawValue)"])
    }

    /// Closes the upstream connections that nothing uses.
    ///
    /// - Parameter others: pools that other workers use, too.
    func closeIdle(except others: Set<ObjectIdentifier>) {
        for pool in pools where !others.contains(ObjectIdentifier(pool)) { pool.closeIdle() }
    }

    /// - Parameter others: pools that another worker of the loop looks after.
    func tick(now: UInt64, except others: Set<ObjectIdentifier> = []) {
        expireLookups(now: now)
        for pool in pools where others.isEmpty || !others.contains(ObjectIdentifier(pool)) { pool.tick(now: now) }
    }
}
