import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// Each recipe of the manual, with the real proxy between a client, the gateway and a service.
@Suite(
    .enabled(
        if: RecipeProxy.folder != nil,
        "GATEHOUSE_PROXIES names no folder of proxies: script/test sets it, and script/proxies installs them"))
struct ProxyRecipeTests {
    /// The proxy between a client and the servers of a scenario.
    private struct Setup {
        let proxy: RunningProxy
        let scenario: Scenario

        func send(_ target: String, _ fields: [String] = []) throws -> WireResponse {
            try RawClient.exchange(proxy.port, WireRequest(target: target, fields: fields, host: "gateway.example"))
        }

        /// The request that the service received. `nil` if it was not permitted.
        func passed(_ target: String, _ fields: [String] = []) throws -> EchoReport? {
            let response = try send(target, fields)
            return response.status == 200 ? EchoReport(response) : nil
        }

        func bearer(
            _ user: DevelopmentUser = .ada, _ change: (FirebaseToken) -> FirebaseToken = { $0 }
        ) throws -> String {
            "Authorization: Bearer \(try scenario.token(user, change))"
        }
    }

    private static func run(_ kind: RecipeProxy, _ body: (Setup) async throws -> Void) async throws {
        try await Scenario.run(arrange: { _, _, configuration in
            configuration["decisions"] = """
                { address: 127.0.0.1:\(try Ports.free()), trust: [127.0.0.1/32], protocols: [http/1.1, h2c] }
                """
            configuration.routes = [
                "path: /**", "path: /public/**, auth: none", "path: /account/**, recent_sign_in: 5m",
                "path: /socket/**, upgrade: [websocket]", "path: /admin/**, providers: [saml.corp]",
            ]
        }) { scenario in
            let proxy = try await kind.start(
                gatehouse: try scenario.gateway.decisionsPort, service: scenario.echo.port)
            let setup = Setup(proxy: proxy, scenario: scenario)
            // Traefik listens before it has read its routes.
            _ = try await eventually("the routes of \(kind)") { try setup.passed("/public/a") }
            try await body(setup)
            #expect(proxy.isRunning, "\(kind): \(proxy.log.suffix(2_000))")
            proxy.end()
        }
    }

    private static let spoofed = [
        "X-Auth: root", "X-Auth-Uid: root", "X-Auth-Email: root@example.com", "X-Auth-Tenant: root",
        "X-Auth-Project: root",
        "X-Auth-Email-Verified: true", "X-Auth-Assertion: root", "X-Auth-Time: 1",
    ]

    @Test(arguments: RecipeProxy.allCases)
    func `J-09, J-10: a recipe protects its service, also without the gateway`(_ kind: RecipeProxy) async throws {
        try await Self.run(kind) { setup in
            try Self.passes(setup)
            try Self.shortcuts(setup)
            try Self.denials(setup)
            try await Self.outage(setup)
        }
    }

    /// A permitted request has the identity of the decision, and no identity field of the client.
    private static func passes(_ setup: Setup) throws {
        let passed = try setup.passed("/a?b=c", [try setup.bearer()] + Self.spoofed)
        let report = try #require(passed, "\(setup.proxy.log.suffix(2_000))")
        #expect(report.values("X-Auth-Uid") == ["ada"] && report.path.hasPrefix("/a"))
        for name in ["X-Auth", "X-Auth-Project", "X-Auth-Tenant", "X-Auth-Assertion", "Authorization"] {
            #expect(report.values(name).allSatisfy { $0.isEmpty }, "\(name)")
        }
        #expect(!report.lines.contains { $0.contains("root") }, "\(report.lines)")
        // An anonymous request has no identity field.
        let open = try #require(try setup.passed("/public/a", Self.spoofed))
        #expect(!open.lines.contains { $0.contains("root") }, "\(open.lines)")
        for alias in ["X_Auth_Uid: root", "x.auth.uid: root", "x-auth.uid: root", "X_AUTH: root"] {
            let report = try setup.passed("/public/a", [alias])
            #expect(report?.lines.contains { $0.contains("root") } != true, "\(alias)")
        }
        // Fields by which a service reads another path, method, address or user.
        for field in [
            "X-Original-URL", "X-Original-URI", "X-Rewrite-URL", "X-HTTP-Method-Override", "X-Method-Override",
            "Forwarded",
            "X-Auth-Other", "X-Auth_Uid", "X-Forwarded-Prefix", "X-Real-IP",
        ] {
            let report = try setup.passed("/public/a", ["\(field): root"])
            #expect(report?.lines.contains { $0.contains("root") } != true, "\(field)")
        }
        // The client's list of connection fields removes no identity field.
        if let report = try setup.passed("/a", [try setup.bearer(), "Connection: close, X-Auth-Uid"]) {
            #expect(report.values("X-Auth-Uid") == ["ada"])
        }
    }

