import DevelopmentIdentity
import Foundation
import IdentityFixtures
import Testing

@testable import SystemFixtures

/// A new configuration replaces the previous one completely or not at all.
struct ReloadTests {
    private static let added = "path: /added/**, auth: none, upstream: api"

    @Test func `a key set that a reload adds and that cannot be read does not make the gateway unready`() async throws {
        try await ReloadScenario.run { reload in
            let gateway = reload.gateway
            _ = try await eventually("readiness") { try gateway.readiness().status == 200 ? true : nil }
            try await reload.reload {
                $0["identity"] = GatewayConfiguration.identity("http://127.0.0.1:1/", "http://127.0.0.1:1/")
            }
            let readiness = try gateway.readiness()
            #expect(readiness.status == 200 && readiness.text.contains("not read yet"), "\(readiness.text)")
        }
    }

    @Test func `SIGHUP applies new routes`() async throws {
        try await ReloadScenario.run { reload in
            let client = try RawClient(port: reload.gateway.port)
            #expect(try client.exchange(.get("/added/1")).status == 404)
            try await reload.reload { $0.routes = [Self.added] }
            // The routes also apply to an existing connection.
            #expect(try client.exchange(.get("/added/1")).status == 200)
            #expect(try client.exchange(.get("/public/1")).status == 404)
            #expect(try reload.gateway.metric("gatehouse_config_generation") == 2)
        }
    }

    @Test func `an error is reported and changes nothing`() async throws {
        try await ReloadScenario.run { reload in
            try await reload.reload(ends: "refused") { $0.routes = ["path: /x, upstream: nowhere"] }
            #expect(try reload.scenario.send(.get("/public/1")).status == 200)
            try await reload.gateway.untilLogged("gatehouse.yaml:")
            try await reload.gateway.untilLogged("there is no upstream 'nowhere'")
            let readiness = try reload.gateway.readiness()
            #expect(readiness.status == 200)
            #expect(readiness.text.contains("the last reload was rejected"))
            #expect(try reload.gateway.metric("gatehouse_config_last_reload_successful") == 0)
            try await reload.reload { $0.routes.append(Self.added) }
            #expect(try reload.scenario.send(.get("/added/1")).status == 200)
            #expect(try !reload.gateway.readiness().text.contains("rejected"))
        }
    }

    @Test func `reloads of a file with YAML anchors delay neither health checks nor the shutdown`() async throws {
        try await ReloadScenario.run { reload in
            try reload.gateway.rewrite(RefusedConfigurationTests.bomb)
            for _ in 1...2 {
                let before = try reload.count("refused")
                reload.gateway.signal(SIGHUP)
                try await reload.untilEnded("refused", after: before)
            }
            let alive = WireRequest(target: "/livez", host: "localhost")
            #expect(try RawClient.exchange(reload.gateway.adminPort, alive).status == 200)
            reload.gateway.signal(SIGTERM)
            #expect(await reload.gateway.exitCode() == 0)
        }
    }

    @Test func `a change of a fixed setting is rejected`() async throws {
        try await ReloadScenario.run { reload in
            try await reload.reload(ends: "refused") {
                $0["workers"] = "1"
                $0.routes.append(Self.added)
            }
            try await reload.gateway.untilLogged("workers cannot change while it runs; restart the gateway")
            #expect(try reload.scenario.send(.get("/added/1")).status == 404)
        }
    }

    @Test func `a change of the file is detected`() async throws {
        try await ReloadScenario.run(watch: "100ms") { reload in
            try reload.write { $0.routes.append(Self.added) }
            try await reload.untilEnded("ok", after: 0)
            #expect(try reload.scenario.send(.get("/added/1")).status == 200)
        }
    }

    @Test func `a change of a referenced file is detected`() async throws {
        try await ReloadScenario.run(
            watch: "100ms",
            arrange: {
                $0["rules"] = "rules.rules"
                $0.files["rules.rules"] = Self.rules(allowing: "true")
            },
            { reload in
                let token = try reload.scenario.token()
                #expect(try reload.scenario.send(.bearer(token, "/me/1")).status == 200)
                try reload.gateway.rewrite(Self.rules(allowing: "false"), file: "rules.rules")
                try await reload.untilEnded("ok", after: 0)
                #expect(try reload.scenario.send(.bearer(token, "/me/1")).status == 403)
            })
    }

