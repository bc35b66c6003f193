import DevelopmentIdentity
import Foundation
import IdentityFixtures
import Testing

@testable import SystemFixtures

/// One of three servers fails in different ways. The others serve its share, and it recovers.
struct FailingServerTests {
    /// Runs a gateway with three servers, of which two are echoes.
    ///
    /// - Parameter third: The URL of the third server. `nil` for another echo.
    private func run(
        third: String? = nil, _ settings: String, _ body: (Scenario, [EchoUpstream]) async throws -> Void
    ) async throws {
        let echoes = [
            try await EchoUpstream.startInstructed(port: Ports.free()),
            try await EchoUpstream.startInstructed(port: Ports.free()),
        ]
        try await Scenario.run(
            arrange: { _, echo, configuration in
                let urls = [third ?? echo.url] + echoes.map(\.url)
                configuration["workers"] = "1"
                configuration["upstreams"] =
                    "{ api: { servers: [\(urls.map { "'\($0)'" }.joined(separator: ", "))], \(settings) } }"
                configuration.routes = ["path: /public/**, auth: none, upstream: api", "path: /me/**, upstream: api"]
            },
            { try await body($0, [$0.echo] + echoes) })
        for echo in echoes { await echo.stop() }
    }

    private func passAll(_ count: Int, of scenario: Scenario) throws {
        let client = try scenario.connect()
        for number in 0..<count { #expect(try client.exchange(.get("/public/\(number)")).status == 200) }
    }

    private func until(_ what: String, _ condition: () throws -> Bool) async throws {
        _ = try await eventually(what) { try condition() ? true : nil }
    }

    @Test func `a stopped server costs no request and returns`() async throws {
        try await run("ejection: { failures: 2, time: 300ms }") { scenario, echoes in
            try passAll(9, of: scenario)
            await echoes[1].stopListening()
            try passAll(30, of: scenario)
            #expect(try scenario.gateway.metric("gatehouse_upstream_server_ejections_total") > 0)
            try await scenario.gateway.untilLogged("server ejected")
            let unreachable = /level=warning msg="upstream server unreachable" .*reason="connect: Connection refused/
            try await scenario.gateway.untilLogged(unreachable)
            try await echoes[1].resumeListening()
            let before = echoes[1].requestCount
            try await until("the server is back") {
                try passAll(3, of: scenario)
                return echoes[1].requestCount > before + 2
            }
            try await scenario.gateway.untilLogged(#"msg="upstream server reachable again""#)
            #expect(try scenario.gateway.metric("gatehouse_upstream_server_ejected") == 0)
        }
    }

    @Test func `a frozen server costs one request its timeout`() async throws {
        let frozen = try RawListener()
        let retry = "retry: { on: [timeout] }, ejection: { failures: 1 }"
        try await run(third: frozen.url, "response_timeout: 4s, \(retry)") { scenario, _ in
            try passAll(30, of: scenario)
            #expect(try scenario.gateway.metric("gatehouse_upstream_server_ejected") == 1)
            #expect(try scenario.gateway.metric("gatehouse_upstream_retry_reasons_total", "reason=\"timeout\"") == 1)
        }
    }

    @Test func `a resetting server costs no idempotent request`() async throws {
        let resetting = try RawListener()
        let thread = Thread {
            // There is no connection before the gateway starts.
            while !Thread.current.isCancelled {
                guard let connection = try? resetting.take() else { continue }
                _ = try? connection.readHead()
                connection.reset()
            }
        }
        thread.start()
        defer { thread.cancel() }
        try await run(third: resetting.url, "ejection: { failures: 3 }") { scenario, _ in
            try passAll(30, of: scenario)
            #expect(try scenario.gateway.metric("gatehouse_upstream_server_ejected") == 1)
            #expect(try scenario.gateway.metric("gatehouse_upstream_retry_reasons_total", "reason=\"reset\"") == 3)
        }
    }

    @Test func `a slow server gets fewer requests`() async throws {
        try await run("balance: least_requests") { scenario, echoes in
            let slow = try scenario.client(sending: WireRequest.get("/public/slow?hold=late"))
            await echoes[0].waitForHeads(1)
            try passAll(8, of: scenario)
            #expect(echoes[1].requestCount == 4 && echoes[2].requestCount == 4)
            echoes[0].release("late")
            #expect(try slow.response().status == 200)
        }
    }

    @Test func `health checks remove a server and bring it back`() async throws {
        let health = "health: { path: /public/up, interval: 100ms, timeout: 1s, healthy: 1, unhealthy: 1 }"
        try await run("\(health), ejection: null") { scenario, echoes in
            let healthy = { try scenario.gateway.metric("gatehouse_upstream_server_healthy") }
            try await until("all are well") { try healthy() == 3 }
            await echoes[2].stopListening()
            try await until("one is not") { try healthy() == 2 }
            try await scenario.gateway.untilLogged("server unhealthy")
            try await echoes[2].resumeListening()
            try await until("it is again") { try healthy() == 3 }
            try passAll(6, of: scenario)
        }
    }
}
