import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// The upstream stops and restarts.
struct UpstreamRestartTests {
    @Test func `a request is retried if its idle connection was closed`() async throws {
        try await Scenario.run { scenario in
            let client = try scenario.connect()
            for _ in 0..<5 {
                #expect(try client.exchange(.get("/public/again")).status == 200)
                await scenario.echo.stopListening()
                try await scenario.echo.resumeListening()
                #expect(try client.exchange(.get("/public/again")).status == 200)
            }
        }
    }

    @Test func `under load, no request gets the response of another`() async throws {
        try await Scenario.run { scenario in
            let load = try Load(connections: 16, requests: 250, of: scenario)
            let answers = load.start()
            for _ in 0..<4 {
                try await Task.sleep(for: .milliseconds(150))
                await scenario.echo.stopListening()
                try await Task.sleep(for: .milliseconds(50))
                try await scenario.echo.resumeListening()
            }
            let counts = await answers.value
            #expect(counts.wrong == [])
            #expect(counts.passed + counts.failed == 16 * 250)
            #expect(counts.passed > 1000 / Allowance.factor, "\(counts)")
        }
    }
}
