import GatewayCore
import OutboundHTTP

/// What is asked about Firebase accounts and what is known of them, as a pure value: events in, actions out.
struct AccountMachine<Asker: Sendable>: TimedMachine {
    typealias UID = AccountLookup.UID

    enum Action: Sendable {
        /// Fetch an access token; exactly one `tokenArrived` or `tokenFailed` follows.
        case fetchToken
        /// Look up; exactly one `answered` with the call's number follows.
        case lookUp(Int, [UID], token: Secret)
        case tell([Asker], AccountStatus)
        case log(AccountEvent)
    }

    /// A call that runs, or that must be made again.
    private struct Batch: Sendable {
        var uids: [UID]
        var askers: [UID: [Asker]]
        var askedAt: UInt64 = 0
        /// Which access token it was sent with.
        var token = 0
        /// Whether it was sent already with a token that was not accepted.
        var wasRefused = false
    }

    private var known: BoundedTable<UID, AccountStatus>
    private var queue = AccountQueue<Asker>()
    private var batches: [Int: Batch] = [:]
    /// To be sent before what waits; the last first.
    private var again: [Batch] = []
    private var nextCall = 0
    private var access = AccessTokenState()
    private var tokenAskedAt: UInt64 = 0
    private var news = FailureNews()
    private var tokenNews = FailureNews()
    private var overflowTold: UInt64?
    private var askers = 0
    private var refusedAlone = 0
    private var isShaken = false
    private var isStopped = false
    private(set) var pausedUntil: UInt64 = 0
    private(set) var counters = AccountCounters()

    /// - Parameter remembered: the most accounts whose status is kept.
    init(remembered: Int = AccountBounds.remembered) {
        known = BoundedTable(limit: remembered)
    }

    var running: Int { batches.count }
    var waiting: Int { queue.count + again.reduce(0) { $0 + $1.uids.count } }
    var remembered: Int { known.count }
    var failing: AskingFailure.Kind? { tokenNews.current ?? news.current }

    func hasToken(now: UInt64) -> Bool { access.usable(now: now) != nil }

    /// When a `tick` is needed; nil while only answers can change anything.
    var deadline: UInt64? { queue.oldest.map { $0 &+ AccountBounds.patience } }
}

extension AccountMachine {
    /// Fetches the first access token, so that no request waits for it.
    mutating func start(now: UInt64) -> [Action] {
        isStopped ? [] : fetchToken(now: now)
    }

    /// Somebody wants to know of an account, as it was at `notBefore` or later.
    mutating func look(_ uid: UID, notBefore: UInt64, _ asker: Asker, now: UInt64) -> [Action] {
        if let status = known[uid], status.askedAt >= notBefore {
            counters.hits += 1
            return [.tell([asker], status)]
        }
        guard !isStopped, pausedUntil <= now else {
            counters.paused += 1
            return [.tell([asker], AccountStatus(answer: .unavailable, askedAt: now))]
        }
        guard askers < AccountBounds.askers else { return overflow([asker], now: now) }
        if join(uid, notBefore, asker) {
            askers += 1
            counters.shared += 1
            return []
        }
        let actions = tick(now: now)
        guard queue.count < AccountBounds.waiting else { return actions + overflow([asker], now: now) }
        queue.enter(uid, asker, now: now)
        askers += 1
        return actions + send(now: now)
    }

    mutating func tokenArrived(_ token: AccessToken, now: UInt64) -> [Action] {
        guard access.isFetching, !isStopped else { return [] }
        access.arrived(token, asked: tokenAskedAt)
        return recovery(tokenNews.succeeded()) + send(now: now)
    }

    /// Without a token nothing can be asked; while an old one counts, only its renewal waits.
    mutating func tokenFailed(_ failure: AskingFailure, now: UInt64) -> [Action] {
        guard access.isFetching, !isStopped else { return [] }
        access.failed(nextFetchAt: now &+ Self.pause(after: failure))
        let log = tokenNews.failed(failure, now: now) ? [Action.log(.noToken(failure))] : []
        return log + (hasToken(now: now) ? send(now: now) : pause(failure, now: now))
    }

    mutating func answered(
        _ call: Int, _ result: Result<[UID: AccountStatus.Answer], AskingFailure>, now: UInt64
    ) -> [Action] {
        guard var batch = batches.removeValue(forKey: call) else { return [] }
        switch result {
        case .success(let answers): return accept(answers, batch, now: now)
        case .failure(let failure) where failure.kind == .ownCredentials && !batch.wasRefused:
            access.refused(batch.token)
            batch.wasRefused = true
            again.append(batch)
            return send(now: now)
        case .failure(let failure): return fail(failure, batch, now: now)
        }
    }

    /// Ends what waited too long, and sends what can be sent.
    mutating func tick(now: UInt64) -> [Action] {
        let patience = AccountBounds.patience
        let late = now >= patience ? queue.removeAll(enteredBy: now - patience) : []
        askers -= late.count
        return (late.isEmpty ? [] : overflow(late, now: now)) + send(now: now)
    }

    /// Everybody who waits is told that there will be no answer, and so is who asks later.
    mutating func stop(now: UInt64) -> [Action] {
        isStopped = true
        let waiting = dismissWaiting() + batches.values.flatMap { $0.askers.values.joined() }
        batches = [:]
        askers = 0
        return waiting.isEmpty ? [] : [.tell(waiting, AccountStatus(answer: .unavailable, askedAt: now))]
    }
}

