import Foundation
import Synchronization
import Testing

@testable import Authorization
@testable import GatewayConfiguration
@testable import GatewayCore
@testable import Revocation

@Suite struct RateTableTests {
    private static let second: UInt64 = 1_000_000_000
    /// Ten a second, at most ten at once.
    private let shape = CallBucket(requests: 10, every: second, burst: 10)

    @Test func aBucketHoldsItsBurstAndRefillsEvenly() {
        let table = RateTable(groups: 1)
        let now = 5 * Self.second
        for _ in 0..<10 { #expect(table.take(7, of: shape, now: now) == nil) }
        #expect(table.take(7, of: shape, now: now) == 1)
        #expect(table.take(8, of: shape, now: now) == nil)
        #expect(table.take(7, of: shape, now: now + Self.second / 10) == nil)
        #expect(table.take(7, of: shape, now: now + Self.second / 10) == 1)
        for _ in 0..<10 { #expect(table.take(7, of: shape, now: now + 60 * Self.second) == nil) }
    }

    @Test(arguments: [(1, 60, 60), (2, 60, 30), (100, 60, 1), (7, 60, 9)]) func tellsAfterHowManySecondsThereIsOne(
        row: (requests: Int, every: Int, wait: Int)
    ) {
        let table = RateTable(groups: 1)
        let shape = CallBucket(requests: row.requests, every: UInt64(row.every) * Self.second, burst: 1)
        #expect(table.take(1, of: shape, now: 0) == nil)
        #expect(table.take(1, of: shape, now: 0) == row.wait)
        #expect(table.take(1, of: shape, now: UInt64(row.wait) * Self.second) == nil)
    }

    @Test func whatIsGivenBackCanBeTakenAgain() {
        let table = RateTable(groups: 1)
        for _ in 0..<10 { _ = table.take(7, of: shape, now: 0) }
        #expect(table.take(7, of: shape, now: 0) == 1)
        table.giveBack(7, of: shape)
        table.giveBack(9, of: shape)
        #expect(table.take(7, of: shape, now: 0) == nil)
        #expect(table.take(7, of: shape, now: 0) == 1)
    }

    @Test func whoCrowdsATableWinsNothing() {
        let table = RateTable(groups: 1)
        let now = Self.second
        for _ in 0..<10 { _ = table.take(1, of: shape, now: now) }
        // Others take its place...
        for key in UInt64(2)...40 { for _ in 0..<10 { _ = table.take(key, of: shape, now: now) } }
        // ...and yet it has not more than it had.
        var taken = 0
        for _ in 0..<20 where table.take(1, of: shape, now: now) == nil { taken += 1 }
        #expect(taken == 0)
        #expect(table.take(1, of: shape, now: now + 2 * Self.second) == nil)
    }

    @Test func theBucketsOfManyWorkersAreOne() {
        let table = RateTable(groups: 64)
        let shape = CallBucket(requests: 1_000, every: 3600 * Self.second, burst: 1_000)
        let taken = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            var mine = 0
            for _ in 0..<1_000 where table.take(99, of: shape, now: Self.second) == nil { mine += 1 }
            taken.withLock { $0 += mine }
        }
        // A key that is new on several at once may be noted twice, each time with one request.
        #expect((1_000...1_008).contains(taken.withLock { $0 }))
    }

    @Test func extremeLimitsDoNotOverflow() {
        let table = RateTable(groups: 1)
        let slow = CallBucket(requests: 1, every: 86_400 * Self.second, burst: 1_000_000)
        for _ in 0..<100 { #expect(table.take(1, of: slow, now: 1 << 60) == nil) }
        let fast = CallBucket(requests: 1_000_000, every: Self.second, burst: 1)
        #expect(table.take(2, of: fast, now: 0) == nil)
        #expect(table.take(2, of: fast, now: 0) == 1)
    }
}

@Suite struct RateTablesTests {
    private func rates(_ limits: Configuration.RateLimit...) throws -> RouteRates {
        var route = Configuration.Route(path: "/x", upstream: "a", location: SourceLocation(origin: "test"))
        route.rateLimits = limits
        return try #require(RouteRates(route))
    }

    private let tables = RateTables(clientBuckets: 64, routeBuckets: 64)
    private let here = PeerNetwork.version4(1)
    private let there = PeerNetwork.version4(2)

    @Test func anAddressThatIsRefusedCostsTheRouteNothing() throws {
        let rates = try rates(
            .init(per: .route, requests: 2, every: .seconds(60)), .init(per: .address, requests: 1, every: .seconds(60))
        )
        #expect(tables.take(rates, network: here, now: 0) == nil)
        for _ in 0..<5 { #expect(tables.take(rates, network: here, now: 0)?.retryAfter == 60) }
        #expect(tables.take(rates, network: there, now: 0) == nil)
        #expect(tables.take(rates, network: .version4(3), now: 0)?.limit.text == "rate: 2 per route in 1m")
    }

    @Test func aUserWhoIsRefusedGivesTheRoutesBack() throws {
        let rates = try rates(
            .init(per: .uid, requests: 1, every: .seconds(60)), .init(per: .route, requests: 2, every: .seconds(60)))
        let ada = StoreKey(high: 1, low: 1)
        for pass in 0..<5 {
            #expect(tables.take(rates, network: here, now: 0) == nil)
            #expect((tables.take(rates, user: ada, network: here, now: 0) == nil) == (pass == 0))
        }
        #expect(tables.take(rates, network: here, now: 0) == nil)
        #expect(tables.take(rates, network: here, now: 0) != nil)
    }

    @Test func theAnonymousAreToldByTheirNetwork() throws {
        let rates = try rates(.init(per: .uid, requests: 1, every: .seconds(60)))
        #expect(tables.take(rates, user: nil, network: here, now: 0) == nil)
        #expect(tables.take(rates, user: nil, network: here, now: 0) != nil)
        #expect(tables.take(rates, user: nil, network: there, now: 0) == nil)
        #expect(tables.take(rates, user: StoreKey(high: 1, low: 1), network: here, now: 0) == nil)
    }

    @Test func theSameLimitReadAgainHasTheSameBuckets() throws {
        let limit = Configuration.RateLimit(per: .route, requests: 1, every: .seconds(60))
        #expect(tables.take(try rates(limit), network: here, now: 0) == nil)
        #expect(tables.take(try rates(limit), network: here, now: 0) != nil)
        var changed = limit
        changed.burst = 2
        #expect(tables.take(try rates(changed), network: here, now: 0) == nil)
    }
}
