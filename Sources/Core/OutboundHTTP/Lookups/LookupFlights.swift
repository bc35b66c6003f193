package import GatewayCore

/// The limits of the lookups at one service.
package struct LookupLimits: Sendable {
    /// The maximum time that a key waits for its call, in nanoseconds.
    package static let waitLimit: UInt64 = 5_000_000_000
    /// The maximum number of waiters. Many can wait for the same key.
    package static let waiters = 16_384

    /// The number of lanes that fail on their own before all are paused.
    package static let failingLanes = 3
    /// How long a lane that is no longer called counts as failing, in nanoseconds.
    static let laneMemory: UInt64 = 60_000_000_000

    /// The maximum number of concurrent calls.
    let concurrency: Int
    /// The maximum number of keys in one call.
    let batch: Int
    /// The maximum number of keys that wait for a call.
    let waiting: Int
    /// The maximum number of calls per second. `nil` for no limit.
    let rate: Int?

    package init(concurrency: Int, batch: Int = 1, waiting: Int, rate: Int? = nil) {
        self.concurrency = max(concurrency, 1)
        self.batch = batch
        self.waiting = waiting
        self.rate = rate
    }
}

/// The reason that a waiter receives no result.
package enum LookupRejection: Sendable, Equatable {
    /// The queue is full, or the key waited too long.
    case overloaded
    /// The service is not called before this time, in monotonic nanoseconds, because its last call failed in this way.
    case paused(LookupFailure.Kind?, until: UInt64)
}

/// The lookups at one service, as a pure value: single flight, bulkhead and circuit breaker.
///
/// Waiters for the same key share one call. The number of running calls and of waiting keys is bounded, and clients'
/// networks take turns. While the service fails, waiters are rejected and no calls start. Keys may be in lanes, such as
/// tenants, one of which may fail on its own: then only its waiters are rejected, unless several lanes fail.
///
/// The owner enters waiters, starts each call that `next` returns, and then passes its number to `finish` exactly once.
package struct LookupFlights<Key: Hashable & Sendable, Waiter: Sendable>: Sendable {
    package enum Action: Sendable {
        case reject([Waiter], LookupRejection)
        case log(LookupEvent)
    }

    /// A call to the service for one or more keys.
    package struct Call: Sendable {
        fileprivate(set) package var number = 0
        fileprivate(set) package var keys: [Key] = []
        /// The payloads of the keys, needed only at the start of the call.
        fileprivate(set) package var payloads: [[UInt8]] = []
        fileprivate(set) package var waiters: [Key: [Waiter]] = [:]
        /// The start of the call in monotonic nanoseconds.
        fileprivate(set) package var startedAt: UInt64 = 0
        /// The owner's number for the credential of the call.
        fileprivate(set) package var credential = 0
        /// Whether the call is a retry.
        fileprivate(set) package var isRetry = false

        package var allWaiters: [Waiter] { waiters.values.flatMap(\.self) }
    }

    /// A key that waits for its call.
    private struct Entry: Sendable {
        let payload: [UInt8]
        var waiters: [Waiter]
    }

    private let limits: LookupLimits
    /// The lane of a key. A call has keys of one lane.
    private let lane: @Sendable (Key) -> ArraySlice<UInt8>
    private var entries: [Key: Entry] = [:]
    private var queue: FairQueue<Key, PeerNetwork>
    private var rate: RateLimiter?
    private var calls: [Int: Call] = [:]
    /// The latest running call of each key.
    private var callOfKey: [Key: Int] = [:]
    /// Calls that precede the calls of waiting keys: retries, and parts of a batch. The last one is next.
    private var retries: [Call] = []
    private var lastNumber = 0
    private var waiterCount = 0
    private var breaker = CircuitBreaker()
    /// The breakers of lanes that fail on their own, fewer than `LookupLimits.failingLanes`.
    private var laneBreakers: [ArraySlice<UInt8>: CircuitBreaker] = [:]
    private var log = FailureLog()
    package var counters = LookupCounters()

    /// Creates the lookups.
    ///
    /// - Parameter lane: Returns the lane of a key. By default, there is one lane, without a name.
    package init(
        _ limits: LookupLimits, lane: @escaping @Sendable (Key) -> ArraySlice<UInt8> = { _ in [] }
    ) {
        self.limits = limits
        self.lane = lane
        queue = FairQueue(limit: limits.waiting)
        rate = limits.rate.map { RateLimiter(perSecond: $0) }
    }

    /// The time at which `expire` and `next` are needed. `nil` if no key waits, or if only the end of a call can
    /// change anything.
    package var deadline: UInt64? {
        guard let oldest = queue.oldest else { return nil }
        let expiry = oldest &+ LookupLimits.waitLimit
        guard let rate, calls.count < allowed else { return expiry }
        return min(expiry, rate.nextAt)
    }

    /// Returns whether a key or a retry waits for a call and the breaker permits it.
    package func hasWork(now: UInt64) -> Bool {
        !(queue.isEmpty && retries.isEmpty) && !breaker.isOpen(now: now)
    }

    /// The rejection of waiters while the breaker is open.
    package var pause: LookupRejection { .paused(log.current, until: breaker.openUntil) }

    package func status(now: UInt64) -> LookupStatus {
        LookupStatus(
            counters: counters, running: calls.count,
            waiting: queue.count + retries.reduce(0) { $0 + $1.keys.count }, failing: log.current,
            pausedFor: breaker.isOpen(now: now) ? breaker.openUntil - now : 0)
    }
}

