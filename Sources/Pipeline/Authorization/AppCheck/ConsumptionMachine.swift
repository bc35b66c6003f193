import Authentication
import GatewayCore
import OutboundHTTP

/// The limits of calls that consume App Check tokens.
enum ConsumptionBounds {
    /// The maximum number of concurrent calls.
    static let concurrency = 32
    /// The maximum number of requests that wait for a call.
    static let waiting = 1024
}

/// The calls that consume App Check tokens, as a pure value: events in, actions out.
///
/// Each request has its own call, even if another request presents the same token: otherwise both would be the first
/// use. A call whose result is unknown is never repeated, since it may have consumed the token.
struct ConsumptionMachine<Waiter: Sendable>: TimedMachine {
    /// One call. Two calls with the same token are different.
    struct Call: Hashable, Sendable {
        let number: UInt64
        let appToken: [UInt8]

        static func == (left: Call, right: Call) -> Bool { left.number == right.number }
        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    private typealias Flights = LookupFlights<Call, Waiter>

    enum Action: Sendable {
        /// Fetch an access token; one `tokenArrived` or `tokenFailed` with this number follows, unless it never ends.
        case fetchToken(Int)
        /// Consume a token; exactly one `completed` with the call's number follows.
        case consume(Int, appToken: [UInt8], token: Secret)
        case resolve([Waiter], AppTokenUse)
        case log(LookupEvent)
        /// An event of fetching access tokens.
        case logToken(LookupEvent)
    }

    private var flights = Flights(
        LookupLimits(concurrency: ConsumptionBounds.concurrency, waiting: ConsumptionBounds.waiting))
    private var access: AccessTokenState
    private var tokenLog = FailureLog()
    private var calls: UInt64 = 0
    private var isStopped = false

    /// Creates a machine.
    ///
    /// - Parameter fetchLimit: How long a fetch of an access token may last.
    init(fetchLimit: Duration) {
        access = AccessTokenState(fetchLimit: fetchLimit)
    }

    func status(now: UInt64) -> LookupStatus {
        var status = flights.status(now: now)
        status.failing = tokenLog.current ?? status.failing
        status.hasCredentials = hasToken(now: now)
        return status
    }

    var deadline: UInt64? {
        guard !isStopped else { return nil }
        return [flights.deadline, access.deadline].compactMap(\.self).min()
    }

    private func hasToken(now: UInt64) -> Bool { access.usable(now: now) != nil }
}

extension ConsumptionMachine {
    /// Fetches the first access token, so that no request waits for it.
    mutating func start(now: UInt64) -> [Action] {
        isStopped ? [] : fetchToken(now: now)
    }

    /// Consumes a token by a new call.
    mutating func consume(
        _ appToken: [UInt8], for network: PeerNetwork, _ waiter: Waiter, now: UInt64
    ) -> [Action] {
        guard !isStopped else { return [stopped([waiter])] }
        calls &+= 1
        let expired = flights.expire(now: now)
        let entered = flights.enter(Call(number: calls, appToken: appToken), of: network, waiter, now: now)
        return actions(expired + entered, now: now) + send(now: now)
    }

    mutating func tokenArrived(_ token: AccessToken, of fetch: Int, now: UInt64) -> [Action] {
        guard access.fetch == fetch, !isStopped else { return [] }
        access.arrived(token)
        let recovery = tokenLog.succeeded().map { [Action.log($0)] } ?? []
        return recovery + send(now: now)
    }

    /// Handles a failed fetch. While an old token is valid, only the renewal waits.
    mutating func tokenFailed(_ failure: LookupFailure, of fetch: Int, now: UInt64) -> [Action] {
        guard access.fetch == fetch, !isStopped else { return [] }
        access.failed(failure, now: now)
        let event = tokenLog.failed(failure, now: now).map { [Action.logToken($0)] } ?? []
        guard !hasToken(now: now) else { return event + send(now: now) }
        return event + actions(flights.openBreaker(failure, now: now), now: now)
    }

    /// Handles the result of a call. Only a rejected access token repeats it, once: such a call consumed nothing.
    mutating func completed(_ number: Int, _ result: Result<AppTokenUse, LookupFailure>, now: UInt64) -> [Action] {
        guard let call = flights.finish(number) else { return [] }
        switch result {
        case .success(let use):
            if use == .first { flights.counters.accepted += 1 } else { flights.counters.refused += 1 }
            return actions(flights.succeeded(), now: now) + [.resolve(call.allWaiters, use)] + send(now: now)
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
    mutating func stop() -> [Action] {
        isStopped = true
        let waiters = flights.stop()
        return waiters.isEmpty ? [] : [stopped(waiters)]
    }
}

extension ConsumptionMachine {
    private mutating func fetchToken(now: UInt64) -> [Action] {
        access.beginFetch(now: now).map { [Action.fetchToken($0)] } ?? []
    }

    private mutating func send(now: UInt64) -> [Action] {
        guard flights.hasWork(now: now) else { return [] }
        var actions = fetchToken(now: now)
        guard let token = access.usable(now: now) else { return actions }
        while let call = flights.next(now: now, credential: token.number) {
            actions.append(
                .consume(call.number, appToken: call.keys.first?.appToken ?? [], token: token.value))
        }
        return actions
    }

    private mutating func fail(_ failure: LookupFailure, _ call: Flights.Call, now: UInt64) -> [Action] {
        let use = AppTokenUse.unavailable(reason: failure.kind.rawValue, retryAfter: failure.retryAfter)
        return actions(flights.failed(failure, opensBreaker: failure.concernsAll, now: now), now: now)
            + [.resolve(call.allWaiters, use)] + send(now: now)
    }

    private func stopped(_ waiters: [Waiter]) -> Action {
        .resolve(waiters, .unavailable(reason: "the gateway is stopping", retryAfter: nil))
    }

    private func paused(_ kind: LookupFailure.Kind?, until retry: UInt64, _ now: UInt64) -> AppTokenUse {
        let seconds = retry > now ? (retry - now - 1) / 1_000_000_000 + 1 : 1
        let reason = (kind ?? tokenLog.current)?.rawValue ?? "calls are paused"
        return .unavailable(reason: reason, retryAfter: Int(clamping: seconds))
    }

    private func actions(_ actions: [Flights.Action], now: UInt64) -> [Action] {
        actions.map { action in
            switch action {
            case .reject(let waiters, .overloaded):
                .resolve(waiters, .unavailable(reason: "too many requests wait", retryAfter: nil))
            case .reject(let waiters, .paused(let kind, let time)): .resolve(waiters, paused(kind, until: time, now))
            case .log(let event): .log(event)
            }
        }
    }
}
