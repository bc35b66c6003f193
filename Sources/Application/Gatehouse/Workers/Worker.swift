import Accounts
import Authentication
import Authorization
import Decisions
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
    var accounts: (any FirebaseAccountLookup)?
    /// Passes the status of a Firebase account to the workers of other loops, which may have streams of the user.
    var accountNews: (@Sendable (AccountStatus, StoreKey) -> Void)?
    var opaqueTokens: (any OpaqueTokenChecking)?
    var appTokens: (any AppTokenConsumer)?
    var calls: (any AccountServing)?
    /// The owners of identities, and the counters of their changes. Both are present if and only if accounts are
    /// configured.
    var links: (any LinkLookup)?
    var linkGenerations: LinkGenerations?
    /// The uses of sessions to record. `nil` without accounts.
    var sessionUses: SessionUses?
    /// The rate limit buckets of the process. If `nil`, the worker creates its own.
    var rates: RateTables?
    /// The limits of failed authentications of introspection clients, shared by all workers of the process.
    var authenticationLimits = AuthenticationLimits()
}

/// The state of one configuration on one event loop: the pipeline, the pending lookups and the upstream pools.
///
/// The request path neither locks nor changes the event loop, except for rate limits with `scope: fleet`, which take
/// one lock for a moment. The ``WorkerLoop`` holds the state that persists across
/// configurations.
final class Worker {
    let loop: any EventLoop
    let snapshot: Snapshot
    let connectionContext: ConnectionContext
    let counters: WorkerCounters
    let pipeline: RequestPipeline
    let clock: GatewayClock
    let logger: Logger
    let accessLog: AccessLogBuffer?
    /// Passes the status of a Firebase account to the workers of other loops.
    let shareAccountStatus: (@Sendable (AccountStatus, StoreKey) -> Void)?
    /// The source of the key sets. `nil` in tests.
    let keySource: KeyCoordinator?
    let requestKeys: @Sendable (Int) -> Void
    let lookups: RemoteLookups
    let pathScratch = PathScratch()
    let pools: [UpstreamPool]
    var pending = PendingLookups<WaitingRequest>(limit: lookupLimit)
    private(set) var inquiries: RedisInquiries<StoreRequest>?
    /// The owners of identities. `nil` without accounts.
    let owners: LinkOwners?
    /// The account calls. `nil` without accounts.
    var calls: WorkerCalls?
    /// The published keys. `nil` until all of them are loaded.
    private(set) var keysDocument: StaticResponse?
    /// The keys of session cookies. `nil` until they are loaded.
    private(set) var sessionKeys: SessionKeys?
    /// The keys of signed introspection responses. They are in files, so the store is not needed for them.
    let assertionKeysDocument: StaticResponse?
    /// The number of current requests.
    private(set) var requestsInFlight = 0
    /// The rate limit buckets. `nil` if no route has rate limits.
    private let rates: RateTables?
    private let clearingCookie: [UInt8]?

    /// The maximum number of a worker's requests that wait for lookups, and of concurrent owner lookups.
    static let lookupLimit = 1024

