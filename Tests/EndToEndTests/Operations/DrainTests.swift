import DevelopmentIdentity
import Foundation
import IdentityFixtures
import Testing

@testable import SystemFixtures

/// SIGTERM: what runs is finished, nothing new is taken after `drain.delay`.
struct DrainTests {
    @Test func aSlowAnswerIsFinishedAndTheExitCodeIsZero() async throws {
        try await Scenario.run(arrange: { $2["drain"] = "{ delay: 300ms, timeout: 10s }" }) { scenario in
            let gateway = scenario.gateway
            let slow = try RawClient(port: gateway.port)
            try slow.send(WireRequest.get("/public/slow?hold=drain&bytes=100000").bytes)
            await scenario.echo.waitForHeads(1)
            gateway.signal(SIGTERM)
            _ = try await eventually("503 of /readyz") { try gateway.readiness().status == 503 ? true : nil }
            #expect(try gateway.readiness().text.contains("draining"))
            #expect(try scenario.send(.get("/public/during")).status == 200)
            _ = try await eventually("an end of listening") { (try? RawClient(port: gateway.port)) == nil ? true : nil }
            scenario.echo.release("drain")
            let response = try slow.response()
            #expect(response.status == 200)
            #expect(response.body.count == 100_000)
            #expect(await gateway.exitCode() == 0)
        }
    }

    @Test func anIdleConnectionIsClosed() async throws {
        try await Scenario.run { scenario in
            let idle = try RawClient(port: scenario.gateway.port)
            #expect(try idle.exchange(.get("/public/idle")).status == 200)
            scenario.gateway.signal(SIGTERM)
            #expect(try idle.readToEnd() == [])
            #expect(await scenario.gateway.exitCode() == 0)
        }
    }

    @Test func whatRunsTooLongIsCutOff() async throws {
        try await Scenario.run(arrange: { $2["drain"] = "{ delay: 0s, timeout: 1s }" }) { scenario in
            let endless = try RawClient(port: scenario.gateway.port)
            try endless.send(WireRequest.get("/public/endless?hold=never").bytes)
            await scenario.echo.waitForHeads(1)
            scenario.gateway.signal(SIGTERM)
            #expect(await scenario.gateway.exitCode() == 0)
        }
    }

    @Test func underLoadEachRequestThatWasTakenIsAnsweredRightly() async throws {
        try await Scenario.run(arrange: { $2["drain"] = "{ delay: 300ms, timeout: 10s }" }) { scenario in
            let answers = try Load(connections: 8, requests: 1_000_000, of: scenario).start()
            await scenario.echo.waitForRequests(200)
            scenario.gateway.signal(SIGTERM)
            let counts = await answers.value
            #expect(counts.wrong == [])
            #expect(counts.failed == 0)
            #expect(counts.turnedAway == 8)
            #expect(counts.passed >= 200)
            #expect(await scenario.gateway.exitCode() == 0)
            #expect(scenario.gateway.output.split(separator: "\n").count == counts.passed)
        }
    }

    @Test func theWholeAccessLogIsWritten() async throws {
        try await Scenario.run { scenario in
            let client = try RawClient(port: scenario.gateway.port)
            for _ in 0..<100 { _ = try client.exchange(.get("/public/logged")) }
            scenario.gateway.signal(SIGTERM)
            _ = await scenario.gateway.exitCode()
            #expect(scenario.gateway.output.split(separator: "\n").count == 100)
        }
    }
}
