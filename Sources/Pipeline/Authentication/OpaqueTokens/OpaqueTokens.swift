package import GatewayConfiguration
package import GatewayCore
package import JOSE
package import Logging
package import NIOCore
import OutboundHTTP

/// Asks providers about opaque tokens: does what `OpaqueMachine` says.
package final class OpaqueTokens: OpaqueTokenChecking {
    private typealias Asker = @Sendable (OpaqueVerdict) -> Void
    private typealias Machine = OpaqueMachine<Asker>

    private let providers: [(check: any TokenCheck, tokens: Configuration.Provider.OpaqueTokens)]
    private let environment: AskingEnvironment
    private let clockSkew: Int64
    private let host: MachineHost<Machine>

    /// Nobody is asked before `check`. `shutdown` must be called before it is let go.
    ///
    /// - Parameters:
    ///   - providers: those without opaque tokens are passed over; a place among the others is the number that `check` takes.
    ///   - clockSkew: how far an answer's times may lie in the future.
    package convenience init(
        _ providers: [Configuration.Provider], clockSkew: Duration, group: any EventLoopGroup,
        clock: GatewayClock = .system, logger: Logger
    ) {
        let opaque = providers.compactMap(\.opaqueTokens)
        let asker = HTTPAsker(
            group: group, connections: opaque.map(\.concurrency).max() ?? 1,
            longest: opaque.map(\.timeout).max() ?? .seconds(5))
        self.init(
            providers, clockSkew: clockSkew,
            environment: .live(asker, loop: group.next(), clock: clock, logger: logger))
    }

    init(_ providers: [Configuration.Provider], clockSkew: Duration, environment: AskingEnvironment) {
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
        answer: @escaping @Sendable (OpaqueVerdict) -> Void
    ) {
        apply { machine, now in
            machine.ask(token, key: key, provider: provider, for: network, answer, now: now)
        }
    }

    /// Tells everybody who waits that there will be no answer, and closes the connections.
    package func shutdown() async {
        apply { machine, now in machine.stop(now: now) }
        await environment.asker.shutdown()
    }

    /// What operators may know, in the order of the providers.
    package func status() -> [OpaqueStatus] {
        let now = environment.clock.monotonic()
        return host.read { machine in
            providers.enumerated().map { place, provider in
                let line = machine.line(place)
                return OpaqueStatus(
                    provider: provider.check.provider, source: KeySource.name(of: provider.tokens.url),
                    counters: line.counters, running: line.running, waiting: line.waiting, failing: line.failing,
                    pausedFor: line.pausedUntil > now ? line.pausedUntil - now : 0)
            }
        }
    }

    /// How much is remembered.
    var memory: OpaqueMemory { host.read { $0.memory } }

    /// Lets the machine look at the time.
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
        case .ask(let provider, let key, let token): ask(about: token, key, provider)
        case .tell(let askers, let verdict):
            for asker in askers { asker(verdict) }
        case .log(let provider, let event):
            let (check, tokens) = providers[provider]
            event.write(
                to: environment.logger, provider: check.provider, source: KeySource.name(of: tokens.url))
        }
    }

    private func ask(about token: [UInt8], _ key: SHA256Digest, _ provider: Int) {
        let (check, tokens) = providers[provider]
        environment.asker.ask(check.question(about: token), within: tokens.timeout) { result in
            self.answered(result, key, provider)
        }
    }

    private func answered(_ result: Result<HTTPReply, AskingFailure>, _ key: SHA256Digest, _ provider: Int) {
        let judgement: Judgement
        switch result {
        case .success(let reply):
            judgement = ProvenAnswer.judge(
                reply, by: providers[provider].check, now: environment.clock.now(), clockSkew: clockSkew)
        case .failure(let failure): judgement = .failed(failure)
        }
        let wall = environment.clock.milliseconds()
        apply { machine, now in
            machine.answered(
                judgement, provider: provider, key: key, at: OpaqueMoment(monotonic: now, wall: wall))
        }
    }
}
