import Accounts
import Authentication
import Authorization
import GatewayConfiguration
import GatewayCore
import JOSE
import Logging
import Observability
import OutboundHTTP
import RequestPipeline
import Revocation
import Synchronization

/// The sources of identity: key sets, token introspection, and the gateway's own accounts.
///
/// Configurations with the same shape share one instance.
final class IdentitySources: Sendable {
    /// The settings on which the sources depend.
    struct Shape: Sendable, Equatable {
        private let sources: IdentityShape.Sources
        private let accountCredentials: [String: Secret]
        private let appCheckCredential: Secret?
        private let cookieCredentials: [String: Secret]

        init(_ snapshot: Snapshot, _ credentials: GoogleCredentials) {
            sources = snapshot.identityShape.sources
            accountCredentials = credentials.accounts.mapValues(\.fingerprint)
            appCheckCredential = credentials.appCheck?.fingerprint
            cookieCredentials = credentials.sessionCookies.mapValues(\.fingerprint)
        }
    }

    let shape: Shape
    let keys: KeyCoordinator
    /// `nil` if no opaque tokens are accepted.
    let opaqueTokens: OpaqueTokens?
    /// The lookup of Firebase accounts. `nil` if only the store contains revocations.
    let accounts: ProjectAccounts?
    /// The consumer of App Check tokens. `nil` if no route consumes them.
    let appTokens: FirebaseAppCheck?
    /// The creator of Firebase's session cookies. `nil` if none are created.
    private let firebaseCookies: FirebaseSessionCookies?
    /// The writer of changes of users to Firebase. `nil` if nothing is written back.
    let writeBack: FirebaseWriteBack?
    /// The destinations of messages about changes of accounts. `nil` if nothing is delivered.
    let outbox: OutboxDestinations?
    /// The receiver of security events. `nil` without transmitters.
    let securityEvents: SecurityEvents?
    /// The polls of transmitters. `nil` if none is polled.
    let eventPolls: EventPolls?
    /// The keys of session cookies. `nil` without accounts.
    let sessions: SessionAuthority?
    /// The sign-in to the console. `nil` without authorization-code flows.
    let consoleFlow: ConsoleFlow?
    /// The lookups for workers.
    let lookups: RemoteLookups
    /// The client of providers' token endpoints. `nil` without authorization-code flows.
    private let flowClient: OutboundHTTPClient?
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// Creates the sources. The key sets of `previous` are kept until the next fetch.
    init(
        _ configuration: Configuration, _ snapshot: Snapshot, credentials: GoogleCredentials,
        after previous: IdentitySources? = nil, _ environment: GatewayEnvironment
    ) {
        shape = Shape(snapshot, credentials)
        let (group, clock, logger) = (environment.group, environment.clock, environment.logger)
        let identity = configuration.identity
        keys = KeyCoordinator(
            after: previous?.keys, sources: snapshot.keySources, policy: identity.keys, fetcher: environment.fetcher,
            clock: clock, logger: logger)
        opaqueTokens =
            snapshot.opaqueProviders.isEmpty
            ? nil
            : OpaqueTokens(
                snapshot.opaqueProviders, clockSkew: identity.clockSkew, group: group, clock: clock, logger: logger)
        accounts = ProjectAccounts(configuration, credentials: credentials.accounts, environment)
        if let appCheck = identity.firebase?.appCheck, let credential = credentials.appCheck {
            credential.log(as: "the credential of App Check", to: logger)
            appTokens = FirebaseAppCheck(appCheck, credential: credential, group: group, clock: clock, logger: logger)
        } else {
            appTokens = nil
        }
        writeBack = configuration.revocation.writeBack.map { settings in
            FirebaseWriteBack(
                settings, credentials: credentials.accounts, group: group, clock: clock, logger: logger)
        }
        firebaseCookies = FirebaseSessionCookies(configuration, credentials: credentials.sessionCookies, environment)
        let flowClient = snapshot.flowProviders.isEmpty ? nil : CodeFlows.client(on: group)
        self.flowClient = flowClient
        var lookups = RemoteLookups(
            accounts: accounts, opaqueTokens: opaqueTokens, appTokens: appTokens, rates: environment.rates,
            authenticationLimits: environment.authenticationLimits)
        if let settings = configuration.accounts {
            let authority = SessionAuthority()
            sessions = authority
            let proofKeys = AsyncKeys(coordinator: keys, clock: clock)
            let opaque = opaqueTokens.map { checker in
                OpaqueProof(providers: snapshot.opaqueProviders.map(\.id), checker: checker)
            }
            let securityEvents =
                snapshot.transmitters.isEmpty
                ? nil
                : SecurityEvents(
                    snapshot.transmitters, keys: proofKeys, clockSkew: snapshot.clockSkew, store: environment.store,
                    clock: clock, logger: logger, auditLogger: logger.forAudit)
            self.securityEvents = securityEvents
            eventPolls = securityEvents.flatMap { events in
                EventPolls(
                    snapshot.transmitters, events: events, store: environment.store,
                    transport: EventPolls.client(on: group), clock: clock, logger: logger)
            }
            let flows = flowClient.flatMap { client in
                CodeFlows(
                    settings, snapshot.flowProviders, transport: client, tokens: TokenSealing(settings.tokenKeys),
                    clock: clock)
            }
            outbox =
                configuration.hasOutbox
                ? OutboxDestinations(flows: flows, webhook: settings.webhook, group: group, clock: clock) : nil
            var parts = AccountParts(
                settings: settings, clock: clock, logger: logger, store: environment.store, authority: authority,
                verifier: ProofVerifier(
                    verifiers: snapshot.verifiers, keys: proofKeys, opaque: opaque, clock: clock),
                clockSkew: snapshot.clockSkew, maxStaleness: snapshot.pipeline.maxStaleness,
                firebase: accounts, firebaseCookies: firebaseCookies, rating: CallRates(settings),
                events: AccountEvents(
                    verifier: EventVerifier(verifiers: snapshot.verifiers, keys: proofKeys, now: clock.now),
                    store: environment.store, clock: clock, logger: logger, auditLogger: logger.forAudit),
                securityEvents: securityEvents, flows: flows, auditLogger: logger.forAudit)
            parts.signIns = environment.signIns
            if settings.firebaseUsers != .separate, let accounts, let project = identity.firebase?.project {
                parts.firebaseUsers = FirebaseUsers(
                    project: project, usesAddresses: settings.firebaseUsers == .identityOrEmail, lookup: accounts)
            }
            parts.sessions = SessionReader(snapshot.verifiers)
            parts.callbacks = ProviderCallbacks(
                identity, store: environment.store, clock: clock, logger: logger, auditLogger: logger.forAudit)
            lookups.calls = Accounts(parts)
            consoleFlow = ConsoleFlow(parts)
            lookups.sessionUses = environment.sessionUses
            lookups.links = StoredLinks(
                environment.store, requiresListing: settings.firebaseUsers != .separate)
            lookups.linkGenerations = environment.store.linkGenerations
        } else {
            sessions = nil
            securityEvents = nil
            eventPolls = nil
            outbox = nil
            consoleFlow = nil
        }
        self.lookups = lookups
    }

