import Foundation
import Testing

@testable import Authorization
import GatewayConfiguration
@testable import GatewayCore
@testable import Revocation

@Suite struct RateTablesTests {
    private func rates(_ limits: Configuration.RateLimit...) throws -> RouteRates {
        var route = Configuration.Route(path: "/x", upstream: "a", location: SourceLocation(origin: "test"))
        route.rateLimits = limits
        return try #require(RouteRates(route))
    }

    private let tables = RateTables(clientBuckets: 64, routeBuckets: 64)
    private let here = PeerNetwork.version4(1)
    private let there = PeerNetwork.version4(2)

    @Test func `a request above the limit of its address does not count for the route`() throws {
        let rates = try rates(
            .init(per: .route, requests: 2, every: .seconds(60)), .init(per: .address, requests: 1, every: .seconds(60))
        )
        #expect(tables.take(rates, network: here, now: 0) == nil)
        for _ in 0..<5 { #expect(tables.take(rates, network: here, now: 0)?.retryAfter == 60) }
        #expect(tables.take(rates, network: there, now: 0) == nil)
        #expect(tables.take(rates, network: .version4(3), now: 0)?.limit.text == "rate: 2 per route in 1m")
    }

    @Test func `a request above the limit of its user is returned to the route's limit`() throws {
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

    @Test func `anonymous requests are counted by network`() throws {
        let rates = try rates(.init(per: .uid, requests: 1, every: .seconds(60)))
        #expect(tables.take(rates, user: nil, network: here, now: 0) == nil)
        #expect(tables.take(rates, user: nil, network: here, now: 0) != nil)
        #expect(tables.take(rates, user: nil, network: there, now: 0) == nil)
        #expect(tables.take(rates, user: StoreKey(high: 1, low: 1), network: here, now: 0) == nil)
    }

    @Test func `an unchanged limit keeps its buckets`() throws {
        let limit = Configuration.RateLimit(per: .route, requests: 1, every: .seconds(60))
        #expect(tables.take(try rates(limit), network: here, now: 0) == nil)
        #expect(tables.take(try rates(limit), network: here, now: 0) != nil)
        var changed = limit
        changed.burst = 2
        #expect(tables.take(try rates(changed), network: here, now: 0) == nil)
    }
}