extension LookupFlights {
    /// Adds a waiter to the call for its key, or to the queue for a new one.
    ///
    /// - Parameters:
    ///   - payload: Further data of the call, dropped after its start.
    ///   - network: The client's network, so that a client with many lookups delays only its own.
    ///   - notBefore: The earliest start of a running call that can be shared.
    package mutating func enter(
        _ key: Key, payload: [UInt8] = [], of network: PeerNetwork = .unknown, notBefore: UInt64 = 0, _ waiter: Waiter,
        now: UInt64
    ) -> [Action] {
        guard waiterCount < LookupLimits.waiters else { return overload([waiter], now: now) }
        if join(key, notBefore, waiter) {
            waiterCount += 1
            counters.shared += 1
            return []
        }
        guard !breaker.isOpen(now: now) else {
            counters.paused += 1
            return [.reject([waiter], pause)]
        }
        if let end = pauseEnd(ofLane: lane(key), now: now) {
            counters.paused += 1
            return [.reject([waiter], .paused(log.current, until: end))]
        }
        let evicted: Key?
        switch queue.enter(key, of: network, now: now) {
        case .refused: return overload([waiter], now: now)
        case .admitted: evicted = nil
        case .replaced(let key): evicted = key
        }
        entries[key] = Entry(payload: payload, waiters: [waiter])
        waiterCount += 1
        return evicted.map { overload(remove($0), now: now) } ?? []
    }

    /// Rejects the keys that waited too long.
    package mutating func expire(now: UInt64) -> [Action] {
        guard now >= LookupLimits.waitLimit else { return [] }
        let late = queue.removeAll(enteredBy: now - LookupLimits.waitLimit).flatMap { remove($0) }
        return late.isEmpty ? [] : overload(late, now: now)
    }

    /// Returns a call to start now. `nil` if none can start.
    ///
    /// - Parameter isNeeded: Whether a waiter still needs its result. Keys without such a waiter are dropped.
    package mutating func next(
        now: UInt64, credential: Int = 0, isNeeded: (Waiter) -> Bool = { _ in true }
    ) -> Call? {
        guard calls.count < allowed, !breaker.isOpen(now: now),
            var call = takeRetry(isNeeded) ?? dequeue(now: now, isNeeded)
        else { return nil }
        lastNumber += 1
        call.number = lastNumber
        call.startedAt = now
        call.credential = credential
        counters.calls += 1
        for key in call.keys { callOfKey[key] = call.number }
        calls[call.number] = call
        calls[call.number]?.payloads = []
        return call
    }

