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
    /// The number of consecutive single-account calls that may be rejected before all lookups are paused.
    static let rejectedAlone = 3
}

/// Lookups of Firebase accounts and their results, as a pure value: events in, actions out.
struct AccountMachine<Waiter: Sendable>: TimedMachine {
    typealias UID = AccountLookup.UID
    private typealias Flights = LookupFlights<UID, Waiter>

    enum Action: Sendable {
        /// Fetch an access token; one `tokenArrived` or `tokenFailed` with this number follows, unless it never ends.
        case fetchToken(Int)
        /// Look up; exactly one `answered` with the call's number follows.
        case lookUp(Int, [UID], token: Secret)
        case resolve([Waiter], AccountStatus)
        case log(LookupEvent)
        /// An event of fetching access tokens.
        case logToken(LookupEvent)
    }

    private var known: BoundedTable<UID, AccountStatus>
    private var flights = Flights(
        LookupLimits(
            concurrency: AccountBounds.concurrency, batch: AccountBounds.batch, waiting: AccountBounds.waiting))
    private var access: AccessTokenState
    private var tokenLog = FailureLog()
    private var rejectedAlone = 0
    private var isStopped = false

    /// Creates a machine that caches at most `remembered` statuses.
    ///
    /// - Parameter fetchLimit: How long a fetch of an access token may last.
    init(remembered: Int = AccountBounds.remembered, fetchLimit: Duration = .seconds(30)) {
        access = AccessTokenState(fetchLimit: fetchLimit)
        known = BoundedTable(limit: remembered)
    }

    func status(now: UInt64) -> LookupStatus {
        var status = flights.status(now: now)
        status.failing = tokenLog.current ?? status.failing
        status.remembered = known.count
        status.hasCredentials = hasToken(now: now)
        return status
    }

    func hasToken(now: UInt64) -> Bool { access.usable(now: now) != nil }

    var deadline: UInt64? {
        guard !isStopped else { return nil }
        return [flights.deadline, access.deadline].compactMap(\.self).min()
    }
}

extension AccountMachine {
    /// Fetches the first access token, so that no request waits for it.
    mutating func start(now: UInt64) -> [Action] {
        isStopped ? [] : fetchToken(now: now)
    }

    /// Returns the status of an account at `notBefore` or later.
    mutating func lookUp(_ uid: UID, notBefore: UInt64, _ waiter: Waiter, now: UInt64) -> [Action] {
        if let status = known[uid], status.queriedAt >= notBefore {
            flights.counters.hits += 1
            return [.resolve([waiter], status)]
        }
        guard !isStopped else { return [unavailable([waiter], now)] }
        let expired = flights.expire(now: now)
        let entered = flights.enter(uid, notBefore: notBefore, waiter, now: now)
        return actions(expired + entered, now: now) + send(now: now)
    }

    mutating func tokenArrived(_ token: AccessToken, of fetch: Int, now: UInt64) -> [Action] {
        guard access.fetch == fetch, !isStopped else { return [] }
        access.arrived(token)
        let recovery = tokenLog.succeeded().map { [Action.log($0)] } ?? []
        return recovery + send(now: now)
    }

    /// Handles a failed fetch. Without a token no account can be looked up. While an old token is valid, only the
    /// renewal waits.
    mutating func tokenFailed(_ failure: LookupFailure, of fetch: Int, now: UInt64) -> [Action] {
        guard access.fetch == fetch, !isStopped else { return [] }
        access.failed(failure, now: now)
        let event = tokenLog.failed(failure, now: now).map { [Action.logToken($0)] } ?? []
        guard !hasToken(now: now) else { return event + send(now: now) }
        rejectedAlone = 0
        return event + actions(flights.openBreaker(failure, now: now), now: now)
    }

