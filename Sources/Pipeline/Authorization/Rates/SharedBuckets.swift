import GatewayCore
import Revocation

/// The buckets that this gateway shares with others, as a pure value without I/O. Times are monotonic nanoseconds.
///
/// For each bucket, it has an estimate: the state that the store returned last, less the requests accepted since. A
/// request is accepted if the estimate has one, so that the request path does not wait for the store. The lease of a
/// bucket is the number of requests that may be accepted before the next charge: a batch. Unused leases cost nothing,
/// because only accepted requests are charged.
///
/// With *n* gateways, at most *n* - 1 batches are accepted beyond the limit in any period. Each gateway has at most a
/// batch that the others do not know of, and all of it is charged: a shared bucket may have a debt, which refills
/// first. See `SharedBucketsTests`.
///
/// The memory is bounded: a key has 16 adjacent slots, and takes over only the slot of a bucket that is full. A full
/// bucket is equivalent to none, also in the store, where it has expired. So the number of buckets in the store is
/// bounded by the slots of all gateways, whatever clients send.
struct SharedBuckets {
    /// The number of slots of a group.
    static let ways = 16
    /// How long the store is not called after a failure, in nanoseconds.
    static let pause: UInt64 = 1_000_000_000

    /// The result of `take`.
    enum Taken: Equatable {
        case accepted
        /// The bucket has a request after this number of seconds, at least 1.
        case empty(retryAfter: Int)
        /// The lease is used up, and its charge is under way.
        case waiting
        /// There is no slot for the bucket.
        case untracked
    }

    /// A change of the store's availability.
    enum Change: Equatable {
        case lost
        case regained
    }

    /// The counts for metrics.
    struct Counts: Sendable, Equatable {
        /// The requests that only this gateway counted, without the store or without a slot.
        var withoutStore: UInt64 = 0
        var withoutSlot: UInt64 = 0
        /// The requests that waited for a charge.
        var waits: UInt64 = 0
        var charges: UInt64 = 0
        var failedCharges: UInt64 = 0
    }

    private struct Slot {
        /// `nil` if it was never used.
        var limit: SharedLimit?
        var subject = SharedLimit.Subject.route
        /// When the bucket is full, by the estimate.
        var fullAt: UInt64 = 0
        /// The accepted requests that are not charged. Negative if requests were returned.
        var uncharged = 0
        /// The requests of the charge under way.
        var inFlight = 0
        var isQueued = false
    }

    /// Places of slots, in order.
    private struct Line {
        private var places: [Int] = []
        private var head = 0

        var isEmpty: Bool { head == places.count }

        mutating func append(_ place: Int) { places.append(place) }

        mutating func next() -> Int? {
            guard head < places.count else { return nil }
            let place = places[head]
            head += 1
            if head == places.count || head > 1_024 && 2 * head > places.count {
                places.removeFirst(head)
                head = 0
            }
            return place
        }
    }

    /// Whether charges succeed. If not, the estimates are this gateway's own buckets.
    private(set) var isShared = true
    private(set) var counts = Counts()

    private var keys: ContiguousArray<UInt64>
    private var slots: ContiguousArray<Slot>
    private let clientMask: UInt64
    private let routeMask: UInt64
    /// The places of slots with a charge. Those of routes have a line of their own, which clients cannot lengthen.
    private var clientLine = Line()
    private var routeLine = Line()
    /// The places of the charges under way.
    private var sent: [Int] = []
    private var isExchanging = false
    private var pausedUntil: UInt64 = 0

    /// Creates empty buckets.
    ///
    /// - Parameters:
    ///   - clientGroups: The number of groups for users and networks; a power of two.
    ///   - routeGroups: The number of groups for routes, which clients cannot fill; a power of two.
    init(clientGroups: Int, routeGroups: Int) {
        clientMask = UInt64(clientGroups - 1)
        routeMask = UInt64(routeGroups - 1)
        let count = (clientGroups + routeGroups) * Self.ways
        keys = ContiguousArray(repeating: 0, count: count)
        slots = ContiguousArray(repeating: Slot(), count: count)
    }

    // MARK: - Requests

    /// Takes a request from the bucket of a key.
    ///
    /// - Parameters:
    ///   - key: A hash of the limit and the subject with a secret.
    ///   - mayWait: Whether the request can wait for a charge. If not, a used-up lease is an empty bucket.
    mutating func take(
        _ key: UInt64, of limit: SharedLimit, for subject: SharedLimit.Subject, mayWait: Bool = true, now: UInt64
    ) -> Taken {
        guard let place = place(of: key, isRoute: subject == .route, now: now) else {
            counts.withoutSlot &+= 1
            return .untracked
        }
        if keys[place] != key {
            keys[place] = key
            let isQueued = slots[place].isQueued
            slots[place] = Slot(limit: limit, subject: subject, isQueued: isQueued)
        }
        let fullAt: UInt64
        switch limit.bucket.take(fullAt: slots[place].fullAt, now: now) {
        case .empty(let seconds): return .empty(retryAfter: seconds)
        case .taken(let time): fullAt = time
        }
        if isShared {
            guard slots[place].uncharged + slots[place].inFlight < limit.batch else {
                guard mayWait else { return .empty(retryAfter: 1) }
                counts.waits &+= 1
                return .waiting
            }
            slots[place].uncharged += 1
        } else {
            counts.withoutStore &+= 1
            slots[place].uncharged = min(slots[place].uncharged + 1, limit.batch)
        }
        slots[place].fullAt = fullAt
        enqueue(place)
        return .accepted
    }

