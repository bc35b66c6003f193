import GatewayConfiguration
import GatewayCore
import JOSE
import OutboundHTTP

/// The calls to one provider about opaque tokens, as a pure value: who waits for which, how many run, how fast, and when none do.
struct ProviderLine<Asker: Sendable>: Sendable {
    enum Action: Sendable {
        /// Ask about the token; exactly one `end` follows.
        case ask(SHA256Digest, token: [UInt8])
        case tell([Asker], OpaqueVerdict)
        case log(OpaqueEvent)
    }

    /// One token that is asked about, or will be.
    private struct Call {
        /// Empty once it was sent.
        var token: [UInt8]
        var askers: [Asker]
        var startedAt: UInt64 = 0
    }

    let cacheFor: UInt64
    let cacheRefusedFor: UInt64
    private let concurrency: Int
    private var calls: [SHA256Digest: Call] = [:]
    private var queue = FairQueue<SHA256Digest, PeerNetwork>(limit: OpaqueBounds.waiting)
    private var rate: CallRate
    private var news = FailureNews()
    /// Whether the last answer or failure that concerned everybody was a failure.
    private var isShaken = false
    private var overflowTold: UInt64?
    private var askers = 0
    private(set) var pausedUntil: UInt64 = 0
    private(set) var running = 0
    private(set) var counters = OpaqueCounters()

    init(_ tokens: Configuration.Provider.OpaqueTokens) {
        cacheFor = tokens.cacheFor.nanoseconds
        cacheRefusedFor = tokens.cacheRefusedFor.nanoseconds
        concurrency = max(tokens.concurrency, 1)
        rate = CallRate(rate: tokens.rate)
    }

    var waiting: Int { queue.count }
    var failing: AskingFailure.Kind? { news.current }

    /// When a `tick` is needed; nil while nothing waits, or only answers can change anything.
    var deadline: UInt64? {
        guard let oldest = queue.oldest else { return nil }
        let tooLate = oldest &+ OpaqueBounds.patience
        return running < allowed ? min(tooLate, rate.nextAt) : tooLate
    }

    /// Counts a question that memory answered.
    mutating func hit() { counters.hits += 1 }
}

extension ProviderLine {
    /// Joins the call about the token, or puts one in the line.
    mutating func ask(
        _ token: [UInt8], key: SHA256Digest, for network: PeerNetwork, _ asker: Asker, now: UInt64
    ) -> [Action] {
        guard askers < OpaqueBounds.askers else { return overflow([asker], now: now) }
        guard calls[key] == nil else {
            calls[key]?.askers.append(asker)
            askers += 1
            counters.shared += 1
            return []
        }
        guard pausedUntil <= now else {
            counters.paused += 1
            return [.tell([asker], pausedVerdict(now: now))]
        }
        let actions = tick(now: now)
        return actions + enter(token, key, network, asker, now: now) + start(now: now, isNew: key)
    }

    /// A call ended with an answer that can be believed.
    mutating func end(_ key: SHA256Digest, with verdict: OpaqueVerdict, now: UInt64) -> [Action] {
        guard let call = finish(key) else { return [] }
        if case .accepted = verdict { counters.accepted += 1 } else { counters.refused += 1 }
        isShaken = false
        let recovery = news.succeeded().map { [Action.log(.recovered(failures: $0))] } ?? []
        return recovery + [.tell(call.askers, verdict)] + start(now: now)
    }

    /// A call failed.
    mutating func end(_ key: SHA256Digest, with failure: AskingFailure, now: UInt64) -> [Action] {
        guard let call = finish(key) else { return [] }
        counters.failed += 1
        let isNews = news.failed(failure, now: now)
        let log = isNews ? [Action.log(.failing(failure))] : []
        guard failure.concernsAll else {
            return log + [.tell(call.askers, Self.unavailable(failure, now: now))] + start(now: now)
        }
        isShaken = true
        let pause = failure.retryAfter.map { UInt64($0) * 1_000_000_000 } ?? OpaqueBounds.pause
        pausedUntil = max(pausedUntil, now &+ pause)
        return log + [.tell(call.askers + dismissWaiting(), pausedVerdict(now: now))]
    }

