import GatewayConfiguration
import GatewayCore
import JOSE
import OutboundHTTP

/// A time on both clocks.
struct ClockTimes {
    /// Nanoseconds, for delays.
    var monotonic: UInt64
    /// Milliseconds since 1970, for the expiry of tokens.
    var wall: Int64

    /// Returns `expiresAt` on the monotonic clock.
    func monotonic(of expiresAt: UnixTime) -> UInt64 {
        let left = expiresAt.milliseconds(after: wall)
        guard left < 1 << 40 else { return .max }
        return left <= 0 ? monotonic : monotonic &+ UInt64(left) &* 1_000_000
    }
}

/// The introspection calls of one provider, and the lifetimes of their results.
struct IntrospectionQueue<Waiter: Sendable>: Sendable {
    /// Nanoseconds.
    let cacheFor: UInt64
    let cacheRefusedFor: UInt64
    var flights: LookupFlights<SHA256Digest, Waiter>

    init(_ tokens: Configuration.Provider.OpaqueTokens) {
        cacheFor = tokens.cacheFor.nanoseconds
        cacheRefusedFor = tokens.cacheRefusedFor.nanoseconds
        flights = LookupFlights(LookupLimits(concurrency: tokens.concurrency, waiting: 1024, rate: tokens.rate))
    }
}

/// The introspection of opaque tokens by all providers, as a pure value: events in, actions out.
struct OpaqueMachine<Waiter: Sendable>: TimedMachine {
    enum Action: Sendable {
        /// Query a provider about a token; exactly one `answered` with the call's number follows.
        case query(provider: Int, call: Int, token: [UInt8])
        case resolve([Waiter], OpaqueVerdict)
        case log(provider: Int, LookupEvent)
    }

    private var queues: [IntrospectionQueue<Waiter>]
    private var verdicts = VerdictTable()
    private var isStopped = false

    init(_ providers: [Configuration.Provider.OpaqueTokens]) {
        queues = providers.map { IntrospectionQueue($0) }
    }

    /// The number of cached verdicts, for all providers together.
    var remembered: (accepted: Int, refused: Int) { (verdicts.acceptedCount, verdicts.refusedCount) }

    func status(of provider: Int, now: UInt64) -> LookupStatus { queues[provider].flights.status(now: now) }

    var deadline: UInt64? { queues.compactMap(\.flights.deadline).min() }

    /// Returns the cached verdict on a token, or queries its provider.
    mutating func query(
        _ token: [UInt8], key: SHA256Digest, provider: Int, for network: PeerNetwork, _ waiter: Waiter, now: UInt64
    ) -> [Action] {
        guard !isStopped, queues.indices.contains(provider) else { return [.resolve([waiter], .stopped(now: now))] }
        guard OpaqueToken.isWellFormed(token) else {
            let failure = VerificationFailure(code: .invalidIDToken, reason: .notOpaqueToken)
            return [.resolve([waiter], .refused(failure, until: now &+ queues[provider].cacheRefusedFor))]
        }
        if let known = verdicts.verdict(for: VerdictTable.Key(provider: provider, token: key), now: now) {
            queues[provider].flights.counters.hits += 1
            return [.resolve([waiter], known)]
        }
        let due = tick(provider, now: now)
        let entered = queues[provider].flights.enter(key, payload: token, of: network, waiter, now: now)
        return due + actions(entered, provider, now: now) + start(provider, now: now)
    }

    /// Handles the result of a call.
    mutating func completed(_ judgement: Judgement, provider: Int, call: Int, at moment: ClockTimes) -> [Action] {
        guard let call = queues[provider].flights.finish(call), let token = call.keys.first else { return [] }
        let now = moment.monotonic
        let (verdict, isKept, done) = conclude(judgement, provider, startedAt: call.startedAt, at: moment)
        if isKept { verdicts.keep(verdict, for: VerdictTable.Key(provider: provider, token: token), now: now) }
        return actions(done, provider, now: now) + [.resolve(call.allWaiters, verdict)] + start(provider, now: now)
    }

    mutating func tick(now: UInt64) -> [Action] {
        queues.indices.flatMap { tick($0, now: now) }
    }

    /// Resolves all current and later waiters without a verdict.
    mutating func stop(now: UInt64) -> [Action] {
        isStopped = true
        let waiters = queues.indices.flatMap { queues[$0].flights.stop() }
        return waiters.isEmpty ? [] : [.resolve(waiters, .stopped(now: now))]
    }
}

extension OpaqueMachine {
    private typealias FlightAction = LookupFlights<SHA256Digest, Waiter>.Action

    /// Returns the verdict of a call, and whether it is cached. While the breaker is open, all tokens have the same
    /// verdict.
    private mutating func conclude(
        _ judgement: Judgement, _ provider: Int, startedAt: UInt64, at moment: ClockTimes
    ) -> (OpaqueVerdict, isKept: Bool, [FlightAction]) {
        let now = moment.monotonic
        switch judgement {
        case .accepted(let identity):
            queues[provider].flights.counters.accepted += 1
            let end = min(startedAt &+ queues[provider].cacheFor, moment.monotonic(of: identity.expiresAt))
            return (.accepted(identity, freshUntil: end), true, queues[provider].flights.succeeded())
        case .refused(let failure):
            queues[provider].flights.counters.refused += 1
            let verdict = OpaqueVerdict.refused(failure, until: startedAt &+ queues[provider].cacheRefusedFor)
            return (verdict, true, queues[provider].flights.succeeded())
        case .failed(let failure):
            let done = queues[provider].flights.failed(failure, opensBreaker: failure.concernsAll, now: now)
            guard !failure.concernsAll else { return (OpaqueVerdict(queues[provider].flights.pause, now), false, done) }
            return (.unavailable(failure.kind.rawValue, until: now &+ CircuitBreaker.pause, now: now), true, done)
        }
    }

    private mutating func tick(_ provider: Int, now: UInt64) -> [Action] {
        let expired = queues[provider].flights.expire(now: now)
        return actions(expired, provider, now: now) + start(provider, now: now)
    }

    private mutating func start(_ provider: Int, now: UInt64) -> [Action] {
        var actions: [Action] = []
        while let call = queues[provider].flights.next(now: now) {
            actions.append(.query(provider: provider, call: call.number, token: call.payloads.first ?? []))
        }
        return actions
    }

    private func actions(_ actions: [FlightAction], _ provider: Int, now: UInt64) -> [Action] {
        actions.map { action in
            switch action {
            case .reject(let waiters, let rejection): .resolve(waiters, OpaqueVerdict(rejection, now))
            case .log(let event): .log(provider: provider, event)
            }
        }
    }
}

extension OpaqueVerdict {
    /// Creates an unavailable verdict until `retry`, in monotonic nanoseconds.
    fileprivate static func unavailable(_ why: String, until retry: UInt64, now: UInt64) -> OpaqueVerdict {
        let seconds = retry > now ? (retry - now - 1) / 1_000_000_000 + 1 : 0
        return .unavailable(why: why, retryAfter: max(1, Int(seconds)), until: retry)
    }

    fileprivate static func stopped(now: UInt64) -> OpaqueVerdict {
        .unavailable("the gateway is stopping", until: now, now: now)
    }

    fileprivate init(_ rejection: LookupRejection, _ now: UInt64) {
        self =
            switch rejection {
            case .overloaded: .unavailable("too many requests wait", until: now, now: now)
            case .paused(let kind, let time):
                .unavailable(kind?.rawValue ?? "calls to the provider are paused", until: time, now: now)
            }
    }
}
