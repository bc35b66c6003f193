import DevelopmentIdentity
import IdentityFixtures
import Testing

/// Clients that send their bodies as slowly as permitted. There are more clients than connections to the upstream.
struct SlowUploadEndToEndTests {
    private func slowUpload(_ scenario: Scenario) throws -> RawClient {
        let client = try scenario.client(
            sending: "POST /public/slow HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nx")
        return client
    }

    @Test func `slow uploads do not delay other requests`() async throws {
        try await Scenario.run(
            arrange: { _, echo, configuration in
                configuration["workers"] = "1"
                configuration["upstreams"] = """
                    { api: { servers: ['\(echo.url)'], connections: 8, connect_timeout: 10s },
                      down: { servers: ['http://127.0.0.1:1'] }, hasty: { servers: ['\(echo.url)'] } }
                    """
            }
        ) { scenario in
            let slow = try (0..<12).map { _ in try slowUpload(scenario) }
            await scenario.echo.waitForHeads(6)
            let bystander = try RawClient(port: scenario.gateway.port, timeout: 5)
            for _ in 0..<3 { #expect(try bystander.exchange(.get("/public/get")).status == 200) }
            #expect(try bystander.exchange(.post("/public/post", body: Array("small".utf8))).status == 200)
            #expect(try bystander.exchange(.bearer(scenario.token(), "/me/get")).status == 200)
            #expect(slow.count == 12)
        }
    }
}
