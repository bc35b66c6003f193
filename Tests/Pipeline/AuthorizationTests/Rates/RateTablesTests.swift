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

    private func take(_ rates: RouteRates, _ network: PeerNetwork) -> RateTables.Refusal? {
        var counted = 0
        guard case .refused(let refusal)? = tables.take(rates, network: network, counted: &counted, now: 0) else {
            return nil
        }
        return refusal
    }

    private func take(_ rates: RouteRates, user: StoreKey?, _ network: PeerNetwork) -> RateTables.Refusal? {
        var counted = 0
        let outcome = tables.take(rates, user: user, network: network, counted: &counted, now: 0)
        guard case .refused(let refusal)? = outcome else { return nil }
        return refusal
    }

    @Test func `a request above the limit of its address does not count for the route`() throws {
        let rates = try rates(
            .init(per: .route, requests: 2, every: .seconds(60)), .init(per: .address, requests: 1, every: .seconds(60))
        )
        #expect(take(rates, here) == nil)
        for _ in 0..<5 { #expect(take(rates, here)?.retryAfter == 60) }
        #expect(take(rates, there) == nil)
        #expect(take(rates, .version4(3))?.limit.text == "rate: 2 per route in 1m")
    }

    @Test func `a request above the limit of its user is returned to the route's limit`() throws {
        let rates = try rates(
            .init(per: .uid, requests: 1, every: .seconds(60)), .init(per: .route, requests: 2, every: .seconds(60)))
        let ada = StoreKey(high: 1, low: 1)
        for pass in 0..<5 {
            #expect(take(rates, here) == nil)
            #expect((take(rates, user: ada, here) == nil) == (pass == 0))
        }
        #expect(take(rates, here) == nil)
        #expect(take(rates, here) != nil)
    }

    @Test func `anonymous requests are counted by network`() throws {
        let rates = try rates(.init(per: .uid, requests: 1, every: .seconds(60)))
        #expect(take(rates, user: nil, here) == nil)
        #expect(take(rates, user: nil, here) != nil)
        #expect(take(rates, user: nil, there) == nil)
        #expect(take(rates, user: StoreKey(high: 1, low: 1), here) == nil)
    }

    @Test func `an unchanged limit keeps its buckets`() throws {
        let limit = Configuration.RateLimit(per: .route, requests: 1, every: .seconds(60))
        let (first, second) = (try rates(limit), try rates(limit))
        #expect(take(first, here) == nil)
        #expect(take(second, here) != nil)
        var changed = limit
        changed.burst = 2
        let third = try rates(changed)
        #expect(take(third, here) == nil)
    }
}
