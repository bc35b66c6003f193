import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// A gateway whose configuration the test changes, and the reload metrics of the gateway.
struct ReloadScenario: Sendable {
    let scenario: Scenario
    /// The initial configuration.
    let first: GatewayConfiguration

    static func run(
        watch: String = "null", arrange: (inout GatewayConfiguration) -> Void = { _ in },
        _ body: (ReloadScenario) async throws -> Void
    ) async throws {
        var first: GatewayConfiguration?
        try await Scenario.run(arrange: {
            $2["reload"] = "{ watch: \(watch) }"
            arrange(&$2)
            first = $2
        }) { scenario in
            try await body(ReloadScenario(scenario: scenario, first: try #require(first)))
        }
    }

    var gateway: GatewayProcess { scenario.gateway }

    /// Rewrites the configuration.
    func write(_ change: (inout GatewayConfiguration) -> Void) throws {
        var next = first
        change(&next)
        try gateway.rewrite(next.text)
    }

    /// Rewrites the configuration, sends SIGHUP and waits until the reload has ended.
    func reload(
        ends result: String = "ok", _ change: (inout GatewayConfiguration) -> Void
    ) async throws {
        let before = try count(result)
        try write(change)
        gateway.signal(SIGHUP)
        try await untilEnded(result, after: before)
    }

    func untilEnded(_ result: String, after before: Int) async throws {
        _ = try await eventually("a reload with the result \(result); standard error: \(gateway.errors)") {
            try count(result) > before ? true : nil
        }
    }

    func count(_ result: String) throws -> Int {
        try gateway.metric("gatehouse_config_reloads_total", "result=\"\(result)\"")
    }
}
