package import GatewayConfiguration
package import GatewayCore
package import Logging
package import NIOCore
import OutboundHTTP
package import Revocation

/// Asks Identity Toolkit about Firebase accounts: does what `AccountMachine` says.
package final class IdentityToolkit: AccountLookingUp {
    private typealias Asker = @Sendable (AccountStatus) -> Void
    private typealias Machine = AccountMachine<Asker>

    private let grant: AccessTokenGrant
    private let lookup: AccountLookup
    private let timeout: Duration
    private let source: String
    private let environment: AskingEnvironment
    private let host: MachineHost<Machine>

    /// Nobody is asked before `start` or `look`; `shutdown` must be called before it is let go.
    ///
    /// - Parameters:
    ///   - project: the Firebase project whose accounts count.
    ///   - tenant: the one of its tenants whose accounts they are; nil: the project's own.
    package convenience init(
        _ accounts: Configuration.FirebaseAccounts, project: String, tenant: String? = nil, account: ServiceAccount,
        group: any EventLoopGroup, clock: GatewayClock = .system, logger: Logger
    ) {
        let asker = HTTPAsker(
            group: group, connections: AccountBounds.concurrency + 1, size: AccountLookup.sizeLimit,
            longest: accounts.timeout)
        self.init(
            accounts, project: project, tenant: tenant, account: account,
            environment: .live(asker, loop: group.next(), clock: clock, logger: logger))
    }

    init(
        _ accounts: Configuration.FirebaseAccounts, project: String, tenant: String? = nil, account: ServiceAccount,
        environment: AskingEnvironment
    ) {
        grant = AccessTokenGrant(account: account)
        lookup = AccountLookup(url: accounts.lookupURL, project: project, tenant: tenant)
        timeout = accounts.timeout
        source = KeySource.name(of: accounts.lookupURL)
        self.environment = environment
        host = MachineHost(Machine(), environment: environment)
        if let other = account.project, !other.utf8.elementsEqual(project.utf8) {
            environment.logger.warning(
                "the service account belongs to another project",
                metadata: ["project": "\(project)", "service_account_project": "\(other)"])
        }
    }

    /// Asks for the first access token: whether the key is accepted shows in the log before the first request.
    package func start() {
        apply { machine, now in machine.start(now: now) }
    }

    package func look(_ user: UserKey, notBefore: UInt64, answer: @escaping @Sendable (AccountStatus) -> Void) {
        // The URL names the one tenant, or none: the configuration refuses lookups of several tenants' users.
        guard user.tenant == nil else { return answer(AccountStatus(answer: .unavailable, askedAt: notBefore)) }
        let uid = Array(user.uid.utf8)
        apply { machine, now in machine.look(uid, notBefore: notBefore, answer, now: now) }
    }

    /// Tells everybody who waits that there will be no answer, and closes the connections.
    package func shutdown() async {
        apply { machine, now in machine.stop(now: now) }
        await environment.asker.shutdown()
    }

    /// What operators may know.
    package func status() -> AccountLookupStatus {
        let now = environment.clock.monotonic()
        return host.read { machine in
            AccountLookupStatus(
                source: source, counters: machine.counters, hasToken: machine.hasToken(now: now),
                running: machine.running, waiting: machine.waiting, remembered: machine.remembered,
                failing: machine.failing, pausedFor: machine.pausedUntil > now ? machine.pausedUntil - now : 0)
        }
    }

    /// Lets the machine look at the time.
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
        case .fetchToken: fetchToken()
        case .lookUp(let call, let uids, let token): lookUp(call, uids, token)
        case .tell(let askers, let status):
            for asker in askers { asker(status) }
        case .log(let event): event.write(to: environment.logger, source: source)
        }
    }

    private func fetchToken() {
        guard let question = grant.question(now: environment.clock.now()) else {
            return tokenCame(.failure(AskingFailure(.ownCredentials, "the grant could not be signed")))
        }
        environment.asker.ask(question, within: timeout) { [environment] result in
            self.tokenCame(result.flatMap { AccessTokenGrant.read($0, now: environment.clock.now()) })
        }
    }

    private func tokenCame(_ result: Result<AccessToken, AskingFailure>) {
        apply { machine, now in
            switch result {
            case .success(let token): machine.tokenArrived(token, now: now)
            case .failure(let failure): machine.tokenFailed(failure, now: now)
            }
        }
    }

    private func lookUp(_ call: Int, _ uids: [AccountLookup.UID], _ token: Secret) {
        environment.asker.ask(lookup.question(uids, token: token), within: timeout) { [environment] result in
            let answers = result.flatMap { AccountLookup.read($0, about: uids, now: environment.clock.now()) }
            self.apply { machine, now in machine.answered(call, answers, now: now) }
        }
    }
}
