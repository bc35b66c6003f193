import Accounts
import Authentication
import Authorization
import GatewayConfiguration
import GatewayCore
import JOSE
import Logging
import NIOCore
import Observability
import Revocation
import Synchronization

/// One configuration that is served, or still finishes what it began, with what was made for it.
final class Generation: Sendable {
    /// 1 for the configuration that the gateway began with, one more for each that took its place.
    let number: UInt64
    let configuration: Configuration
    let snapshot: Snapshot
    let sources: IdentitySources

    init(number: UInt64, _ configuration: Configuration, _ snapshot: Snapshot, _ sources: IdentitySources) {
        self.number = number
        self.configuration = configuration
        self.snapshot = snapshot
        self.sources = sources
    }
}

/// What tells whose tokens count: key sets, providers that are asked, the gateway's own accounts.
///
/// Configurations that agree on all of it share one.
final class IdentitySources: Sendable {
    /// Everything that they are made of.
    struct Shape: Sendable, Equatable {
        private let identity: Configuration.Identity
        private let revocation: Configuration.Revocation
        private let accounts: Configuration.Accounts?
        private let sessionKeyIDs: [String]
        private let serviceAccount: [String]

        init(_ configuration: Configuration, _ snapshot: Snapshot, _ serviceAccount: ServiceAccount?) {
            self.serviceAccount = serviceAccount.map { [$0.email, $0.key.keyID, $0.tokenURL] } ?? []
            identity = configuration.identity.withoutPlaces
            revocation = configuration.revocation
            accounts = configuration.accounts?.withoutPlaces
            sessionKeyIDs =
                snapshot.sessionKeyFiles.map { [$0.current.keyID] + $0.previous.map(\.keyID) } ?? []
        }
    }

    /// What they are made with, which outlives them.
    struct Environment: Sendable {
        let store: any GatewayStore
        let fetcher: any KeyFetcher
        let group: any EventLoopGroup
        let clock: GatewayClock
        let logger: Logger
        /// The buckets of rate limits, which all workers share, beyond reloads.
        let rates = RateTables()
    }

    let shape: Shape
    let keys: KeyCoordinator
    let others: GatewayOthers
    /// The keys of session cookies; nil: there are no accounts.
    let sessions: SessionAuthority?
    /// What workers ask.
    let forWorkers: RemoteLookups
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// - Parameter previous: whose key sets are held until they were read again.
    init(
        _ configuration: Configuration, _ snapshot: Snapshot, serviceAccount: ServiceAccount?,
        after previous: IdentitySources? = nil, _ environment: Environment
    ) {
        shape = Shape(configuration, snapshot, serviceAccount)
        keys = KeyCoordinator(
            after: previous?.keys, sources: snapshot.keySources, policy: configuration.identity.keys,
            fetcher: environment.fetcher, clock: environment.clock, logger: environment.logger)
        others = GatewayOthers(
            configuration, snapshot, serviceAccount: serviceAccount, group: environment.group,
            clock: environment.clock, logger: environment.logger)
        let sessions = configuration.accounts.map { _ in SessionAuthority() }
        self.sessions = sessions
        let links = configuration.accounts.map { _ in StoredLinks(environment.store) }
        forWorkers = RemoteLookups(
            accounts: others.accounts, opaqueTokens: others.opaqueTokens,
            calls: sessions.flatMap { [keys, others] authority in
                configuration.accounts.map {
                    Accounts(AccountParts($0, snapshot, authority, keys, others, environment))
                }
            },
            links: links, linkGenerations: links.map { _ in environment.store.linkGenerations },
            rates: environment.rates)
    }

    /// Begins to read key sets, and to ask what should be known before the first request.
    func start() {
        others.start()
        task.withLock { $0 = $0 ?? Task { [keys] in await keys.run() } }
    }

    /// Ends all reading and asking: who waits is told that there will be no answer.
    func shutdown() async {
        task.withLock { $0 }?.cancel()
        await others.shutdown()
    }

    /// Waits until each key set was read once, for a bounded time: what is not there by then, requests wait for.
    func settle(within limit: Duration) async {
        let end = ContinuousClock.now + limit
        while ContinuousClock.now < end, keys.status().contains(where: { !$0.isLoaded && $0.lastError == nil }) {
            try? await Task.sleep(for: .milliseconds(10))
        }
    }
}

extension AccountParts {
    fileprivate init(
        _ settings: Configuration.Accounts, _ snapshot: Snapshot, _ authority: SessionAuthority,
        _ coordinator: KeyCoordinator, _ others: GatewayOthers, _ environment: IdentitySources.Environment
    ) {
        let (clock, store) = (environment.clock, environment.store)
        let keys = AsyncKeys(coordinator: coordinator, clock: clock)
        let opaque = others.opaqueTokens.map { checker in
            OpaqueProof(providers: snapshot.opaqueProviders.map(\.id), checker: checker)
        }
        self.init(
            settings: settings, clock: clock, logger: environment.logger, store: store, authority: authority,
            verifier: ProofVerifier(verifiers: snapshot.verifiers, keys: keys, opaque: opaque, clock: clock),
            clockSkew: snapshot.clockSkew, maxStaleness: snapshot.maxStaleness,
            firebase: others.accounts, rating: CallRates(settings),
            events: AccountEvents(
                verifier: EventVerifier(verifiers: snapshot.verifiers, keys: keys, now: clock.now), store: store,
                clock: clock, logger: environment.logger, auditLogger: environment.logger.forAudit),
            auditLogger: environment.logger.forAudit)
    }
}
