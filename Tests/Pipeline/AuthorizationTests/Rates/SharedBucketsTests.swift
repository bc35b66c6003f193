import Testing

@testable import Authorization
@testable import GatewayCore
import Revocation
@testable import SystemFixtures

@Suite final class SharedBucketsTests {
    private static let second: UInt64 = 1_000_000_000
    /// Twenty requests in 20 seconds: batches of two.
    private let limit = SharedLimit(TokenBucket(requests: 20, every: 20 * second, burst: 20), name: "l")
    private var buckets = SharedBuckets(clientGroups: 1, routeGroups: 1)

    // Mutating calls are not possible in an expectation.
    private func take(_ key: UInt64 = 7, _ count: Int = 1, now: UInt64 = 0) -> [SharedBuckets.Taken] {
        (0..<count).map { _ in buckets.take(key, of: limit, for: .network(.version4(1)), now: now) }
    }

    private func release(_ key: UInt64) -> Bool { buckets.release(key, isRoute: false) }

    private func startsCharging(now: UInt64 = 0) -> Bool { buckets.startsCharging(now: now) }

    private func nextCharges(now: UInt64 = 0) -> [RateCharge] { buckets.nextCharges(now: now) }

    private func charged(_ times: [UInt64]?, now: UInt64 = 0) -> SharedBuckets.Change? {
        buckets.charged(times, now: now)
    }

    /// Makes a charge, for which the store returns the time until the bucket is full.
    @discardableResult
    private func charge(full: UInt64, now: UInt64 = 0) -> [RateCharge] {
        _ = startsCharging(now: now)
        let charges = nextCharges(now: now)
        _ = charged(charges.map { _ in full }, now: now)
        _ = nextCharges(now: now)
        return charges
    }

    @Test func `a batch is accepted without the store, and the next request waits for the charge`() {
        #expect(take(7, 3) == [.accepted, .accepted, .waiting])
        #expect(buckets.isWaiting(7, isRoute: false))
        let charges = charge(full: 2 * Self.second)
        #expect(charges.map(\.requests) == [2])
        #expect(charges.map(\.name) == ["l:4" + (UInt32(1).bigEndian == 1 ? "00000001" : "01000000")])
        #expect(!buckets.isWaiting(7, isRoute: false))
        #expect(take() == [.accepted])
        #expect(buckets.counts.waits == 1)
    }

    @Test func `requests of other gateways count`() {
        #expect(take() == [.accepted])
        charge(full: 20 * Self.second)
        #expect(take() == [.empty(retryAfter: 1)])
        #expect(take(7, 2, now: Self.second) == [.accepted, .empty(retryAfter: 1)])
        #expect(take(8) == [.accepted])
    }

    @Test func `a debt is paid back before requests are accepted`() {
        #expect(take() == [.accepted])
        charge(full: 25 * Self.second)
        #expect(take() == [.empty(retryAfter: 6)])
        #expect(take(7, 1, now: 6 * Self.second) == [.accepted])
    }

    @Test func `a request that cannot wait is denied`() {
        _ = take(7, 2)
        let taken = buckets.take(7, of: limit, for: .network(.version4(1)), mayWait: false, now: 0)
        #expect(taken == .empty(retryAfter: 1))
    }

    @Test func `requests during a charge count in addition to its result`() {
        #expect(take() == [.accepted])
        _ = startsCharging()
        let charges = nextCharges()
        #expect(charges.map(\.requests) == [1])
        #expect(take(7, 2) == [.accepted, .waiting])
        #expect(charged([20 * Self.second]) == nil)
        #expect(nextCharges().map(\.requests) == [1])
        // The bucket was empty when the store returned, and one more request was accepted.
        #expect(take(7, 1, now: Self.second) == [.empty(retryAfter: 1)])
        #expect(take(7, 1, now: 2 * Self.second) == [.accepted])
    }

    @Test func `one charge is under way at a time, and charging ends without requests`() {
        #expect(!startsCharging())
        _ = take()
        #expect(startsCharging())
        _ = take(8)
        #expect(!startsCharging())
        #expect(nextCharges().count == 2)
        #expect(charged([1, 1]) == nil)
        #expect(nextCharges().isEmpty)
        #expect(!startsCharging())
        _ = take(9)
        #expect(startsCharging())
    }

