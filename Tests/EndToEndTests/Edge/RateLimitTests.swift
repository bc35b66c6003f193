import DevelopmentIdentity
import Testing

@testable import SystemFixtures

struct RateLimitTests {
    private func statuses(_ scenario: Scenario, _ request: WireRequest, _ count: Int) throws -> [Int: Int] {
        // The kernel distributes the connections over both workers, so each request uses a new one.
        try (0..<count).reduce(into: [:]) { statuses, _ in statuses[try scenario.send(request).status, default: 0] += 1
        }
    }

    @Test func `a limit per user holds across all workers`() async throws {
        try await Scenario.run(arrange: {
            $2.routes = ["path: /me/**, rate_limit: [{ per: uid, requests: 20, every: 1h }], upstream: api"]
        }) { scenario in
            let ada = try scenario.token(.ada)
            #expect(try statuses(scenario, .bearer(ada, "/me/x"), 40) == [200: 20, 429: 20])
            #expect(scenario.echo.requestCount == 20)
            #expect(try scenario.send(.bearer(scenario.token(.grace), "/me/x")).status == 200)
            let refused = try scenario.send(.bearer(ada, "/me/x"))
            #expect(refused.text.contains("\"code\":\"request/rate-limited\""))
            #expect(refused["Retry-After"].flatMap(Int.init).map { (150...180).contains($0) } == true)
            #expect(try scenario.metric("gatehouse_requests_total", containing: "request/rate-limited") == 21)
        }
    }

    @Test func `a limit per address applies before the token is verified`() async throws {
        try await Scenario.run(arrange: {
            $2.routes = [
                "path: /me/**, rate_limit: [{ per: address, requests: 5, every: 1h }], upstream: api",
                "path: /other/**, upstream: api",
            ]
        }) { scenario in
            #expect(try statuses(scenario, .bearer("broken", "/me/x"), 10) == [401: 5, 429: 5])
            let token = try scenario.token()
            #expect(try scenario.send(.bearer(token, "/me/x")).status == 429)
            #expect(try scenario.send(.bearer(token, "/other/x")).status == 200)
            _ = try await eventually("the log line with the limit") {
                scenario.gateway.output.contains("\"reason\":\"rate: 5 per address in 1h\"") ? true : nil
            }
        }
    }

    @Test func `a limit refills`() async throws {
        try await Scenario.run(arrange: {
            $2.routes = ["path: /p, auth: none, rate_limit: [{ per: route, requests: 1, every: 1s }], upstream: api"]
        }) { scenario in
            #expect(try scenario.send(.get("/p")).status == 200)
            _ = try await eventually("one more") { try scenario.send(.get("/p")).status == 200 ? true : nil }
        }
    }
}
