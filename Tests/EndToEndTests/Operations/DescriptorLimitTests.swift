import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// More clients than the file descriptor limit permits.
struct DescriptorLimitTests {
    private static func small(_ echo: EchoUpstream, _ configuration: inout GatewayConfiguration) {
        configuration["workers"] = "1"
        configuration["upstreams"] = """
            { api: { servers: ['\(echo.url)'], connections: 16 },
              down: { servers: ['http://127.0.0.1:1'], connections: 4 },
              hasty: { servers: ['\(echo.url)'], connections: 4 } }
            """
    }

    @Test func `idle connections leave descriptors for active ones`() async throws {
        try await Scenario.run(
            arrange: { _, echo, configuration in
                Self.small(echo, &configuration)
                configuration.descriptorLimit = 300
            }
        ) { scenario in
            try await scenario.gateway.untilLogged("fewer file descriptors")
            try await scenario.gateway.untilLogged("available=300 connections=144 needed=10156")
            // This connection has another address than the connections over the limit, and is not closed for them.
            let bystander = try RawClient(port: scenario.gateway.port, from: 2)
            #expect(try bystander.exchange(.get("/nowhere")).status == 404)
            let idle = try (0..<320).map { _ in try scenario.connect() }
            _ = try await eventually("connections over the limit") {
                let refused = try scenario.gateway.metric("gatehouse_connections_refused_total")
                return try scenario.gateway.metric("gatehouse_connections_evicted_total") + refused == 177 ? true : nil
            }
            #expect(try bystander.exchange(.get("/public/x")).status == 200)
            #expect(try bystander.exchange(.bearer(scenario.token(), "/me/x")).status == 200)
            #expect(idle.count == 320)
        }
    }

    @Test func `too few descriptors are an error at start`() async throws {
        let error = await #expect(throws: Impatience.self) {
            try await Scenario.run(
                arrange: { _, echo, configuration in
                    Self.small(echo, &configuration)
                    configuration.descriptorLimit = 200
                }
            ) { _ in }
        }
        #expect(error?.description.contains("may open 200 files but needs 10156") == true, "\(error)")
    }
}