    @Test func `charges are limited to 50 of a call`() {
        buckets = SharedBuckets(clientGroups: 8, routeGroups: 1)
        for key in UInt64(1)...60 { _ = take(key) }
        _ = startsCharging()
        let first = nextCharges().count
        #expect(first == RateCharge.limit)
        _ = charged([UInt64](repeating: 1, count: first))
        #expect(nextCharges().count == 10)
    }

    @Test func `charges of clients do not delay those of routes, or the reverse`() {
        buckets = SharedBuckets(clientGroups: 8, routeGroups: 8)
        for key in UInt64(1)...60 { _ = take(key) }
        for key in UInt64(1)...60 { _ = buckets.take(key, of: limit, for: .route, now: 0) }
        _ = startsCharging()
        var routes: [Int] = []
        for _ in 0..<3 {
            let charges = nextCharges()
            routes.append(charges.count { $0.name.hasSuffix(":route") })
            _ = charged(charges.map { _ in 1 })
        }
        #expect(routes == [25, 25, 10])
        #expect(nextCharges().isEmpty)
    }

    // MARK: - Without the store

    @Test func `without the store, the gateway counts itself by the full limit`() {
        _ = take(7, 2)
        _ = startsCharging()
        #expect(nextCharges().count == 1)
        #expect(charged(nil) == .lost)
        #expect(!buckets.isShared)
        #expect(!buckets.isWaiting(7, isRoute: false))
        #expect(take(7, 18).allSatisfy { $0 == .accepted })
        #expect(take() == [.empty(retryAfter: 1)])
        #expect(buckets.counts.withoutStore == 18)
    }

    @Test func `the store is called again after a second, with at most a batch of each bucket`() {
        _ = take()
        _ = startsCharging()
        _ = nextCharges()
        #expect(charged(nil) == .lost)
        #expect(nextCharges().isEmpty)
        _ = take(7, 10)
        #expect(!startsCharging(now: SharedBuckets.pause - 1))
        #expect(startsCharging(now: SharedBuckets.pause))
        #expect(nextCharges(now: SharedBuckets.pause).map(\.requests) == [2])
        #expect(charged([20 * Self.second], now: SharedBuckets.pause) == .regained)
        #expect(buckets.isShared)
        #expect(take(7, 1, now: SharedBuckets.pause) == [.empty(retryAfter: 1)])
    }

    @Test func `a response with another number of results is a failure`() {
        _ = take()
        _ = startsCharging()
        _ = nextCharges()
        #expect(charged([]) == .lost)
    }

    @Test func `a result of the store beyond all bounds is clamped`() {
        _ = take()
        charge(full: .max)
        guard case .empty(let seconds) = take()[0] else {
            Issue.record("the bucket is not empty")
            return
        }
        #expect(UInt64(seconds) <= limit.longest / Self.second)
    }

    // MARK: - Returned requests

    @Test func `a returned request is charged less, or returned to the store`() {
        _ = take(7, 2)
        #expect(release(7))
        #expect(charge(full: Self.second).map(\.requests) == [1])
        #expect(release(7))
        #expect(charge(full: 0).map(\.requests) == [-1])
        #expect(!release(9))
    }

    // MARK: - Memory

    @Test func `a bucket without a slot is untracked until another one is full`() {
        for key in UInt64(1)...16 { #expect(take(key) == [.accepted]) }
        #expect(take(17) == [.untracked])
        #expect(buckets.counts.withoutSlot == 1)
        // A bucket that is not charged keeps its slot, even when it is full by now.
        #expect(take(17, 1, now: 60 * Self.second) == [.untracked])
        charge(full: Self.second, now: 60 * Self.second)
        #expect(take(17, 1, now: 60 * Self.second) == [.untracked])
        #expect(take(17, 1, now: 61 * Self.second) == [.accepted])
    }

    @Test func `clients take no slots of routes`() {
        for key in UInt64(1)...17 { _ = take(key) }
        let taken = buckets.take(17, of: limit, for: .route, now: 0)
        #expect(taken == .accepted)
    }

    @Test func `without the store, slots are taken over too`() {
        for key in UInt64(1)...16 { _ = take(key) }
        _ = startsCharging()
        _ = nextCharges()
        _ = charged(nil)
        _ = nextCharges()
        #expect(take(17) == [.untracked])
        #expect(take(17, 1, now: 2 * Self.second) == [.accepted])
        #expect(startsCharging(now: 2 * Self.second))
        #expect(nextCharges(now: 2 * Self.second).count == 16)
    }
}

/// The bound of the error, with several gateways, delayed charges and bursts.
@Suite struct SharedBucketsBoundTests {
    /// The store's bucket, as its script computes it.
    private struct StoreBucket {
        var fullAt: UInt64 = 0