    /// Creates a worker. `nil` if libcrypto fails.
    ///
    /// - Parameter previous: The worker whose upstream connections and verified tokens are taken over if both
    ///   configurations agree on them.
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
        connectionContext = home.connectionContext
        counters = home.counters
        self.requestKeys = requestKeys
        self.keySource = keySource
        self.lookups = lookups
        shareAccountStatus = lookups.accountNews
        let store = home.store
        let outgoing = snapshot.outgoing
        let rules = RuleEvaluationContext(RequestBindings { outgoing.showsRules($0, of: $1) }, lane: home.index)
        let authenticator: Authenticator
        let opaqueAuthenticator: OpaqueAuthenticator?
        let appAuthenticator: AppCheckAuthenticator?
        let accounts: AccountMemory?
        if let previous, previous.snapshot.identityShape == snapshot.identityShape {
            owners = previous.owners
            authenticator = previous.pipeline.authenticator
            opaqueAuthenticator = previous.pipeline.opaqueAuthenticator
            appAuthenticator = previous.pipeline.appAuthenticator
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
            appAuthenticator = snapshot.appVerifier.map { verifier in
                AppCheckAuthenticator(verifier, hasher: hasher, counters: home.counters, requestKeys: requestKeys)
            }
            accounts = lookups.accounts.map { _ in AccountMemory() }
        }
        let plans = snapshot.pipeline.plans
        rates =
            plans.contains { $0.rates != nil } ? lookups.rates ?? previous?.rates ?? RateTables() : nil
        pipeline = RequestPipeline(
            snapshot.pipeline, authenticator: authenticator, opaqueAuthenticator: opaqueAuthenticator,
            appAuthenticator: appAuthenticator,
            authorizer: Authorizer(
                store: store.reader, viewIsAuthoritative: store.redis == nil, clockSkew: snapshot.clockSkew,
                maxStaleness: snapshot.pipeline.maxStaleness, queriesFirebase: lookups.accounts != nil,
                acrValues: snapshot.acrValues),
            rules: plans.contains { $0.policy.rules != nil } ? rules : nil, rates: rates, accounts: accounts,
            counters: home.counters)
        calls = lookups.calls.map { WorkerCalls(service: $0, cookies: snapshot.sessionCookies) }
        clearingCookie = calls.map { $0.cookies.lines(of: .clear) }
        pools = snapshot.upstreams.map { settings in
            previous?.pools.first { $0.settings == settings }
                ?? UpstreamPool(
                    settings: settings, connectionContext: home.connectionContext, counters: home.counters,
                    loop: home.loop,
                    logger: home.logger)
        }
        assertionKeysDocument = snapshot.assertionKeys.map { Self.document(of: $0.published) }
        if snapshot.sessionSet == nil { keysDocument = Self.document(of: snapshot.assertionKeys?.published ?? []) }
        inquiries =
            snapshot.queriesStore
            ? home.storeLink().map { link in
                RedisInquiries(link: link, timeout: snapshot.strictTimeout) { [weak self] in
                    self?.storeResponded($0, $1)
                }
            } : nil
    }

    /// Makes this worker the current one.
    func begin() {
        connectionContext.clearingCookie = clearingCookie
    }

    func requestBegan() {
        requestsInFlight += 1
    }

    /// Records the end of a request.
    func requestEnded() {
        requestsInFlight -= 1
    }

    /// Installs a newer view of a key set, and resumes the requests that wait for it.
    func install(_ view: KeySetView, set: Int) {
        pipeline.authenticator.install(view, set: set)
        pipeline.appAuthenticator?.install(view, set: set)
        resume(.keySet(set))
    }

    /// Installs the keys of session cookies.
    func install(_ session: SessionKeys) {
        guard let set = snapshot.sessionSet else { return }
        sessionKeys = session
        keysDocument = Self.document(of: (snapshot.assertionKeys?.published ?? []) + session.published)
        install(session.view, set: set)
    }

    private static func document(of keys: [SigningKey]) -> StaticResponse {
        StaticResponse(contentType: "application/jwk-set+json", maximumAge: keysAge, body: JWKSet.text(of: keys))
    }

    /// How long clients may cache the published keys, in seconds.
    private static let keysAge = 300

    /// Handles the completed loading of the revocation view.
    func storeLoaded() {
        resume(.revocationView)
    }

    /// Logs that the route permitted a request despite a store failure.
    func logAllowed(_ failure: StoreFailure, _ plan: RoutePlan) {
        logger.warning(
            "request permitted despite a store failure",
            metadata: ["route": "\(plan.pattern)", "failure": "\(failure.rawValue)"])
    }

    /// Closes idle upstream connections, except in pools that other workers share.
    func closeIdle(except others: Set<ObjectIdentifier>) {
        for pool in pools where !others.contains(ObjectIdentifier(pool)) { pool.closeIdle() }
    }

    /// Checks timeouts, except in pools that another worker of the loop checks.
    func tick(now: UInt64, except others: Set<ObjectIdentifier> = []) {
        expireLookups(now: now)
        for pool in pools where others.isEmpty || !others.contains(ObjectIdentifier(pool)) { pool.tick(now: now) }
    }
}