extension AccountMachine {
    /// The most calls at a time: one after a failure, so that there is no storm when the pause ends.
    private var allowed: Int { isShaken ? 1 : AccountBounds.concurrency }

    /// Joins a call that runs and was asked late enough, or the wait for one.
    private mutating func join(_ uid: UID, _ notBefore: UInt64, _ asker: Asker) -> Bool {
        for (call, batch) in batches where batch.askedAt >= notBefore && batch.askers[uid] != nil {
            batches[call]?.askers[uid]?.append(asker)
            return true
        }
        return queue.join(uid, asker)
    }

    private mutating func fetchToken(now: UInt64) -> [Action] {
        guard access.beginFetch(now: now) else { return [] }
        tokenAskedAt = now
        counters.tokens += 1
        return [.fetchToken]
    }

    private mutating func send(now: UInt64) -> [Action] {
        guard !queue.isEmpty || !again.isEmpty, pausedUntil <= now, !isStopped else { return [] }
        var actions = fetchToken(now: now)
        guard let token = access.usable(now: now) else { return actions }
        while batches.count < allowed, var batch = nextBatch() {
            batch.askedAt = now
            batch.token = token.number
            nextCall += 1
            batches[nextCall] = batch
            counters.calls += 1
            counters.accounts += UInt64(batch.uids.count)
            actions.append(.lookUp(nextCall, batch.uids, token: token.value))
        }
        return actions
    }

    private mutating func nextBatch() -> Batch? {
        if let batch = again.popLast() { return batch }
        let taken = queue.take(AccountBounds.batch)
        guard !taken.isEmpty else { return nil }
        return Batch(uids: taken.map(\.uid), askers: Dictionary(taken.map { ($0.uid, $0.askers) }) { $0 + $1 })
    }

    private mutating func accept(
        _ answers: [UID: AccountStatus.Answer], _ batch: Batch, now: UInt64
    ) -> [Action] {
        isShaken = false
        refusedAlone = 0
        var actions = recovery(news.succeeded())
        for uid in batch.uids {
            let status = AccountStatus(answer: answers[uid] ?? .unavailable, askedAt: batch.askedAt)
            remember(status, of: uid)
            actions.append(tell(batch.askers[uid] ?? [], status))
        }
        return actions + send(now: now)
    }

    /// A call that was sent later may have been answered sooner: the later one is known then. What is not known is asked again.
    private mutating func remember(_ status: AccountStatus, of uid: UID) {
        guard status.answer != .unavailable, (known[uid]?.askedAt ?? 0) <= status.askedAt else { return }
        known.set(status, for: uid)
    }

    private mutating func fail(_ failure: AskingFailure, _ batch: Batch, now: UInt64) -> [Action] {
        counters.failed += 1
        let log = news.failed(failure, now: now) ? [Action.log(.failing(failure))] : []
        let mayBeOfOne = !failure.concernsAll || failure.kind == .tooLarge
        if mayBeOfOne, batch.uids.count > 1 {
            again += Self.halves(of: batch)
            return log + send(now: now)
        }
        let told = tell(batch.askers.values.flatMap { $0 }, AccountStatus(answer: .unavailable, askedAt: batch.askedAt))
        refusedAlone += 1
        guard !mayBeOfOne || refusedAlone >= AccountBounds.refusedAlone else { return log + [told] + send(now: now) }
        return log + [told] + pause(failure, now: now)
    }

    /// One account that Identity Toolkit does not take must not keep the others of its batch from being looked up.
    private static func halves(of batch: Batch) -> [Batch] {
        let middle = batch.uids.count / 2
        return [batch.uids[middle...], batch.uids[..<middle]].map { uids in
            var half = batch
            half.uids = Array(uids)
            half.askers = batch.askers.filter { uids.contains($0.key) }
            return half
        }
    }

    private mutating func pause(_ failure: AskingFailure, now: UInt64) -> [Action] {
        isShaken = true
        refusedAlone = 0
        pausedUntil = max(pausedUntil, now &+ Self.pause(after: failure))
        let dismissed = dismissWaiting()
        counters.paused += UInt64(dismissed.count)
        return dismissed.isEmpty ? [] : [tell(dismissed, AccountStatus(answer: .unavailable, askedAt: now))]
    }

    private static func pause(after failure: AskingFailure) -> UInt64 {
        failure.retryAfter.map { UInt64($0) * 1_000_000_000 } ?? AccountBounds.pause
    }

    /// Takes out all who wait and whose call does not run.
    private mutating func dismissWaiting() -> [Asker] {
        let dismissed = again.flatMap { $0.askers.values.joined() } + queue.removeAll(enteredBy: .max)
        again = []
        return dismissed
    }

    private mutating func tell(_ told: [Asker], _ status: AccountStatus) -> Action {
        askers -= told.count
        return .tell(told, status)
    }

    private func recovery(_ failures: Int?) -> [Action] {
        failures.map { [.log(.recovered(failures: $0))] } ?? []
    }

    private mutating func overflow(_ askers: [Asker], now: UInt64) -> [Action] {
        counters.overflowed += UInt64(askers.count)
        let tell = Action.tell(askers, AccountStatus(answer: .unavailable, askedAt: now))
        if let told = overflowTold, now < told &+ FailureNews.interval { return [tell] }
        overflowTold = now
        return [tell, .log(.overflowing)]
    }
}
