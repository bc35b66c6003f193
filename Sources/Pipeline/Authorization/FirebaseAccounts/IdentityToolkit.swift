package import GatewayConfiguration
package import GatewayCore
package import Logging
package import NIOCore
package import OutboundHTTP
package import Revocation
import Synchronization

/// The lookup of Firebase accounts at Identity Toolkit: it performs the actions of `AccountMachine`.
package final class IdentityToolkit: FirebaseNameLookup {
    private typealias Machine = AccountMachine<@Sendable (AccountStatus) -> Void>

    private static let messages = messages(failing: "Firebase accounts could not be looked up")
    private static let tokenMessages = messages(failing: "no access token to look up Firebase accounts")

    private let credential: GoogleCredential
    private let url: String
    private let project: String
    private let tenant: String?
    private let listsNames: Bool
    private let searches = Atomic<Int>(0)
    private let timeout: Duration
    private let source: String
    private let environment: LookupEnvironment
    private let host: MachineHost<Machine>

    /// Creates a lookup. It sends nothing before `start` or `look`. Call `shutdown` before releasing it.
    ///
    /// - Parameters:
    ///   - project: The Firebase project of the accounts.
    ///   - tenant: The tenant of the users whose key has none. `nil` for the project's own accounts.
    ///   - listsNames: Whether the names of the accounts are read.
    package convenience init(
        _ accounts: Configuration.FirebaseAccounts, project: String, tenant: String? = nil, listsNames: Bool = false,
        credential: GoogleCredential,
        group: any EventLoopGroup, clock: GatewayClock = .system, logger: Logger
    ) {
        let transport = OutboundHTTPClient(
            group: group, connections: AccountBounds.concurrency + 1, size: AccountLookup.sizeLimit,
            longest: accounts.timeout)
        self.init(
            accounts, project: project, tenant: tenant, listsNames: listsNames, credential: credential,
            environment: .live(transport, loop: group.next(), clock: clock, logger: logger))
    }

    init(
        _ accounts: Configuration.FirebaseAccounts, project: String, tenant: String? = nil, listsNames: Bool = false,
        credential: GoogleCredential,
        environment: LookupEnvironment
    ) {
        self.credential = credential
        url = accounts.lookupURL
        self.project = project
        self.tenant = tenant
        self.listsNames = listsNames
        timeout = accounts.timeout
        source = KeySource.name(of: accounts.lookupURL)
        self.environment = environment
        host = MachineHost(
            Machine(fetchLimit: GoogleCredential.fetchLimit(of: accounts.timeout)), environment: environment)
        if let other = credential.project, !other.utf8.elementsEqual(project.utf8) {
            environment.logger.warning(
                "the service account belongs to another project",
                metadata: ["project": "\(project)", "service_account_project": "\(other)"])
        }
    }

    /// Fetches the first access token, so that a rejected key is logged before the first request.
    package func start() {
        apply { machine, now in machine.start(now: now) }
    }

    package func lookUp(_ user: UserKey, notBefore: UInt64, completion: @escaping @Sendable (AccountStatus) -> Void) {
        let account = AccountName(uid: user.uid, tenant: user.tenant ?? tenant).bytes
        apply { machine, now in machine.lookUp(account, notBefore: notBefore, completion, now: now) }
    }

    package func find(
        _ name: FirebaseName, notBefore: UInt64, completion: @escaping @Sendable (AccountStatus) -> Void
    ) {
        guard searches.wrappingAdd(1, ordering: .relaxed).newValue <= AccountBounds.searches else {
            searches.wrappingSubtract(1, ordering: .relaxed)
            return completion(AccountStatus(state: .unavailable, queriedAt: notBefore))
        }
        let waiter: @Sendable (AccountStatus) -> Void = { status in
            self.searches.wrappingSubtract(1, ordering: .relaxed)
            completion(status)
        }
        let account = AccountName(name, tenant: tenant).bytes
        apply { machine, now in machine.lookUp(account, notBefore: notBefore, waiter, now: now) }
    }

    /// Resolves all waiters as unavailable, and closes the connections.
    package func shutdown() async {
        apply { machine, now in machine.stop(now: now) }
        await environment.transport.shutdown()
    }

    /// Returns the state of the lookups.
    package func status() -> LookupStatus {
        let now = environment.clock.monotonic()
        return host.read { $0.status(now: now) }
    }

    /// Whether there is an access token, so that the service account's key was accepted.
    var hasToken: Bool {
        let now = environment.clock.monotonic()
        return host.read { $0.hasToken(now: now) }
    }

    /// Handles deadlines that were reached.
    func tick() {
        apply { machine, now in machine.tick(now: now) }
    }
}

extension IdentityToolkit {
    private func apply(_ event: (inout Machine, UInt64) -> [Machine.Action]) {
        for action in host.apply(event, tick: { [weak self] in self?.tick() }) { perform(action) }
    }

    private func perform(_ action: Machine.Action) {
        switch action {
        case .fetchToken(let fetch): fetchToken(fetch)
        case .lookUp(let call, let uids, let token): lookUp(call, uids, token)
        case .resolve(let waiters, let status):
            for waiter in waiters { waiter(status) }
        case .log(let event): event.write(to: environment.logger, Self.messages, metadata: ["source": "\(source)"])
        case .logToken(let event):
            event.write(to: environment.logger, Self.tokenMessages, metadata: ["source": "\(source)"])
        }
    }

    private static func messages(failing: Logger.Message) -> LookupMessages {
        LookupMessages(
            failing: failing, recovered: "lookups of Firebase accounts have recovered",
            overloaded: "the limit of Firebase account lookups is exceeded")
    }

    private func fetchToken(_ fetch: Int) {
        credential.fetch(environment.transport, within: timeout, clock: environment.clock) {
            self.tokenCame($0, of: fetch)
        }
    }

    private func tokenCame(_ result: Result<AccessToken, LookupFailure>, of fetch: Int) {
        apply { machine, now in
            switch result {
            case .success(let token): machine.tokenArrived(token, of: fetch, now: now)
            case .failure(let failure): machine.tokenFailed(failure, of: fetch, now: now)
            }
        }
    }

    /// Looks up accounts of one tenant, either by uid or by name.
    private func lookUp(_ call: Int, _ accounts: [AccountName.Bytes], _ token: Secret) {
        let names = accounts.map(AccountName.init(bytes:))
        let lookup = AccountLookup(
            url: url, project: project, tenant: names.first?.tenant, quotaProject: credential.quotaProject)
        let queries = names.map(\.query)
        let listed = listsNames ? project : nil
        environment.transport.send(lookup.request(of: queries, token: token), within: timeout) {
            [environment] result in
            let statuses = result.flatMap {
                AccountLookup.read($0, about: queries, listing: listed, now: environment.clock.now())
            }
            let named = statuses.map { statuses in
                Dictionary(zip(accounts, queries).map { ($0, statuses[$1] ?? .unavailable) }, uniquingKeysWith: { $1 })
            }
            self.apply { machine, now in machine.completed(call, named, now: now) }
        }
    }
}