    /// Removes a call that has ended and passes its waiters to the caller. `nil` for an unknown number, after `stop`.
    package mutating func finish(_ number: Int) -> Call? {
        guard let call = calls.removeValue(forKey: number) else { return nil }
        for key in call.keys where callOfKey[key] == number { callOfKey[key] = nil }
        waiterCount -= call.waiterCount
        return call
    }

    /// Repeats a finished call before all waiting keys.
    package mutating func retry(_ call: Call) {
        var call = call
        call.isRetry = true
        postpone(call)
    }

    /// Repeats a finished call in two halves, so that one rejected key does not fail the other keys of its call.
    package mutating func retryInHalves(_ call: Call) {
        let middle = call.keys.count / 2
        for keys in [call.keys[middle...], call.keys[..<middle]] {
            var half = call
            half.keys = Array(keys)
            half.waiters = call.waiters.filter { keys.contains($0.key) }
            postpone(half)
        }
    }

    /// Records a successful call.
    ///
    /// - Parameter call: The call, if keys have lanes.
    package mutating func succeeded(_ call: Call? = nil) -> [Action] {
        breaker.close()
        if let key = call?.keys.first { laneBreakers[lane(key)] = nil }
        return log.succeeded().map { [.log($0)] } ?? []
    }

    /// Records a failed call.
    package mutating func failed(_ failure: LookupFailure, opensBreaker: Bool, now: UInt64) -> [Action] {
        counters.failed += 1
        let event = log.failed(failure, now: now).map { [Action.log($0)] } ?? []
        return opensBreaker ? event + openBreaker(failure, now: now) : event
    }

    /// Records a failed call whose reason may concern only its lane. It stops the calls of the lane for a while and
    /// rejects its waiting keys, or those of all lanes if the lane has no name or several fail.
    package mutating func failedInLane(_ call: Call, _ failure: LookupFailure, now: UInt64) -> [Action] {
        guard let name = call.keys.first.map(lane), !name.isEmpty else {
            return failed(failure, opensBreaker: true, now: now)
        }
        laneBreakers = laneBreakers.filter { now < $0.value.openUntil &+ LookupLimits.laneMemory }
        guard laneBreakers[name] != nil || laneBreakers.count + 1 < LookupLimits.failingLanes else {
            return failed(failure, opensBreaker: true, now: now)
        }
        let event = failed(failure, opensBreaker: false, now: now)
        var breaker = laneBreakers[name] ?? CircuitBreaker()
        breaker.open(failure, now: now)
        laneBreakers[name] = breaker
        let rejected = removeWaiting(inLane: name)
        counters.paused += UInt64(rejected.count)
        return rejected.isEmpty
            ? event : event + [.reject(rejected, .paused(log.current, until: breaker.openUntil))]
    }

    /// Stops calls for a while and rejects all waiting keys.
    package mutating func openBreaker(_ failure: LookupFailure, now: UInt64) -> [Action] {
        laneBreakers = [:]
        breaker.open(failure, now: now)
        let rejected = removeWaiting()
        counters.paused += UInt64(rejected.count)
        return rejected.isEmpty ? [] : [.reject(rejected, pause)]
    }

    /// Removes all keys and calls, and returns their waiters. The numbers of running calls become unknown.
    package mutating func stop() -> [Waiter] {
        removeWaiting() + calls.keys.flatMap { finish($0)?.allWaiters ?? [] }
    }
}

extension LookupFlights {
    private var allowed: Int { breaker.isHalfOpen ? 1 : limits.concurrency }