    @Test func `a change of a credential is detected`() async throws {
        let credentials = try ScratchFolder()
        try credentials.write("first", to: "greeting")
        try await ReloadScenario.run(
            watch: "100ms",
            arrange: {
                $0.environment["CREDENTIALS_DIRECTORY"] = credentials.path
                $0["response_headers"] = "{ set: { X-Greeting: '${credential:greeting}' } }"
            },
            { reload in
                #expect(try reload.scenario.send(.get("/public/1"))["X-Greeting"] == "first")
                try credentials.write("the second", to: "greeting")
                try await reload.untilEnded("ok", after: 0)
                #expect(try reload.scenario.send(.get("/public/1"))["X-Greeting"] == "the second")
            })
    }

    @Test func `the admin API reloads`() async throws {
        try await ReloadScenario.run { reload in
            try reload.write { $0.routes.append(Self.added) }
            let answer = try reload.scenario.admin("POST", "/v1/reload")
            #expect(answer.status == 200)
            #expect(answer.text.contains("\"generation\":2"))
            #expect(try reload.scenario.send(.get("/added/1")).status == 200)
            try reload.gateway.rewrite("routes: 7\n")
            let refused = try reload.scenario.admin("POST", "/v1/reload")
            #expect(refused.status == 400)
            #expect(refused.text.contains("gatehouse.yaml:1:"))
        }
    }

    @Test func `a running request keeps its configuration`() async throws {
        try await ReloadScenario.run { reload in
            let slow = try reload.scenario.client(sending: WireRequest.get("/public/slow?hold=reload&bytes=100000"))
            await reload.scenario.echo.waitForHeads(1)
            try await reload.reload { $0.routes = [Self.added] }
            #expect(try reload.scenario.send(.get("/public/1")).status == 404)
            reload.scenario.echo.release("reload")
            let response = try slow.response()
            #expect(response.status == 200)
            #expect(response.body.count == 100_000)
        }
    }

    private static let misses = "gatehouse_token_cache_misses_total"

    /// Changes that concern no token, and the metrics that must not change.
    static let irrelevant: [(change: @Sendable (inout GatewayConfiguration) -> Void, metrics: [String])] = [
        ({ $0.routes.append(added) }, [misses]),
        (
            { $0.sections.insert(("# a line more", ""), at: 0) },
            [misses, "gatehouse_upstream_connects_total"]
        ),
    ]

    @Test(arguments: irrelevant.indices)
    func `verified tokens and connections stay if a reload does not concern them`(index: Int) async throws {
        try await ReloadScenario.run(arrange: {
            $0["workers"] = "1"
            $0["headers"] = "{ extra: { X-Role: token.role, X-Who: 'uid + uid' } }"
        }) { reload in
            let request = try WireRequest.bearer(reload.scenario.token(), "/me/1")
            let (change, names) = Self.irrelevant[index]
            #expect(try reload.scenario.send(request).status == 200)
            let before = try names.map { try reload.gateway.metric($0) }
            try await reload.reload(change)
            #expect(try reload.scenario.send(request).status == 200)
            let after = try names.map { try reload.gateway.metric($0) }
            #expect(after == before)
        }
    }

    @Test func `tokens of a changed issuer are no longer accepted`() async throws {
        try await ReloadScenario.run { reload in
            let token = try reload.scenario.token()
            #expect(try reload.scenario.send(.bearer(token, "/me/1")).status == 200)
            try await reload.reload {
                $0["identity"] = $0["identity"]?.replacing("demo-gatehouse", with: "another-project")
            }
            let refused = try reload.scenario.send(.bearer(token, "/me/1"))
            #expect(refused.status == 401)
            try await reload.reload { _ in }
            #expect(try reload.scenario.send(.bearer(token, "/me/1")).status == 200)
        }
    }

