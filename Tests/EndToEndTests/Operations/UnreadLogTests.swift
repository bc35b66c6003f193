import DevelopmentIdentity
import Foundation
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

/// Logs that are not read: neither requests nor the shutdown wait for the reader.
struct UnreadLogTests {
    /// The limit for the shutdown, which includes the drain and closing both logs.
    private static let end = Allowance.hang

    @Test func `an unread access log does not delay the shutdown`() async throws {
        try await Scenario.run(arrange: { $2.hasUnreadOutput = true }) { scenario in
            for _ in 0..<100 { #expect(try scenario.send(.get("/public/unread")).status == 200) }
            try scenario.admin("POST", "/v1/users/ada/revoke")
            scenario.gateway.signal(SIGTERM)
            #expect(try await scenario.gateway.exitCode(within: Self.end) == 0)
            #expect(scenario.gateway.errors.contains("the last lines of the access log were not written"))
            // The store was closed: there is no write-ahead log.
            #expect(!FileManager.default.fileExists(atPath: scenario.gateway.folder.path("gatehouse.db-wal")))
        }
    }

    @Test func `an unread log delays neither requests nor the shutdown`() async throws {
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
            // Each request adds a line to the log. Together they exceed the size of the pipe.
            for _ in 0..<400 { #expect(try scenario.send(.bearer(token, "/open/x")).status == 200) }
            #expect(try scenario.metric("gatehouse_store_failures_allowed_total") >= 300)
            #expect(try scenario.metric("gatehouse_log_unwritten_total", containing: "suppressed") >= 200)
            scenario.gateway.signal(SIGTERM)
            #expect(try await scenario.gateway.exitCode(within: Self.end) == 0)
        }
    }
}