    /// Adds a waiter to the latest running call of the key if it started late enough, otherwise to the waiting key.
    private mutating func join(_ key: Key, _ notBefore: UInt64, _ waiter: Waiter) -> Bool {
        if let number = callOfKey[key], let call = calls[number], call.startedAt >= notBefore {
            calls[number]?.waiters[key]?.append(waiter)
            return true
        }
        guard entries[key] != nil else { return false }
        entries[key]?.waiters.append(waiter)
        return true
    }

    private mutating func takeRetry(_ isNeeded: (Waiter) -> Bool) -> Call? {
        while let call = retries.popLast() {
            if call.allWaiters.contains(where: isNeeded) { return call }
            waiterCount -= call.waiterCount
        }
        return nil
    }

    /// Returns the next call of the waiting keys. Keys of the same batch that cannot share it get calls of their own,
    /// which precede the calls of the other waiting keys.
    private mutating func dequeue(now: UInt64, _ isNeeded: (Waiter) -> Bool) -> Call? {
        guard !queue.isEmpty, rate?.take(now: now) ?? true else { return nil }
        var batch: [Call] = []
        var count = 0
        while count < limits.batch, let key = queue.next() {
            // The queue keeps the key of a removed entry.
            guard let entry = entries.removeValue(forKey: key) else { continue }
            guard entry.waiters.contains(where: isNeeded) else {
                waiterCount -= entry.waiters.count
                continue
            }
            count += 1
            let known = batch.firstIndex { call in call.keys.first.map { lane($0) == lane(key) } ?? false }
            if known == nil { batch.append(Call()) }
            batch[known ?? batch.count - 1].add(key, entry.payload, entry.waiters)
        }
        guard let first = batch.first else { return nil }
        retries += batch.dropFirst().reversed()
        return first
    }

    private mutating func postpone(_ call: Call) {
        waiterCount += call.waiterCount
        retries.append(call)
    }

    private mutating func remove(_ key: Key) -> [Waiter] {
        let waiters = entries.removeValue(forKey: key)?.waiters ?? []
        waiterCount -= waiters.count
        return waiters
    }

    private mutating func removeWaiting() -> [Waiter] {
        let postponed = retries.flatMap(\.allWaiters)
        retries = []
        waiterCount -= postponed.count
        return postponed + queue.removeAll(enteredBy: .max).flatMap { remove($0) }
    }

    /// Returns when the calls of a lane may start again. `nil` if they may start now. After its pause, one call of the
    /// lane runs at a time until one succeeds.
    private func pauseEnd(ofLane name: ArraySlice<UInt8>, now: UInt64) -> UInt64? {
        guard !laneBreakers.isEmpty, let breaker = laneBreakers[name] else { return nil }
        let isProbed = calls.values.contains { $0.keys.first.map(lane) == name }
        return breaker.isOpen(now: now) || isProbed ? breaker.openUntil : nil
    }

    private mutating func removeWaiting(inLane name: ArraySlice<UInt8>) -> [Waiter] {
        let postponed = retries.filter { $0.keys.first.map(lane) == name }.flatMap(\.allWaiters)
        retries.removeAll { $0.keys.first.map(lane) == name }
        waiterCount -= postponed.count
        return postponed + entries.keys.filter { lane($0) == name }.flatMap { remove($0) }
    }

    private mutating func overload(_ waiters: [Waiter], now: UInt64) -> [Action] {
        counters.overflowed += UInt64(waiters.count)
        let rejection = Action.reject(waiters, .overloaded)
        return log.overloaded(now: now).map { [rejection, .log($0)] } ?? [rejection]
    }
}

extension LookupFlights.Call {
    fileprivate var waiterCount: Int { waiters.values.reduce(0) { $0 + $1.count } }

    fileprivate mutating func add(_ key: Key, _ payload: [UInt8], _ waiters: [Waiter]) {
        keys.append(key)
        payloads.append(payload)
        self.waiters[key] = waiters
    }
}