    @Test func `keys stay while their source is down`() async throws {
        try await ReloadScenario.run { reload in
            let token = try reload.scenario.token()
            #expect(try reload.scenario.send(.bearer(token, "/me/1")).status == 200)
            await reload.scenario.provider.stop()
            // The verification settings change, so the token is verified again with the keys in memory.
            try await reload.reload {
                $0["identity"] = $0["identity"]?.replacing("stale_for: 24h }", with: "stale_for: 24h }, clock_skew: 7s")
            }
            #expect(try reload.scenario.send(.bearer(token, "/me/1")).status == 200)
        }
    }

    @Test func `counters continue by name`() async throws {
        try await ReloadScenario.run { reload in
            #expect(try reload.scenario.send(.get("/public/1")).status == 200)
            try await reload.reload { $0.routes.insert(Self.added, at: 0) }
            #expect(try reload.scenario.send(.get("/public/1")).status == 200)
            #expect(try reload.scenario.send(.get("/added/1")).status == 200)
            #expect(try reload.gateway.metric("gatehouse_requests_total", "route=\"/public/**\"") == 2)
            #expect(try reload.gateway.metric("gatehouse_requests_total", "route=\"/added/**\"") == 1)
            #expect(try reload.gateway.metric("gatehouse_upstream_requests_total", "upstream=\"api\"") == 3)
        }
    }

    @Test func `a pipe in place of the file blocks neither reloads nor the shutdown`() async throws {
        try await ReloadScenario.run { reload in
            #expect(mkfifo(reload.gateway.folder.path("pipe"), 0o600) == 0)
            let before = try reload.count("refused")
            #expect(rename(reload.gateway.folder.path("pipe"), reload.gateway.folder.path("gatehouse.yaml")) == 0)
            reload.gateway.signal(SIGHUP)
            try await reload.untilEnded("refused", after: before)
            try await reload.gateway.untilLogged("it is a pipe, not a file")
            try await reload.reload { $0.routes.append(Self.added) }
            #expect(try reload.scenario.send(.get("/added/1")).status == 200)
            reload.gateway.signal(SIGTERM)
            #expect(await reload.gateway.exitCode() == 0)
        }
    }

    @Test func `listeners are added and removed`() async throws {
        try await ReloadScenario.run { reload in
            try await reload.reload { $0["listen"] = "[{ address: 127.0.0.1:0 }, { address: 127.0.0.1:0 }]" }
            let added = try #require(reload.gateway.listeners.last)
            #expect(added != reload.gateway.port)
            let client = try RawClient(port: added)
            #expect(try client.exchange(.get("/public/1")).status == 200)
            try await reload.reload { _ in }
            // New connections are rejected there. Open ones stay.
            #expect(throws: RawClient.Failure.self) { try RawClient(port: added) }
            #expect(try client.exchange(.get("/public/2")).status == 200)
            #expect(try reload.scenario.send(.get("/public/3")).status == 200)
        }
    }

    @Test func `C-13: connections from before a stricter listener are closed`() async throws {
        try await ReloadScenario.run { reload in
            let idle = try RawClient(port: reload.gateway.port)
            #expect(try idle.exchange(.get("/public/1")).status == 200)
            let busy = try reload.scenario.client(sending: WireRequest.get("/public/slow?hold=front"))
            await reload.scenario.echo.waitForHeads(2)
            try await reload.reload { $0["listen"] = "[{ address: 127.0.0.1:0, proxy_protocol: true }]" }
            #expect(try idle.readToEnd() == [])
            reload.scenario.echo.release("front")
            #expect(try busy.response()["Connection"] == "close")
            #expect(try busy.readToEnd() == [])
        }
    }

    @Test func `a listener that cannot be opened rejects the whole reload`() async throws {
        try await ReloadScenario.run { reload in
            let taken = reload.gateway.adminPort
            try await reload.reload(ends: "refused") {
                $0["listen"] = "[{ address: 127.0.0.1:0 }, { address: 127.0.0.1:\(taken) }]"
                $0.routes.append(Self.added)
            }
            try await reload.gateway.untilLogged("cannot listen on 127.0.0.1:\(taken)")
            #expect(try reload.scenario.send(.get("/added/1")).status == 404)
        }
    }

    private static func rules(allowing condition: String) -> String {
        """
        rules_version = '2';
        service gatehouse.http {
          match /{rest=**} { allow read, write: if \(condition); }
        }
        """
    }
}
