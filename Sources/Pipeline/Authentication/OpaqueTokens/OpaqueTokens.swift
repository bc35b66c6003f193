package import GatewayConfiguration
package import GatewayCore
package import JOSE
package import Logging
package import NIOCore
package import OutboundHTTP

/// The introspection of opaque tokens: it performs the actions of `OpaqueMachine`.
package final class OpaqueTokens: OpaqueTokenChecking {
    private typealias Machine = OpaqueMachine<@Sendable (OpaqueVerdict) -> Void>

    private static let messages = LookupMessages(
        failing: "an opaque token could not be introspected",
        misconfigured: "opaque tokens cannot be introspected; check the provider's configuration",
        recovered: "introspection of opaque tokens has recovered",
        overloaded: "the limit of opaque token introspections is exceeded")

    private let providers: [(check: any TokenCheck, tokens: Configuration.Provider.OpaqueTokens)]
    private let environment: LookupEnvironment
    private let clockSkew: Int64
    private let host: MachineHost<Machine>

    /// Creates an introspector. It sends nothing before `check`. Call `shutdown` before releasing it.
    ///
    /// - Parameters:
    ///   - providers: Providers without opaque tokens are skipped. `check` takes an index of the remaining ones.
    ///   - clockSkew: The tolerance for times of a response in the future.
    package convenience init(
        _ providers: [Configuration.Provider], clockSkew: Duration, group: any EventLoopGroup,
        clock: GatewayClock = .system, logger: Logger
    ) {
        let opaque = providers.compactMap(\.opaqueTokens)
        let transport = OutboundHTTPClient(
            group: group, connections: opaque.map(\.concurrency).max() ?? 1,
            longest: opaque.map(\.timeout).max() ?? .seconds(5))
        self.init(
            providers, clockSkew: clockSkew,
            environment: .live(transport, loop: group.next(), clock: clock, logger: logger))
    }

    init(_ providers: [Configuration.Provider], clockSkew: Duration, environment: LookupEnvironment) {
        self.providers = providers.compactMap { provider in
            guard let check = provider.tokenCheck, let tokens = provider.opaqueTokens else { return nil }
            return (check, tokens)
        }
        self.environment = environment
        self.clockSkew = clockSkew.components.seconds
        host = MachineHost(OpaqueMachine(self.providers.map(\.tokens)), environment: environment)
    }

    package func check(
        _ token: [UInt8], key: SHA256Digest, provider: Int, for network: PeerNetwork,
        completion: @escaping @Sendable (OpaqueVerdict) -> Void
    ) {
        apply { machine, now in
            machine.query(token, key: key, provider: provider, for: network, completion, now: now)
        }
    }

    /// Resolves all waiters without a verdict, and closes the connections.
    package func shutdown() async {
        apply { machine, now in machine.stop(now: now) }
        await environment.transport.shutdown()
    }

    /// Returns the state of the calls, in the order of the providers.
    package func status() -> [LookupStatus] {
        let now = environment.clock.monotonic()
        return host.read { machine in
            providers.enumerated().map { place, provider in
                var status = machine.status(of: place, now: now)
                status.provider = provider.check.provider
                return status
            }
        }
    }

    /// The number of cached verdicts.
    var remembered: (accepted: Int, refused: Int) { host.read { $0.remembered } }

    /// Handles deadlines that were reached.
    func tick() {
        apply { machine, now in machine.tick(now: now) }
    }
}

extension OpaqueTokens {
    private func apply(_ event: (inout Machine, UInt64) -> [Machine.Action]) {
        for action in host.apply(event, tick: { [weak self] in self?.tick() }) { perform(action) }
    }

    private func perform(_ action: Machine.Action) {
        switch action {
        case .query(let provider, let call, let token): query(token, call, provider)
        case .resolve(let waiters, let verdict):
            for waiter in waiters { waiter(verdict) }
        case .log(let provider, let event):
            let (check, tokens) = providers[provider]
            event.write(
                to: environment.logger, Self.messages,
                metadata: ["provider": "\(check.provider)", "source": "\(KeySource.name(of: tokens.url))"])
        }
    }

    private func query(_ token: [UInt8], _ call: Int, _ provider: Int) {
        let (check, tokens) = providers[provider]
        environment.transport.send(check.request(about: token), within: tokens.timeout) { result in
            self.completed(result, call, provider)
        }
    }

    private func completed(_ result: Result<OutboundResponse, LookupFailure>, _ call: Int, _ provider: Int) {
        let judgement: Judgement
        switch result {
        case .success(let response):
            judgement = ProvenResponse.judge(
                response, by: providers[provider].check, now: environment.clock.now(), clockSkew: clockSkew)
        case .failure(let failure): judgement = .failed(failure)
        }
        let wall = environment.clock.milliseconds()
        apply { machine, now in
            machine.completed(
                judgement, provider: provider, call: call, at: ClockTimes(monotonic: now, wall: wall))
        }
    }
}
