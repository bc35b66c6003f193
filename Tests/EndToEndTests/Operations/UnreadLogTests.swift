import DevelopmentIdentity
import Foundation
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

/// Readers of the logs that hang: neither requests nor the end of the process wait for them.
struct UnreadLogTests {
    /// Far less than for ever: the drain, and what closing both logs may take.
    private static let end = Allowance.time(.seconds(10))

    @Test func `an access log that nobody reads does not hold up the end`() async throws {
        try await Scenario.run(arrange: { $2.hasUnreadOutput = true }) { scenario in
            for _ in 0..<100 { #expect(try scenario.send(.get("/public/unread")).status == 200) }
            try scenario.admin("POST", "/v1/users/ada/revoke")
            scenario.gateway.signal(SIGTERM)
            #expect(try await scenario.gateway.exitCode(within: Self.end) == 0)
            #expect(scenario.gateway.errors.contains("the last lines of the access log were not written"))
            // The store was closed: no write-ahead log is left.
            #expect(!FileManager.default.fileExists(atPath: scenario.gateway.folder.path("gatehouse.db-wal")))
        }
    }

    @Test func `a log that nobody reads holds up neither requests nor the end`() async throws {
        let redis = try await RedisServer(["appendonly yes"])
        let open: @Sendable (inout GatewayConfiguration) -> Void = { configuration in
            configuration.routes.insert(
                "path: /open/**, revocation: strict, on_store_failure: allow, upstream: api", at: 0)
            configuration.hasUnreadErrors = true
        }
        try await Fleet.run(store: redis.store, arrange: open) { fleet in
            let scenario = fleet.first
            let token = try scenario.token()
            redis.kill()
            // Each is a line of the log, more than the pipe takes.
            for _ in 0..<400 { #expect(try scenario.send(.bearer(token, "/open/x")).status == 200) }
            #expect(try scenario.metric("gatehouse_store_failures_allowed_total") >= 300)
            #expect(try scenario.metric("gatehouse_log_unwritten_total", containing: "suppressed") >= 200)
            scenario.gateway.signal(SIGTERM)
            #expect(try await scenario.gateway.exitCode(within: Self.end) == 0)
        }
    }
}
