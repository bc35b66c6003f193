import DevelopmentIdentity
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

/// Rate limits that two gateways share over one Redis.
struct SharedRateLimitTests {
    private static func arrange(_ configuration: inout GatewayConfiguration) {
        let limit = "requests: 50, every: 1h, scope: fleet"
        configuration.routes.insert("path: /fleet/**, rate_limit: [{ per: uid, \(limit) }], upstream: api", at: 0)
        configuration.routes.insert(
            "path: /all/**, auth: none, rate_limit: [{ per: route, \(limit) }], upstream: api", at: 0)
    }

    /// Returns how many requests are accepted by the gateways in turn. The others are denied.
    private func accepted(_ gateways: [Scenario], _ request: WireRequest, of count: Int) throws -> Int {
        var accepted = 0
        for number in 0..<count {
            let status = try gateways[number % gateways.count].send(request).status
            #expect(status == 200 || status == 429)
            if status == 200 { accepted += 1 }
        }
        return accepted
    }

    @Test func `two gateways share a limit, and count alone while Redis is down`() async throws {
        let redis = try await RedisServer()
        try await Fleet.run(2, store: redis.store, arrange: Self.arrange) { fleet in
            let request = WireRequest.bearer(try fleet.first.token(.ada), "/fleet/x")
            // A batch is five requests, so each other gateway adds at most five.
            let total = try accepted(fleet.gateways, request, of: 90)
            #expect((50...56).contains(total), "\(total)")
            for gateway in fleet.gateways {
                let refused = try gateway.send(request)
                #expect(refused.text.contains("\"code\":\"request/rate-limited\""))
                #expect(refused["Retry-After"].flatMap(Int.init).map { (1...400).contains($0) } == true)
                #expect(try gateway.send(.bearer(gateway.token(.grace), "/fleet/x")).status == 200)
                #expect(try gateway.metric("gatehouse_rate_limit_shared") == 1)
            }
            let keys = try await eventually("both users") {
                let keys = try redis.cli("KEYS", "gatehouse:rate:*").split(separator: "\n")
                return keys.count == 2 ? keys : nil
            }
            for key in keys {
                #expect(!key.contains("ada"))
                #expect(try redis.cli("PTTL", String(key)) != "-1")
            }
            redis.kill()
            for gateway in fleet.gateways {
                _ = try await eventually("the outage") {
                    _ = try gateway.send(.bearer(gateway.token(.named("bob")), "/fleet/x"))
                    return try gateway.metric("gatehouse_rate_limit_shared") == 0 ? true : nil
                }
                try await gateway.gateway.untilLogged("rate limits: Redis is unavailable")
                #expect(try accepted([gateway], .get("/all/x"), of: 60) == 50)
            }
            try await redis.start()
            for gateway in fleet.gateways {
                _ = try await eventually("the return") {
                    _ = try gateway.send(.get("/all/x"))
                    return try gateway.metric("gatehouse_rate_limit_shared") == 1 ? true : nil
                }
                try await gateway.gateway.untilLogged("rate limits: shared by all gateways again")
            }
        }
    }

    @Test func `concurrent requests of a new user are all accepted within the limit`() async throws {
        let redis = try await RedisServer()
        try await Fleet.run(store: redis.store, arrange: Self.arrange) { fleet in
            let request = WireRequest.bearer(try fleet.first.token(.ada), "/fleet/x")
            let gateway = fleet.first
            // More than a batch: some wait for a charge.
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<40 { group.addTask { try gateway.send(request).status } }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [200: 40])
            #expect(try accepted([gateway], request, of: 20) == 10)
        }
    }
}
