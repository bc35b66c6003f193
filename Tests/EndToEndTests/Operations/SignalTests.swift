import DevelopmentIdentity
import Foundation
import IdentityFixtures
import Testing

@testable import SystemFixtures

/// No signal but those that cannot be caught ends the process without draining.
struct SignalTests {
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

    @Test(arguments: [SIGQUIT, SIGINT, SIGTERM]) func `a request under way is finished`(signal: Int32) async throws {
        try await Scenario.run { scenario in
            let slow = try RawClient(port: scenario.gateway.port)
            try slow.send(WireRequest.get("/public/slow?hold=drain&bytes=1000").bytes)
            await scenario.echo.waitForHeads(1)
            scenario.gateway.signal(signal)
            _ = try await eventually("an end of listening") {
                (try? RawClient(port: scenario.gateway.port)) == nil ? true : nil
            }
            scenario.echo.release("drain")
            #expect(try slow.response().body.count == 1000)
            #expect(await scenario.gateway.exitCode() == 0)
        }
    }
}
