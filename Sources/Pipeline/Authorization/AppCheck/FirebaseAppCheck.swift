package import Authentication
package import GatewayConfiguration
package import GatewayCore
package import Logging
package import NIOCore
package import OutboundHTTP

/// The consumer of App Check tokens at Firebase: it performs the actions of `ConsumptionMachine`.
package final class FirebaseAppCheck: AppTokenConsumer {
    private typealias Machine = ConsumptionMachine<@Sendable (AppTokenUse) -> Void>

    private static let messages = messages(failing: "an App Check token could not be consumed")
    private static let tokenMessages = messages(failing: "no access token to consume App Check tokens")

    private let credential: GoogleCredential
    private let consumption: AppTokenConsumption
    private let timeout: Duration
    private let source: String
    private let environment: LookupEnvironment
    private let host: MachineHost<Machine>

    /// Creates a consumer. It sends nothing before `start` or `consume`. Call `shutdown` before releasing it.
    package convenience init(
        _ appCheck: Configuration.AppCheck, credential: GoogleCredential, group: any EventLoopGroup,
        clock: GatewayClock = .system, logger: Logger
    ) {
        // A repeated call could find the token consumed by the first one.
        let transport = OutboundHTTPClient(
            group: group, connections: ConsumptionBounds.concurrency + 1, longest: appCheck.consumeTimeout,
            retriesClosed: false)
        self.init(
            appCheck, credential: credential,
            environment: .live(transport, loop: group.next(), clock: clock, logger: logger))
    }

    init(_ appCheck: Configuration.AppCheck, credential: GoogleCredential, environment: LookupEnvironment) {
        self.credential = credential
        consumption = AppTokenConsumption(
            url: appCheck.consumeURL, projectNumber: appCheck.projectNumber, quotaProject: credential.quotaProject)
        timeout = appCheck.consumeTimeout
        source = KeySource.name(of: appCheck.consumeURL)
        self.environment = environment
        host = MachineHost(
            Machine(fetchLimit: GoogleCredential.fetchLimit(of: appCheck.consumeTimeout)), environment: environment)
    }

    /// Fetches the first access token, so that a rejected key is logged before the first request.
    package func start() {
        apply { machine, now in machine.start(now: now) }
    }

    package func consume(
        _ token: [UInt8], for network: PeerNetwork, completion: @escaping @Sendable (AppTokenUse) -> Void
    ) {
        apply { machine, now in machine.consume(token, for: network, completion, now: now) }
    }

    /// Resolves all waiters as unavailable, and closes the connections.
    package func shutdown() async {
        apply { machine, _ in machine.stop() }
        await environment.transport.shutdown()
    }

    /// Returns the state of the calls.
    package func status() -> LookupStatus {
        let now = environment.clock.monotonic()
        return host.read { $0.status(now: now) }
    }

    /// Handles deadlines that were reached.
    func tick() {
        apply { machine, now in machine.tick(now: now) }
    }
}

extension FirebaseAppCheck {
    private func apply(_ event: (inout Machine, UInt64) -> [Machine.Action]) {
        for action in host.apply(event, tick: { [weak self] in self?.tick() }) { perform(action) }
    }

    private func perform(_ action: Machine.Action) {
        switch action {
        case .fetchToken(let fetch): fetchToken(fetch)
        case .consume(let call, let appToken, let token): consume(call, appToken, token)
        case .resolve(let waiters, let use):
            for waiter in waiters { waiter(use) }
        case .log(let event): event.write(to: environment.logger, Self.messages, metadata: ["source": "\(source)"])
        case .logToken(let event):
            event.write(to: environment.logger, Self.tokenMessages, metadata: ["source": "\(source)"])
        }
    }

    private static func messages(failing: Logger.Message) -> LookupMessages {
        LookupMessages(
            failing: failing, recovered: "the consumption of App Check tokens has recovered",
            overloaded: "the limit of consumed App Check tokens is exceeded")
    }

    private func fetchToken(_ fetch: Int) {
        credential.fetch(environment.transport, scope: .firebase, within: timeout, clock: environment.clock) { result in
            self.apply { machine, now in
                switch result {
                case .success(let token): machine.tokenArrived(token, of: fetch, now: now)
                case .failure(let failure): machine.tokenFailed(failure, of: fetch, now: now)
                }
            }
        }
    }

    private func consume(_ call: Int, _ appToken: [UInt8], _ token: Secret) {
        environment.transport.send(consumption.request(appToken, token: token), within: timeout) {
            [environment] result in
            let use = result.flatMap { AppTokenConsumption.read($0, now: environment.clock.now()) }
            self.apply { machine, now in machine.completed(call, use, now: now) }
        }
    }
}
