import GatewayConfiguration
import GatewayCore
import JOSE
import OutboundHTTP

/// What is asked about opaque tokens and what is known of them, for all providers, as a pure value: events in, actions out.
struct OpaqueMachine<Asker: Sendable>: TimedMachine {
    enum Action: Sendable {
        /// Ask a provider about a token; exactly one `answered` follows.
        case ask(provider: Int, key: SHA256Digest, token: [UInt8])
        case tell([Asker], OpaqueVerdict)
        case log(provider: Int, OpaqueEvent)
    }

    private var lines: [ProviderLine<Asker>]
    private var verdicts = VerdictTable()
    private var isStopped = false

    init(_ providers: [Configuration.Provider.OpaqueTokens]) {
        lines = providers.map(ProviderLine.init)
    }

    var memory: OpaqueMemory { OpaqueMemory(accepted: verdicts.acceptedCount, refused: verdicts.refusedCount) }

    func line(_ provider: Int) -> ProviderLine<Asker> { lines[provider] }

    /// When a `tick` is needed.
    var deadline: UInt64? { lines.compactMap(\.deadline).min() }

    /// Somebody wants to know about a token.
    mutating func ask(
        _ token: [UInt8], key: SHA256Digest, provider: Int, for network: PeerNetwork, _ asker: Asker, now: UInt64
    ) -> [Action] {
        guard !isStopped, lines.indices.contains(provider) else {
            return [.tell([asker], .unavailable(why: "the gateway stops", retryAfter: 1, until: now))]
        }
        guard OpaqueToken.isWellFormed(token) else {
            let failure = VerificationFailure(code: .invalidIDToken, reason: .notOpaqueToken)
            return [.tell([asker], .refused(failure, until: now &+ lines[provider].cacheRefusedFor))]
        }
        if let known = verdicts.verdict(for: VerdictTable.Key(provider: provider, token: key), now: now) {
            lines[provider].hit()
            return [.tell([asker], known)]
        }
        return named(provider, lines[provider].ask(token, key: key, for: network, asker, now: now))
    }

    /// A call ended.
    mutating func answered(
        _ judgement: Judgement, provider: Int, key: SHA256Digest, at moment: OpaqueMoment
    ) -> [Action] {
        guard let startedAt = lines[provider].startOfCall(key) else { return [] }
        let now = moment.monotonic
        let place = VerdictTable.Key(provider: provider, token: key)
        let verdict: OpaqueVerdict
        switch judgement {
        case .accepted(let identity):
            let end = moment.monotonic(of: identity.expiresAt)
            verdict = .accepted(identity, freshUntil: min(startedAt &+ lines[provider].cacheFor, end))
        case .refused(let failure):
            verdict = .refused(failure, until: startedAt &+ lines[provider].cacheRefusedFor)
        case .failed(let failure):
            if !failure.concernsAll {
                verdicts.keep(ProviderLine<Asker>.unavailable(failure, now: now), for: place, now: now)
            }
            return named(provider, lines[provider].end(key, with: failure, now: now))
        }
        verdicts.keep(verdict, for: place, now: now)
        return named(provider, lines[provider].end(key, with: verdict, now: now))
    }

    /// The deadline has come.
    mutating func tick(now: UInt64) -> [Action] {
        lines.indices.flatMap { named($0, lines[$0].tick(now: now)) }
    }

    /// Everybody who waits is told that there will be no answer, and so is who asks later.
    mutating func stop(now: UInt64) -> [Action] {
        isStopped = true
        return lines.indices.flatMap { named($0, lines[$0].stop(now: now)) }
    }

    private func named(_ provider: Int, _ actions: [ProviderLine<Asker>.Action]) -> [Action] {
        actions.map { action in
            switch action {
            case .ask(let key, let token): .ask(provider: provider, key: key, token: token)
            case .tell(let askers, let verdict): .tell(askers, verdict)
            case .log(let event): .log(provider: provider, event)
            }
        }
    }
}