    /// Denials reach the client with their challenge.
    private static func denials(_ setup: Setup) throws {
        let anonymous = try setup.send("/a", Self.spoofed)
        #expect(anonymous.status == 401 && anonymous["WWW-Authenticate"] == "Bearer")
        #expect(!anonymous.fields.contains { $0.name.lowercased().hasPrefix("x-auth") })
        #expect(try setup.send("/admin/a", [try setup.bearer()]).status == 403)
        let old = try setup.bearer { $0.signedIn(at: unixNow() - 400) }
        let stepUp = try setup.send("/account/a", [old])
        #expect(stepUp.status == 401)
        #expect(
            stepUp["WWW-Authenticate"]
                == "Bearer error=\"insufficient_user_authentication\", max_age=\"300\"")
        let alan = try setup.bearer(.alan)
        #expect(try setup.passed("/a", [alan]) != nil)
        #expect(try setup.scenario.admin("POST", "/v1/users/alan/disable").status == 200)
        #expect(try setup.send("/a", [alan]).status == 401)
    }

    /// No path, upgrade or size passes without a decision.
    private static func shortcuts(_ setup: Setup) throws {
        for path in ["/public/../a", "//a", "/public/..%2fa", "/public/%2e%2e/a", "/%61", "/public/..;/a", "/a;b"] {
            let report = try setup.passed(path)
            #expect(report?.path.hasPrefix("/public/") != false, "\(path): \(report?.path ?? "")")
            #expect(report?.path.contains("..") != true, "\(path)")
        }
        let handshake = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        #expect(try setup.send("/socket/ws", [try setup.bearer()] + handshake).status == 101)
        #expect(try setup.send("/socket/ws", handshake).status == 401)
        #expect(try setup.send("/a", [try setup.bearer()] + handshake).status == 403)
        let h2c = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"]
        let report = try setup.passed("/a", [try setup.bearer()] + h2c)
        #expect(report?.values("Upgrade").isEmpty != false)
        // Many fields neither end the proxy nor pass without a decision.
        let many = (0..<98).map { "X-Many-\($0): a" }
        if let report = try setup.passed("/a", [try setup.bearer()] + many) {
            #expect(report.values("X-Auth-Uid") == ["ada"])
        }
        #expect(try setup.passed("/a", many) == nil)
        #expect(try setup.passed("/a", [try setup.bearer()]) != nil)
    }

    @Test(arguments: RecipeProxy.allCases)
    func `J-10: no request passes by mistake while the gateway restarts under load`(_ kind: RecipeProxy) async throws {
        try await Self.run(kind) { setup in
            let load = try RecipeLoad(setup.proxy.port, bearer: try setup.bearer())
            let counts = load.start()
            do { try await Self.restart(setup, until: load) } catch { load.stop(); throw error }
            load.stop()
            let total = await counts.value
            let comment = Comment(rawValue: "\(kind): \(total)")
            #expect(total.wronglyPassed.isEmpty, comment)
            #expect(total.passed > 0 && total.denied > 0 && total.failed > 0, comment)
            print("load at \(kind): \(total)")
            let bearer = try setup.bearer()
            func state() -> String {
                "\(String(describing: try? setup.send("/a", [bearer]).status)) \(setup.proxy.log.suffix(2_000))"
            }
            _ = try await eventually("a decision after the restarts: \(state())") {
                try setup.passed("/a", [bearer])
            }
        }
    }

    /// Kills the gateway and starts it again, twice, or for `GATEHOUSE_PROXY_LOAD_SECONDS`.
    private static func restart(_ setup: Setup, until load: RecipeLoad) async throws {
        let gateway = setup.scenario.gateway
        let seconds = ProcessInfo.processInfo.environment["GATEHOUSE_PROXY_LOAD_SECONDS"].flatMap { Int($0) } ?? 0
        let end = ContinuousClock.now + .seconds(seconds)
        var restarts = 0
        while restarts < 2 || ContinuousClock.now < end {
            try await load.progress("permitted requests") { $0.passed }
            await gateway.kill()
            try await load.progress("failed requests") { $0.failed }
            try await gateway.start()
            try await gateway.ready()
            restarts += 1
        }
    }

    /// Nothing passes without the gateway.
    private static func outage(_ setup: Setup) async throws {
        let bearer = try setup.bearer()
        #expect(try setup.passed("/a", [bearer]) != nil)
        await setup.scenario.gateway.kill()
        let before = setup.scenario.echo.requestCount
        for target in ["/a", "/public/a"] {
            #expect(try setup.send(target, [bearer]).status >= 500, "\(target)")
        }
        #expect(setup.scenario.echo.requestCount == before)
    }
}
