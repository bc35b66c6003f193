import GatewayCore
import OutboundHTTP

/// The limits of account lookups.
enum AccountBounds {
    /// The maximum number of accounts per call.
    static let batch = 100
    /// The maximum number of concurrent calls.
    static let concurrency = 4
    /// The maximum number of accounts that wait for a call.
    static let waiting = 4096
    /// The maximum number of cached statuses.
    static let remembered = 65_536
    /// The maximum number of lookups by name that wait at once, so that sign-ins leave room for requests.
    static let searches = 256
    /// The number of consecutive single-account calls that may be rejected before all lookups are paused.
    static let rejectedAlone = 3
}

/// Lookups of Firebase accounts and their results, as a pure value: events in, actions out.
///
/// Accounts are identified by `AccountName.bytes`. A call looks up accounts of one tenant.
struct AccountMachine<Waiter: Sendable>: TimedMachine {
    typealias UID = AccountName.Bytes
    private typealias Calls = GoogleCalls<UID, Waiter>

    enum Action: Sendable {
        /// As in `GoogleCalls`.
        case fetchToken(Int)
        /// Look up; exactly one `completed` with the call's number follows.
        case lookUp(Int, [UID], token: Secret)
        case resolve([Waiter], AccountStatus)
        case log(LookupEvent)
        case logToken(LookupEvent)
    }

    private var known: BoundedTable<UID, AccountStatus>
    private var calls: Calls
    private var rejectedAlone = 0

    /// Creates a machine that caches at most `remembered` statuses.
    ///
    /// - Parameter fetchLimit: How long a fetch of an access token may last.
    init(remembered: Int = AccountBounds.remembered, fetchLimit: Duration = .seconds(30)) {
        calls = Calls(
            LookupLimits(
                concurrency: AccountBounds.concurrency, batch: AccountBounds.batch, waiting: AccountBounds.waiting),
            fetchLimit: fetchLimit, lane: AccountName.lane(of:))
        known = BoundedTable(limit: remembered)
    }

    func status(now: UInt64) -> LookupStatus {
        var status = calls.status(now: now)
        status.remembered = known.count
        return status
    }

    func hasToken(now: UInt64) -> Bool { calls.hasToken(now: now) }

    var deadline: UInt64? { calls.deadline }
}

extension AccountMachine {
    mutating func start(now: UInt64) -> [Action] { actions(calls.start(now: now), now: now) }

    /// Returns the status of an account at `notBefore` or later.
    mutating func lookUp(_ uid: UID, notBefore: UInt64, _ waiter: Waiter, now: UInt64) -> [Action] {
        if let status = known[uid], status.queriedAt >= notBefore {
            calls.counters.hits += 1
            return [.resolve([waiter], status)]
        }
        guard !calls.isStopped else { return [unavailable([waiter], now)] }
        return actions(calls.enter(uid, notBefore: notBefore, waiter, now: now), now: now)
    }

    mutating func tokenArrived(_ token: AccessToken, of fetch: Int, now: UInt64) -> [Action] {
        actions(calls.tokenArrived(token, of: fetch, now: now), now: now)
    }

    mutating func tokenFailed(_ failure: LookupFailure, of fetch: Int, now: UInt64) -> [Action] {
        let actions = actions(calls.tokenFailed(failure, of: fetch, now: now), now: now)
        forgetRejectionsWithoutToken(now: now)
        return actions
    }

    mutating func completed(
        _ number: Int, _ result: Result<[UID: AccountStatus.State], LookupFailure>, now: UInt64
    ) -> [Action] {
        switch calls.finish(number, result, now: now) {
        case .unknown: []
        case .repeated(let next): actions(next, now: now)
        case .ended(let call, .success(let statuses)): accept(statuses, call, now: now)
        case .ended(let call, .failure(let failure)): fail(failure, call, now: now)
        }
    }

    mutating func tick(now: UInt64) -> [Action] {
        let actions = actions(calls.tick(now: now), now: now)
        forgetRejectionsWithoutToken(now: now)
        return actions
    }

    /// Resolves all current and later waiters as unavailable.
    mutating func stop(now: UInt64) -> [Action] {
        let waiters = calls.stop()
        return waiters.isEmpty ? [] : [unavailable(waiters, now)]
    }
}

extension AccountMachine {
    /// Calls that are rejected after a pause without a token count anew.
    private mutating func forgetRejectionsWithoutToken(now: UInt64) {
        if !hasToken(now: now) { rejectedAlone = 0 }
    }

    private mutating func accept(
        _ statuses: [UID: AccountStatus.State], _ call: Calls.Flights.Call, now: UInt64
    ) -> [Action] {
        rejectedAlone = 0
        var actions = actions(calls.succeeded(call), now: now)
        for uid in call.keys {
            let status = AccountStatus(state: statuses[uid] ?? .unavailable, queriedAt: call.startedAt)
            remember(status, of: uid)
            actions.append(.resolve(call.waiters[uid] ?? [], status))
        }
        return actions + self.actions(calls.send(now: now), now: now)
    }

    /// Caches a status, unless the result of a later call is already cached. An unavailable status is not cached.
    private mutating func remember(_ status: AccountStatus, of uid: UID) {
        guard status.state != .unavailable, (known[uid]?.queriedAt ?? 0) <= status.queriedAt else { return }
        known.set(status, for: uid)
    }

    private mutating func fail(_ failure: LookupFailure, _ call: Calls.Flights.Call, now: UInt64) -> [Action] {
        let mayConcernOne = !failure.concernsAll || failure.kind == .tooLarge
        if mayConcernOne, call.keys.count > 1 {
            calls.retryInHalves(call)
            return actions(calls.failed(failure, opensBreaker: false, now: now) + calls.send(now: now), now: now)
        }
        rejectedAlone += 1
        let opensBreaker = !mayConcernOne || rejectedAlone >= AccountBounds.rejectedAlone
        if opensBreaker { rejectedAlone = 0 }
        let failed =
            opensBreaker && Self.mayConcernTenant(failure)
            ? calls.failedInLane(call, failure, now: now) : calls.failed(failure, opensBreaker: opensBreaker, now: now)
        return actions(failed, now: now)
            + [unavailable(call.allWaiters, call.startedAt)] + actions(calls.send(now: now), now: now)
    }

    /// Returns whether a failure may concern only the tenant of the call: the service responded, or did not respond to
    /// this call, and named no pause for all.
    private static func mayConcernTenant(_ failure: LookupFailure) -> Bool {
        guard failure.retryAfter == nil else { return false }
        switch failure.kind {
        case .status, .timedOut, .malformed, .tooLarge, .invalidResponse: return true
        case .invalidURL, .unreachable, .closed, .redirected, .ownCredentials, .throttled, .cancelled: return false
        }
    }

    private func unavailable(_ waiters: [Waiter], _ queriedAt: UInt64) -> Action {
        .resolve(waiters, AccountStatus(state: .unavailable, queriedAt: queriedAt))
    }

    private func actions(_ actions: [Calls.Action], now: UInt64) -> [Action] {
        actions.map { action in
            switch action {
            case .fetchToken(let fetch): .fetchToken(fetch)
            case .send(let call, let token): .lookUp(call.number, call.keys, token: token)
            case .reject(let waiters, _): unavailable(waiters, now)
            case .log(let event): .log(event)
            case .logToken(let event): .logToken(event)
            }
        }
    }
}