    mutating func completed(
        _ number: Int, _ result: Result<[UID: AccountStatus.State], LookupFailure>, now: UInt64
    ) -> [Action] {
        guard let call = flights.finish(number) else { return [] }
        switch result {
        case .success(let statuses): return accept(statuses, call, now: now)
        case .failure(var failure) where failure.kind == .ownCredentials && !call.isRetry:
            access.refused(call.credential)
            // Nothing would repeat the call before the pause ends, so that it fails now.
            if let pause = access.pause(now: now) {
                failure.retryAfter = pause
                return fail(failure, call, now: now)
            }
            flights.retry(call)
            return send(now: now)
        case .failure(let failure): return fail(failure, call, now: now)
        }
    }

    mutating func tick(now: UInt64) -> [Action] {
        access.dropExpired(now: now)
        let overdue = access.overdueFetch(now: now).map { fetch in
            tokenFailed(LookupFailure(.timedOut, "the fetch of an access token has not ended"), of: fetch, now: now)
        }
        let renewal = access.renewal == nil ? [] : fetchToken(now: now)
        return (overdue ?? []) + renewal + actions(flights.expire(now: now), now: now) + send(now: now)
    }

    /// Resolves all current and later waiters as unavailable.
    mutating func stop(now: UInt64) -> [Action] {
        isStopped = true
        let waiters = flights.stop()
        return waiters.isEmpty ? [] : [unavailable(waiters, now)]
    }
}

extension AccountMachine {
    private mutating func fetchToken(now: UInt64) -> [Action] {
        access.beginFetch(now: now).map { [Action.fetchToken($0)] } ?? []
    }

    private mutating func send(now: UInt64) -> [Action] {
        guard flights.hasWork(now: now) else { return [] }
        var actions = fetchToken(now: now)
        guard let token = access.usable(now: now) else { return actions }
        while let call = flights.next(now: now, credential: token.number) {
            actions.append(.lookUp(call.number, call.keys, token: token.value))
        }
        return actions
    }

    private mutating func accept(
        _ statuses: [UID: AccountStatus.State], _ call: Flights.Call, now: UInt64
    ) -> [Action] {
        rejectedAlone = 0
        var actions = actions(flights.succeeded(), now: now)
        for uid in call.keys {
            let status = AccountStatus(state: statuses[uid] ?? .unavailable, queriedAt: call.startedAt)
            remember(status, of: uid)
            actions.append(.resolve(call.waiters[uid] ?? [], status))
        }
        return actions + send(now: now)
    }

    /// Caches a status, unless the result of a later call is already cached. An unavailable status is not cached.
    private mutating func remember(_ status: AccountStatus, of uid: UID) {
        guard status.state != .unavailable, (known[uid]?.queriedAt ?? 0) <= status.queriedAt else { return }
        known.set(status, for: uid)
    }

    private mutating func fail(_ failure: LookupFailure, _ call: Flights.Call, now: UInt64) -> [Action] {
        let mayConcernOne = !failure.concernsAll || failure.kind == .tooLarge
        if mayConcernOne, call.keys.count > 1 {
            flights.retryInHalves(call)
            return actions(flights.failed(failure, opensBreaker: false, now: now), now: now) + send(now: now)
        }
        rejectedAlone += 1
        let opensBreaker = !mayConcernOne || rejectedAlone >= AccountBounds.rejectedAlone
        if opensBreaker { rejectedAlone = 0 }
        return actions(flights.failed(failure, opensBreaker: opensBreaker, now: now), now: now)
            + [unavailable(call.allWaiters, call.startedAt)] + send(now: now)
    }

    private func unavailable(_ waiters: [Waiter], _ queriedAt: UInt64) -> Action {
        .resolve(waiters, AccountStatus(state: .unavailable, queriedAt: queriedAt))
    }

    private func actions(_ actions: [Flights.Action], now: UInt64) -> [Action] {
        actions.map { action in
            switch action {
            case .reject(let waiters, _): unavailable(waiters, now)
            case .log(let event): .log(event)
            }
        }
    }
}
