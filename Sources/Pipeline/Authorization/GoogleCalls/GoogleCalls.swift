import GatewayCore
import OutboundHTTP

/// Calls to a service of Google with an access token, as a pure value: lookup flights whose calls wait for a token.
///
/// A call whose access token was rejected is repeated once with a new token. The owner translates actions into its own
/// and adds what results mean.
struct GoogleCalls<Key: Hashable & Sendable, Waiter: Sendable>: Sendable {
    typealias Flights = LookupFlights<Key, Waiter>

    enum Action: Sendable {
        /// Fetch an access token; one `tokenArrived` or `tokenFailed` with this number follows, unless it never ends.
        case fetchToken(Int)
        /// Start a call; exactly one `finish` with its number follows.
        case send(Flights.Call, token: Secret)
        case reject([Waiter], LookupRejection)
        case log(LookupEvent)
        /// An event of fetching access tokens.
        case logToken(LookupEvent)
    }

    /// The end of a call.
    enum Ending<Value: Sendable> {
        /// The number is unknown, after `stop`.
        case unknown
        /// The call is repeated.
        case repeated([Action])
        case ended(Flights.Call, Result<Value, LookupFailure>)
    }

    private var flights: Flights
    private var access: AccessTokenState
    private var tokenLog = FailureLog()
    private(set) var isStopped = false
    private let isNeeded: @Sendable (Waiter) -> Bool

    /// Creates calls.
    ///
    /// - Parameters:
    ///   - fetchLimit: How long a fetch of an access token may last.
    ///   - lane: The lane of a key, as in `LookupFlights`. By default, there is one.
    ///   - isNeeded: Whether a waiter still needs its result. A call without such a waiter is not started.
    init(
        _ limits: LookupLimits, fetchLimit: Duration,
        lane: @escaping @Sendable (Key) -> ArraySlice<UInt8> = { _ in [] },
        isNeeded: @escaping @Sendable (Waiter) -> Bool = { _ in true }
    ) {
        flights = Flights(limits, lane: lane)
        access = AccessTokenState(fetchLimit: fetchLimit)
        self.isNeeded = isNeeded
    }

    var counters: LookupCounters {
        get { flights.counters }
        set { flights.counters = newValue }
    }

    /// The kind of the last failed fetch of an access token. `nil` after a success.
    var tokenFailure: LookupFailure.Kind? { tokenLog.current }

    func hasToken(now: UInt64) -> Bool { access.usable(now: now) != nil }

    func status(now: UInt64) -> LookupStatus {
        var status = flights.status(now: now)
        status.failing = tokenLog.current ?? status.failing
        status.hasCredentials = hasToken(now: now)
        return status
    }

    /// The time of the next `tick` in monotonic nanoseconds. `nil` if none is needed.
    var deadline: UInt64? {
        guard !isStopped else { return nil }
        return [flights.deadline, access.deadline].compactMap(\.self).min()
    }
}

extension GoogleCalls {
    /// Fetches the first access token, so that no request waits for it.
    mutating func start(now: UInt64) -> [Action] {
        isStopped ? [] : fetchToken(now: now)
    }

    /// Adds a waiter to the call for its key, or to the queue for a new one. Must not be called after `stop`.
    mutating func enter(
        _ key: Key, of network: PeerNetwork = .unknown, notBefore: UInt64 = 0, _ waiter: Waiter, now: UInt64
    ) -> [Action] {
        let expired = flights.expire(now: now)
        let entered = flights.enter(key, of: network, notBefore: notBefore, waiter, now: now)
        return actions(expired + entered) + send(now: now)
    }

    mutating func tokenArrived(_ token: AccessToken, of fetch: Int, now: UInt64) -> [Action] {
        guard access.fetch == fetch, !isStopped else { return [] }
        access.arrived(token)
        let recovery = tokenLog.succeeded().map { [Action.log($0)] } ?? []
        return recovery + send(now: now)
    }

    /// Handles a failed fetch. Without a token no call can start. While an old token is valid, only the renewal waits.
    mutating func tokenFailed(_ failure: LookupFailure, of fetch: Int, now: UInt64) -> [Action] {
        guard access.fetch == fetch, !isStopped else { return [] }
        access.failed(failure, now: now)
        let event = tokenLog.failed(failure, now: now).map { [Action.logToken($0)] } ?? []
        guard !hasToken(now: now) else { return event + send(now: now) }
        return event + actions(flights.openBreaker(failure, now: now))
    }

    /// Ends a call. Only a rejected access token repeats it, once: such a call had no effect.
    mutating func finish<Value: Sendable>(
        _ number: Int, _ result: Result<Value, LookupFailure>, now: UInt64
    ) -> Ending<Value> {
        guard let call = flights.finish(number) else { return .unknown }
        guard case .failure(var failure) = result, failure.kind == .ownCredentials, !call.isRetry else {
            return .ended(call, result)
        }
        access.refused(call.credential)
        // Nothing would repeat the call before the pause ends, so that it fails now.
        if let pause = access.pause(now: now) {
            failure.retryAfter = pause
            return .ended(call, .failure(failure))
        }
        flights.retry(call)
        return .repeated(send(now: now))
    }

    /// Records a successful call.
    ///
    /// - Parameter call: The call, if keys have lanes.
    mutating func succeeded(_ call: Flights.Call? = nil) -> [Action] { actions(flights.succeeded(call)) }

    /// Records a failed call.
    mutating func failed(_ failure: LookupFailure, opensBreaker: Bool, now: UInt64) -> [Action] {
        actions(flights.failed(failure, opensBreaker: opensBreaker, now: now))
    }

    /// Records a failed call whose reason may concern only its lane.
    mutating func failedInLane(_ call: Flights.Call, _ failure: LookupFailure, now: UInt64) -> [Action] {
        actions(flights.failedInLane(call, failure, now: now))
    }

    /// Repeats a finished call in two halves.
    mutating func retryInHalves(_ call: Flights.Call) { flights.retryInHalves(call) }

    mutating func tick(now: UInt64) -> [Action] {
        access.dropExpired(now: now)
        let overdue = access.overdueFetch(now: now).map { fetch in
            tokenFailed(LookupFailure(.timedOut, "the fetch of an access token has not ended"), of: fetch, now: now)
        }
        let renewal = access.renewal == nil ? [] : fetchToken(now: now)
        return (overdue ?? []) + renewal + actions(flights.expire(now: now)) + send(now: now)
    }

    /// Starts the calls that can start now.
    mutating func send(now: UInt64) -> [Action] {
        guard flights.hasWork(now: now) else { return [] }
        var actions = fetchToken(now: now)
        guard let token = access.usable(now: now) else { return actions }
        while let call = flights.next(now: now, credential: token.number, isNeeded: isNeeded) {
            actions.append(.send(call, token: token.value))
        }
        return actions
    }

    /// Ends all calls and returns their waiters.
    mutating func stop() -> [Waiter] {
        isStopped = true
        return flights.stop()
    }

    private mutating func fetchToken(now: UInt64) -> [Action] {
        access.beginFetch(now: now).map { [Action.fetchToken($0)] } ?? []
    }

    private func actions(_ actions: [Flights.Action]) -> [Action] {
        actions.map { action in
            switch action {
            case .reject(let waiters, let rejection): .reject(waiters, rejection)
            case .log(let event): .log(event)
            }
        }
    }
}