    /// When the call started; nil for one that does not run.
    func startOfCall(_ key: SHA256Digest) -> UInt64? {
        calls[key].flatMap { $0.token.isEmpty ? $0.startedAt : nil }
    }

    /// Starts what may start now, and ends what waited too long.
    mutating func tick(now: UInt64) -> [Action] {
        let late = now >= OpaqueBounds.patience ? queue.removeAll(enteredBy: now - OpaqueBounds.patience) : []
        let given = late.flatMap { take($0)?.askers ?? [] }
        return (given.isEmpty ? [] : overflow(given, now: now)) + start(now: now)
    }

    /// Ends everything: calls that run are nobody's from here on.
    mutating func stop(now: UInt64) -> [Action] {
        let waiting = calls.values.flatMap(\.askers)
        calls = [:]
        queue = FairQueue(limit: OpaqueBounds.waiting)
        (running, askers) = (0, 0)
        return waiting.isEmpty
            ? [] : [.tell(waiting, .unavailable(why: "the gateway stops", retryAfter: 1, until: now))]
    }

    /// That this one token has no verdict for now.
    static func unavailable(_ failure: AskingFailure, now: UInt64) -> OpaqueVerdict {
        .unavailable(why: failure.kind.rawValue, retryAfter: 1, until: now &+ OpaqueBounds.pause)
    }
}

extension ProviderLine {
    /// The most calls at a time: one while the provider fails, so that it is not stormed when its pause ends.
    private var allowed: Int { isShaken ? 1 : concurrency }

    private mutating func enter(
        _ token: [UInt8], _ key: SHA256Digest, _ network: PeerNetwork, _ asker: Asker, now: UInt64
    ) -> [Action] {
        switch queue.enter(key, of: network, now: now) {
        case .refused: return overflow([asker], now: now)
        case .admitted:
            add(key, token, asker)
            return []
        case .replaced(let evicted):
            let given = take(evicted)?.askers ?? []
            add(key, token, asker)
            return overflow(given, now: now)
        }
    }

    private mutating func add(_ key: SHA256Digest, _ token: [UInt8], _ asker: Asker) {
        calls[key] = Call(token: token, askers: [asker])
        askers += 1
    }

    private mutating func start(now: UInt64, isNew key: SHA256Digest? = nil) -> [Action] {
        var actions: [Action] = []
        while running < allowed, !queue.isEmpty, pausedUntil <= now, rate.take(now: now), let next = queue.next() {
            actions.append(.ask(next, token: calls[next]?.token ?? []))
            calls[next]?.token = []
            calls[next]?.startedAt = now
            running += 1
            counters.calls += 1
        }
        if let key, let call = calls[key], !call.token.isEmpty { counters.queued += 1 }
        return actions
    }

    private mutating func take(_ key: SHA256Digest) -> Call? {
        guard let call = calls.removeValue(forKey: key) else { return nil }
        askers -= call.askers.count
        return call
    }

    private mutating func finish(_ key: SHA256Digest) -> Call? {
        guard startOfCall(key) != nil else { return nil }
        running -= 1
        return take(key)
    }

    private mutating func dismissWaiting() -> [Asker] {
        let dismissed = queue.removeAll(enteredBy: .max).flatMap { take($0)?.askers ?? [] }
        counters.paused += UInt64(dismissed.count)
        return dismissed
    }

    private mutating func overflow(_ askers: [Asker], now: UInt64) -> [Action] {
        counters.overflowed += UInt64(askers.count)
        let verdict = OpaqueVerdict.unavailable(why: "too many wait", retryAfter: 1, until: now)
        let tell = Action.tell(askers, verdict)
        if let told = overflowTold, now < told &+ FailureNews.interval { return [tell] }
        overflowTold = now
        return [tell, .log(.overflowing)]
    }

    private func pausedVerdict(now: UInt64) -> OpaqueVerdict {
        let seconds = (pausedUntil - now + 999_999_999) / 1_000_000_000
        return .unavailable(
            why: news.current?.rawValue ?? "the provider is left alone", retryAfter: max(1, Int(seconds)),
            until: pausedUntil)
    }
}
