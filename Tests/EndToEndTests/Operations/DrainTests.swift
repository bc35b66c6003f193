import DevelopmentIdentity
import Foundation
import IdentityFixtures
import Testing

@testable import SystemFixtures

/// A signal stops the process by draining: running requests finish, and no new one is accepted after `drain.delay`.
struct DrainTests {
    @Test func `a running response is finished and the exit code is 0`() async throws {
        try await Scenario.run(arrange: { $2["drain"] = "{ delay: 4s, timeout: 1m }" }) { scenario in
            let gateway = scenario.gateway
            let slow = try RawClient(port: gateway.port)
            try slow.send(WireRequest.get("/public/slow?hold=drain&bytes=100000").bytes)
            await scenario.echo.waitForHeads(1)
            gateway.signal(SIGTERM)
            _ = try await eventually("503 of /readyz") { try gateway.readiness().status == 503 ? true : nil }
            #expect(try gateway.readiness().text.contains("draining"))
            #expect(try scenario.send(.get("/public/during")).status == 200)
            _ = try await eventually("the end of listening") {
                (try? RawClient(port: gateway.port)) == nil ? true : nil
            }
            scenario.echo.release("drain")
            let response = try slow.response()
            #expect(response.status == 200)
            #expect(response.body.count == 100_000)
            #expect(await gateway.exitCode() == 0)
        }
    }

    @Test func `an idle connection is closed`() async throws {
        try await Scenario.run { scenario in
            let idle = try scenario.connect()
            #expect(try idle.exchange(.get("/public/idle")).status == 200)
            scenario.gateway.signal(SIGTERM)
            #expect(try idle.readToEnd() == [])
            #expect(await scenario.gateway.exitCode() == 0)
        }
    }

    @Test func `a request that exceeds the drain timeout is aborted`() async throws {
        try await Scenario.run(arrange: { $2["drain"] = "{ delay: 0s, timeout: 1s }" }) { scenario in
            let endless = try scenario.client(sending: WireRequest.get("/public/endless?hold=never"))
            await scenario.echo.waitForHeads(1)
            scenario.gateway.signal(SIGTERM)
            #expect(await scenario.gateway.exitCode() == 0)
            withExtendedLifetime(endless) {}
        }
    }

    @Test func `under load, each accepted request gets its response`() async throws {
        try await Scenario.run(arrange: { $2["drain"] = "{ delay: 300ms, timeout: 1m }" }) { scenario in
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

    private static let end = Allowance.hang

    /// Expects that `signals` stop a gateway with a running request, whose drain would take more than an hour.
    private func expectImmediateEnd(inTerminal: Bool, _ signals: [Int32]) async throws {
        let arrange = { (configuration: inout GatewayConfiguration) in
            configuration["drain"] = "{ delay: 10m, timeout: 1h }"
            configuration.hasTerminal = inTerminal
        }
        try await Scenario.run(arrange: { arrange(&$2) }) { scenario in
            let gateway = scenario.gateway
            let endless = try scenario.client(sending: WireRequest.get("/public/endless?hold=never"))
            await scenario.echo.waitForHeads(1)
            try scenario.admin("POST", "/v1/users/ada/revoke")
            for (index, signal) in signals.enumerated() {
                if index > 0 {
                    _ = try await eventually("503 of /readyz") { try gateway.readiness().status == 503 ? true : nil }
                }
                gateway.signal(signal)
            }
            #expect(try await gateway.exitCode(within: Self.end) == 0)
            // The store is closed, and the logs are complete.
            #expect(!FileManager.default.fileExists(atPath: gateway.folder.path("gatehouse.db-wal")))
            #expect(gateway.output.contains(#""path":"/public/endless""#))
            #expect(gateway.errors.contains("msg=stopped"))
            withExtendedLifetime(endless) {}
        }
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGQUIT]) func `a second signal ends the drain`(signal: Int32) async throws {
        try await expectImmediateEnd(inTerminal: false, [SIGTERM, signal])
    }

    @Test func `SIGINT in a terminal stops without a drain`() async throws {
        try await expectImmediateEnd(inTerminal: true, [SIGINT])
    }

    @Test func `SIGTERM in a terminal drains, and SIGINT ends the drain`() async throws {
        try await expectImmediateEnd(inTerminal: true, [SIGTERM, SIGINT])
    }

    private static let ignored: [Int32] = [
        SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGPIPE, SIGXFSZ, SIGXCPU, SIGIO, SIGPWR, SIGHUP, 40, 64,
    ]

    @Test func `signals without a meaning are ignored`() async throws {
        try await Scenario.run { scenario in
            for number in Self.ignored {
                scenario.gateway.signal(number)
                let response = try scenario.send(.get("/public/signal"))
                #expect(response.status == 200, "signal \(number)")
            }
            scenario.gateway.signal(SIGTERM)
            #expect(await scenario.gateway.exitCode() == 0)
        }
    }

    @Test(arguments: [SIGQUIT, SIGINT]) func `a request under way is finished`(signal: Int32) async throws {
        try await Scenario.run { scenario in
            let slow = try scenario.client(sending: WireRequest.get("/public/slow?hold=drain&bytes=1000"))
            await scenario.echo.waitForHeads(1)
            scenario.gateway.signal(signal)
            _ = try await eventually("the end of listening") {
                (try? RawClient(port: scenario.gateway.port)) == nil ? true : nil
            }
            scenario.echo.release("drain")
            #expect(try slow.response().body.count == 1000)
            #expect(await scenario.gateway.exitCode() == 0)
        }
    }
}
