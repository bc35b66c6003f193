import Authentication
import GatewayCore
import OutboundHTTP

/// The reason that a call to Google has no result.
struct GoogleCallFailure: Error, Equatable {
    /// The kind of the failure for the log: a raw value of `LookupFailure.Kind`, or a sentence.
    let reason: String
    /// The delay after which the call may succeed, in seconds. `nil` if it is unknown.
    let retryAfter: Int?
    /// Whether calls with other payloads are affected too.
    var concernsAll = true

    static let overloaded = GoogleCallFailure(reason: "too many requests wait", retryAfter: nil)
    static let stopping = GoogleCallFailure(reason: "the gateway is stopping", retryAfter: nil)
}

/// The waiter for a call.
struct GoogleCallWaiter<Value: Sendable>: Sendable {
    let completion: @Sendable (Result<Value, GoogleCallFailure>) -> Void
    /// The interest of the request. `nil` if it has ended, or if the call is needed in any case.
    private weak var interest: LookupInterest?
    private let isAlwaysNeeded: Bool

    init(_ interest: LookupInterest?, completion: @escaping @Sendable (Result<Value, GoogleCallFailure>) -> Void) {
        self.completion = completion
        self.interest = interest
        isAlwaysNeeded = interest == nil
    }

    var isNeeded: Bool { isAlwaysNeeded || interest != nil }
}

/// Calls to a service of Google that are never shared, as a pure value: events in, actions out.
///
/// Each request has its own call, even if the payloads are equal. A call whose result is unknown is not repeated, since
/// it may have had its effect.
struct GoogleCallMachine<Payload: Sendable, Value: Sendable>: TimedMachine {
    /// One call. Two calls with the same payload are different.
    struct Entry: Hashable, Sendable {
        let number: UInt64
        let payload: Payload

        static func == (left: Entry, right: Entry) -> Bool { left.number == right.number }
        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    typealias Waiter = GoogleCallWaiter<Value>
    private typealias Calls = GoogleCalls<Entry, Waiter>

    enum Action: Sendable {
        /// As in `GoogleCalls`.
        case fetchToken(Int)
        /// Perform a call; exactly one `completed` with the number follows.
        case perform(Int, Payload, token: Secret)
        case resolve([Waiter], Result<Value, GoogleCallFailure>)
        case log(LookupEvent)
        case logToken(LookupEvent)
    }

    private var calls: Calls
    private var entered: UInt64 = 0
    private let isAccepted: @Sendable (Value) -> Bool

    /// Creates a machine.
    ///
    /// - Parameters:
    ///   - fetchLimit: How long a fetch of an access token may last.
    ///   - isAccepted: Whether a result counts as accepted in the metrics, otherwise as refused.
    init(_ limits: LookupLimits, fetchLimit: Duration, isAccepted: @escaping @Sendable (Value) -> Bool) {
        calls = Calls(limits, fetchLimit: fetchLimit, isNeeded: { $0.isNeeded })
        self.isAccepted = isAccepted
    }

    func status(now: UInt64) -> LookupStatus { calls.status(now: now) }

    var deadline: UInt64? { calls.deadline }
}

extension GoogleCallMachine {
    mutating func start(now: UInt64) -> [Action] { apply(now) { $0.start(now: now) } }

    /// Enters a new call.
    mutating func call(_ payload: Payload, for network: PeerNetwork, _ waiter: Waiter, now: UInt64) -> [Action] {
        guard !calls.isStopped else { return [.resolve([waiter], .failure(.stopping))] }
        entered &+= 1
        let entry = Entry(number: entered, payload: payload)
        return apply(now) { $0.enter(entry, of: network, waiter, now: now) }
    }

    mutating func tokenCame(_ result: Result<AccessToken, LookupFailure>, of fetch: Int, now: UInt64) -> [Action] {
        apply(now) { calls in
            switch result {
            case .success(let token): calls.tokenArrived(token, of: fetch, now: now)
            case .failure(let failure): calls.tokenFailed(failure, of: fetch, now: now)
            }
        }
    }

    mutating func completed(_ number: Int, _ result: Result<Value, LookupFailure>, now: UInt64) -> [Action] {
        switch calls.finish(number, result, now: now) {
        case .unknown: return []
        case .repeated(let next): return translate(next, now)
        case .ended(let call, .success(let value)):
            if isAccepted(value) { calls.counters.accepted += 1 } else { calls.counters.refused += 1 }
            return apply(now) { $0.succeeded() } + [.resolve(call.allWaiters, .success(value))]
                + apply(now) { $0.send(now: now) }
        case .ended(let call, .failure(let failure)):
            let ending = GoogleCallFailure(
                reason: failure.kind.rawValue, retryAfter: failure.retryAfter, concernsAll: failure.concernsAll)
            return apply(now) { $0.failed(failure, opensBreaker: failure.concernsAll, now: now) }
                + [.resolve(call.allWaiters, .failure(ending))] + apply(now) { $0.send(now: now) }
        }
    }

    mutating func tick(now: UInt64) -> [Action] { apply(now) { $0.tick(now: now) } }

    /// Resolves all current and later waiters as unavailable.
    mutating func stop() -> [Action] {
        let waiters = calls.stop()
        return waiters.isEmpty ? [] : [.resolve(waiters, .failure(.stopping))]
    }

    /// Translates the actions of an event after it, since they depend on the new state.
    private mutating func apply(_ now: UInt64, _ event: (inout Calls) -> [Calls.Action]) -> [Action] {
        let actions = event(&calls)
        return translate(actions, now)
    }

    private func translate(_ actions: [Calls.Action], _ now: UInt64) -> [Action] {
        actions.compactMap { action -> Action? in
            switch action {
            case .fetchToken(let fetch): .fetchToken(fetch)
            case .send(let call, let token):
                call.keys.first.map { Action.perform(call.number, $0.payload, token: token) }
            case .reject(let waiters, .overloaded): .resolve(waiters, .failure(.overloaded))
            case .reject(let waiters, .paused(let kind, let time)):
                .resolve(waiters, .failure(paused(kind, until: time, now)))
            case .log(let event): .log(event)
            case .logToken(let event): .logToken(event)
            }
        }
    }

    private func paused(_ kind: LookupFailure.Kind?, until retry: UInt64, _ now: UInt64) -> GoogleCallFailure {
        let seconds = retry > now ? (retry - now - 1) / 1_000_000_000 + 1 : 1
        let reason = (kind ?? calls.tokenFailure)?.rawValue ?? "calls are paused"
        return GoogleCallFailure(reason: reason, retryAfter: Int(clamping: seconds))
    }
}
