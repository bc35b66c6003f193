import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

struct ReloadCaseTests {
    /// Routes, upstreams, headers and issuers change under load. Each request uses one configuration.
    @Test(.tags(.k14))
    func `reloads under load lose no request`() async throws {
        try await ReloadScenario.run { reload in
            let load = try Load(connections: 4, requests: 2_000, of: reload.scenario).start()
            await reload.scenario.echo.waitForRequests(100)
            for round in 0..<40 {
                try await reload.reload { configuration in
                    configuration["headers"] = "{ extra: { X-Role: token.role, X-Side: token.sub } }"
                    if round.isMultiple(of: 3) {
                        configuration["identity"] = configuration["identity"]?
                            .replacing("stale_for: 24h }", with: "stale_for: 24h }, clock_skew: \(round + 1)s")
                    }
                    if round.isMultiple(of: 2) {
                        configuration.routes.insert("path: /side/**, auth: none, upstream: api", at: 0)
                    }
                    configuration["upstreams"] = configuration["upstreams"]?
                        .replacing("connect_timeout", with: "connections: \(64 + round), connect_timeout")
                }
            }
            let counts = await load.value
            #expect(counts.wrong == [])
            #expect(counts.failed == 0 && counts.turnedAway == 0)
            #expect(counts.passed == 8_000)
            #expect(try reload.gateway.metric("gatehouse_config_generation") == 41)
        }
    }
}