    /// Returns a request to the bucket of a key. Returns `false` if the bucket has no slot.
    mutating func release(_ key: UInt64, isRoute: Bool) -> Bool {
        let places = group(of: key, isRoute: isRoute)
        guard let place = places.first(where: { keys[$0] == key }), let limit = slots[place].limit else { return false }
        let interval = limit.bucket.interval
        slots[place].fullAt = slots[place].fullAt > interval ? slots[place].fullAt - interval : 0
        slots[place].uncharged = max(slots[place].uncharged - 1, -limit.batch)
        enqueue(place)
        return true
    }

    /// Returns whether a request of this key would have to wait for a charge.
    func isWaiting(_ key: UInt64, isRoute: Bool) -> Bool {
        guard isShared, let place = group(of: key, isRoute: isRoute).first(where: { keys[$0] == key }),
            let limit = slots[place].limit
        else { return false }
        return slots[place].uncharged + slots[place].inFlight >= limit.batch
    }

    private func group(of key: UInt64, isRoute: Bool) -> Range<Int> {
        let first = isRoute ? Int(clientMask) + 1 + Int(key & routeMask) : Int(key & clientMask)
        return first * Self.ways..<(first + 1) * Self.ways
    }

    /// Returns the slot of a key, or one that the key may take over. `nil` if there is none.
    private func place(of key: UInt64, isRoute: Bool, now: UInt64) -> Int? {
        var free: Int?
        for place in group(of: key, isRoute: isRoute) {
            if keys[place] == key { return place }
            if free == nil, canReplace(slots[place], now: now) { free = place }
        }
        return free
    }

    /// Without the store, a queued slot keeps its place in the queue and its new bucket is charged later.
    private func canReplace(_ slot: Slot, now: UInt64) -> Bool {
        guard slot.limit != nil else { return true }
        guard slot.inFlight == 0, slot.fullAt <= now else { return false }
        return !isShared || slot.uncharged == 0 && !slot.isQueued
    }

    private mutating func enqueue(_ place: Int) {
        guard !slots[place].isQueued else { return }
        slots[place].isQueued = true
        if isRoute(place) { routeLine.append(place) } else { clientLine.append(place) }
    }

    private func isRoute(_ place: Int) -> Bool { place >= (Int(clientMask) + 1) * Self.ways }

    /// Returns the place of the next charge. Routes have half of a call at first, so that neither kind waits for all
    /// buckets of the other.
    private mutating func nextPlace(after count: Int) -> Int? {
        let isOfRoute = clientLine.isEmpty || count < RateCharge.limit / 2 && !routeLine.isEmpty
        return isOfRoute ? routeLine.next() : clientLine.next()
    }

    // MARK: - Charges

    /// Returns whether the caller must start to charge: call `nextCharges` and `charged` until there are none.
    mutating func startsCharging(now: UInt64) -> Bool {
        guard !isExchanging, !(clientLine.isEmpty && routeLine.isEmpty), now >= pausedUntil else { return false }
        isExchanging = true
        return true
    }

    /// Returns the next charges, at most ``RateCharge/limit``. If there are none, charging has ended.
    mutating func nextCharges(now: UInt64) -> [RateCharge] {
        var charges: [RateCharge] = []
        while now >= pausedUntil, charges.count < RateCharge.limit, let place = nextPlace(after: charges.count) {
            slots[place].isQueued = false
            guard let limit = slots[place].limit, slots[place].uncharged != 0 else { continue }
            charges.append(limit.charge(slots[place].uncharged, of: slots[place].subject))
            slots[place].inFlight = slots[place].uncharged
            slots[place].uncharged = 0
            sent.append(place)
        }
        isExchanging = !charges.isEmpty
        return charges
    }

    /// The buckets of the charges under way.
    var underWay: [SharedRates.Key] { sent.map { SharedRates.Key(hash: keys[$0], isRoute: isRoute($0)) } }

    /// Handles the result of the charges under way.
    ///
    /// - Parameter times: The times until the buckets are full, in nanoseconds. `nil` if the charges failed; they are
    ///   then repeated, so that a failure never adds requests to a limit.
    mutating func charged(_ times: [UInt64]?, now: UInt64) -> Change? {
        let isSuccess = times?.count == sent.count
        for (index, place) in sent.enumerated() {
            guard let limit = slots[place].limit else { continue }
            if isSuccess, let times {
                slots[place].inFlight = 0
                slots[place].fullAt = Self.time(
                    now + min(times[index], limit.longest), plus: slots[place].uncharged, limit.bucket.interval)
            } else {
                slots[place].uncharged = min(slots[place].uncharged + slots[place].inFlight, limit.batch)
                slots[place].inFlight = 0
                enqueue(place)
            }
        }
        if isSuccess { counts.charges &+= UInt64(sent.count) } else { counts.failedCharges &+= UInt64(sent.count) }
        sent.removeAll(keepingCapacity: true)
        if !isSuccess { pausedUntil = now + Self.pause }
        guard isShared != isSuccess else { return nil }
        isShared = isSuccess
        return isSuccess ? .regained : .lost
    }

    /// Returns a time plus a number of intervals, between 0 and the time of an interval that never ends.
    private static func time(_ start: UInt64, plus count: Int, _ interval: UInt64) -> UInt64 {
        let (product, overflows) = interval.multipliedReportingOverflow(by: UInt64(count.magnitude))
        let distance = overflows ? TokenBucket.longestTolerance : min(product, TokenBucket.longestTolerance)
        guard count < 0 else { return start + distance }
        return start > distance ? start - distance : 0
    }
}