        mutating func charge(_ charge: RateCharge, now: UInt64) -> UInt64 {
            let charged = Int64(max(fullAt, now)) + Int64(charge.requests) * Int64(charge.interval)
            fullAt = min(UInt64(max(charged, Int64(now))), now + charge.longest)
            return fullAt - now
        }
    }

    private enum Event {
        case request(Int)
        /// A charge arrives at the store.
        case charge(Int, [RateCharge])
        /// A result arrives at the gateway.
        case result(Int, [UInt64])
    }

    private struct Fleet {
        var gateways: [SharedBuckets]
        var store = StoreBucket()
        var events: [(time: UInt64, event: Event)] = []
        var accepted: [UInt64] = []
        let limit: SharedLimit
        let delay: UInt64
        var random: SeededRandom

        mutating func add(_ event: Event, at time: UInt64) {
            let place = events.firstIndex { $0.time > time } ?? events.endIndex
            events.insert((time, event), at: place)
        }

        mutating func send(_ gateway: Int, _ now: UInt64) {
            let charges = gateways[gateway].nextCharges(now: now)
            guard !charges.isEmpty else { return }
            add(.charge(gateway, charges), at: now + UInt64.random(in: 1...delay, using: &random))
        }

        mutating func run() {
            while !events.isEmpty {
                let (now, event) = events.removeFirst()
                switch event {
                case .request(let gateway):
                    let taken = gateways[gateway].take(1, of: limit, for: .route, now: now)
                    if taken == .accepted { accepted.append(now) }
                    if gateways[gateway].startsCharging(now: now) { send(gateway, now) }
                case .charge(let gateway, let charges):
                    let times = charges.map { store.charge($0, now: now) }
                    add(.result(gateway, times), at: now + UInt64.random(in: 1...delay, using: &random))
                case .result(let gateway, let times):
                    _ = gateways[gateway].charged(times, now: now)
                    send(gateway, now)
                }
            }
        }

        /// The maximum number of requests of a period beyond the burst and the refill.
        var excess: Int {
            var excess = 0
            for first in accepted.indices {
                for last in first..<accepted.endIndex {
                    let refilled = Int((accepted[last] - accepted[first]) / limit.bucket.interval)
                    excess = max(excess, last - first + 1 - limit.bucket.burst - refilled)
                }
            }
            return excess
        }
    }

    private func fleet(_ seed: UInt64) -> Fleet {
        var random = SeededRandom(seed: seed)
        let burst = Int(UInt64.random(in: 1...60, using: &random))
        let bucket = TokenBucket(requests: 1, every: 1_000 * UInt64.random(in: 1...50, using: &random), burst: burst)
        let gateways = Int(UInt64.random(in: 1...6, using: &random))
        let period = bucket.interval * UInt64(burst) * UInt64.random(in: 1...3, using: &random)
        var fleet = Fleet(
            gateways: (0..<gateways).map { _ in SharedBuckets(clientGroups: 1, routeGroups: 1) },
            limit: SharedLimit(bucket, name: "l"), delay: UInt64.random(in: 1...3 * bucket.interval, using: &random),
            random: random)
        for _ in 0..<300 {
            fleet.add(
                .request(.random(in: 0..<gateways, using: &fleet.random)),
                at: .random(in: 0...period, using: &fleet.random))
        }
        return fleet
    }

    @Test func `the gateways accept at most a batch of each other gateway beyond the limit, in any period`() {
        var reached = 0
        for seed in UInt64(1)...200 {
            var fleet = fleet(seed)
            fleet.run()
            let bound = (fleet.gateways.count - 1) * fleet.limit.batch
            #expect(fleet.excess <= bound, "seed \(seed)")
            if bound > 0, fleet.excess == bound { reached += 1 }
        }
        // The bound is tight, so that a larger lease would break it.
        #expect(reached > 0)
    }

    @Test func `one gateway accepts the limit exactly`() {
        let bucket = TokenBucket(requests: 50, every: 50_000, burst: 50)
        var fleet = Fleet(
            gateways: [SharedBuckets(clientGroups: 1, routeGroups: 1)], limit: SharedLimit(bucket, name: "l"), delay: 1,
            random: SeededRandom(seed: 1))
        // One request in each nanosecond: many wait for charges.
        for time in UInt64(0)..<999 { fleet.add(.request(0), at: time) }
        fleet.run()
        #expect(fleet.accepted.count == 50)
    }
}