    /// Starts fetching key sets and the first access tokens.
    func start() {
        accounts?.start()
        appTokens?.start()
        firebaseCookies?.start()
        eventPolls?.start()
        task.withLock { $0 = $0 ?? Task { [keys] in await keys.run() } }
    }

    /// Stops all fetches and lookups. Waiting requests are resolved without a result.
    func shutdown() async {
        await eventPolls?.stop()
        task.withLock { $0 }?.cancel()
        await opaqueTokens?.shutdown()
        await outbox?.shutdown()
        await flowClient?.shutdown()
        await accounts?.shutdown()
        await appTokens?.shutdown()
        await writeBack?.shutdown()
        await firebaseCookies?.shutdown()
    }

    /// Waits until each key set was fetched once, for at most `limit`. Requests wait for the missing ones.
    func resolve(within limit: Duration) async {
        let end = ContinuousClock.now + limit
        while ContinuousClock.now < end, keys.status().contains(where: { !$0.isLoaded && $0.lastError == nil }) {
            try? await Task.sleep(for: .milliseconds(10))
        }
    }
}

/// The gateway's credentials at Google, by their use. `nil` if the configuration needs none.
struct GoogleCredentials: Sendable {
    /// The credentials of the account lookups and of the write-back by project. Empty without both.
    let accounts: [String: GoogleCredential]
    let appCheck: GoogleCredential?
    /// The credentials for Firebase's session cookies by project. Empty without them.
    let sessionCookies: [String: GoogleCredential]

    /// Reads the credentials.
    init(of configuration: Configuration) throws(GatewayStartError) {
        let projects = configuration.identity.firebase?.projects ?? []
        do throws(ServiceAccount.Failure) {
            let settings = configuration.revocation.firebase ?? configuration.revocation.writeBack?.accounts
            var accounts: [String: GoogleCredential] = [:]
            for project in projects {
                accounts[project.id] = try GoogleCredential(of: settings?.settings(of: project))
            }
            self.accounts = accounts
        } catch {
            throw GatewayStartError(
                "\(error); revocation.source: firebase and write_back need a credential of Google")
        }
        do throws(ServiceAccount.Failure) {
            appCheck = try GoogleCredential(ofAppCheckIn: configuration)
        } catch {
            throw GatewayStartError("\(error); app_check_consume needs a credential of Google")
        }
        do throws(ServiceAccount.Failure) {
            var sessionCookies: [String: GoogleCredential] = [:]
            for project in projects {
                sessionCookies[project.id] = try GoogleCredential(
                    ofSessionCookiesIn: configuration, project: project)
            }
            self.sessionCookies = sessionCookies
        } catch {
            throw GatewayStartError("\(error); accounts.session_cookie: firebase needs a credential of Google")
        }
    }
}

extension FirebaseSessionCookies {
    /// Creates the creators of all projects. `nil` if the gateway creates no such cookies.
    fileprivate convenience init?(
        _ configuration: Configuration, credentials: [String: GoogleCredential], _ environment: GatewayEnvironment
    ) {
        guard let settings = configuration.accounts, let firebase = configuration.identity.firebase,
            !credentials.isEmpty
        else { return nil }
        let projects = firebase.projects.compactMap { project in
            credentials[project.id].map { credential in
                Project(
                    id: project.id, tenant: firebase.implicitTenant(of: project), credential: credential)
            }
        }
        self.init(
            url: settings.firebaseCookieURL(emulator: firebase.emulatorHost), projects: projects,
            group: environment.group, clock: environment.clock, logger: environment.logger)
    }
}

extension ProjectAccounts {
    /// Creates the lookups of all projects. `nil` without lookups.
    fileprivate convenience init?(
        _ configuration: Configuration, credentials: [String: GoogleCredential], _ environment: GatewayEnvironment
    ) {
        guard let settings = configuration.revocation.firebase, let firebase = configuration.identity.firebase,
            !credentials.isEmpty
        else { return nil }
        let listsNames = configuration.accounts.map { $0.firebaseUsers != .separate } ?? false
        var toolkits: [String: IdentityToolkit] = [:]
        for project in firebase.projects {
            guard let credential = credentials[project.id] else { continue }
            credential.log(to: environment.logger)
            toolkits[project.id] = IdentityToolkit(
                settings, project: project.id, tenant: firebase.implicitTenant(of: project), listsNames: listsNames,
                credential: credential, group: environment.group, clock: environment.clock, logger: environment.logger)
        }
        self.init(toolkits, first: firebase.project)
    }
}
