import DevelopmentIdentity
import Foundation
import Testing

@testable import RedisFixtures

/// Users of two Firebase projects with the same uid, on one gateway or on two gateways with one Redis.
struct ProjectUserTests {
    private static let mine = FirebaseToken.demoProject
    private static let other = "other-app"
    private static let acme = "acme-x1"
    private static let hosts =
        "acme.example: { project: other-app, tenant: acme-x1 }, gateway.example: unrestricted"

    private static func twoProjects(_ configuration: inout GatewayConfiguration) {
        configuration["identity"] = configuration["identity"]?.replacing(
            "{ project: \(mine),", with: "{ projects: [{ project: \(mine) }, { project: \(other), tenant: '*' }],")
    }

    private func alice(_ scenario: Scenario, of project: String, _ tenant: String? = nil) throws -> String {
        try scenario.token(.named("alice")) { token in
            let token = token.signedIn(at: unixNow() - 100).setting("aud", to: .string(project))
                .setting("iss", to: .string("https://securetoken.google.com/\(project)"))
            return tenant.map { token.inTenant($0) } ?? token
        }
    }

    @Test func `the upstream and the log get the project, the tenant and the uid`() async throws {
        try await Scenario.run(arrange: { Self.twoProjects(&$2) }) { scenario in
            let cases: [(String, String?)] = [(Self.mine, nil), (Self.other, nil), (Self.other, Self.acme)]
            for (project, tenant) in cases {
                let token = try alice(scenario, of: project, tenant)
                let spoofed = ["X-Auth-Project: no", "x_auth_project: no", "X-Auth-Tenant: no"]
                let report = try scenario.passes(.bearer(token, "/me/x", spoofed[0], spoofed[1], spoofed[2]))
                #expect(report["X-Auth-Uid"] == "alice")
                #expect(report.values("X-Auth-Project") == (project == Self.mine ? [] : [project]))
                #expect(report.values("X-Auth-Tenant") == (tenant.map { [$0] } ?? []))
                #expect(report.lines.allSatisfy { !$0.hasSuffix(": no") })
            }
            let third = try alice(scenario, of: "third-app")
            expectDenial(try scenario.send(.bearer(third, "/me/x")), 401, "auth/invalid-id-token")
            #expect(try !scenario.send(.bearer(third, "/me/x")).text.contains("third-app"))
            let lines = await scenario.accessLog()
            let passed = lines.filter { $0["code"] == "ok" }
            let users = passed.map { "\($0["project"]?.text ?? "-") \($0["tenant"]?.text ?? "-")" }
            #expect(
                Set(users) == ["- -", "\"\(Self.other)\" -", "\"\(Self.other)\" \"\(Self.acme)\""])
            let denied = lines.filter { $0["code"] == "auth/invalid-id-token" }
            #expect(denied.count == 2)
            #expect(denied.allSatisfy { $0["reason"]?.text.contains("a token of the project third-app") == true })
        }
    }

    @Test(arguments: ["sqlite:gatehouse.db", "redis"])
    func `revoking or disabling one project's alice lets the other pass`(store: String) async throws {
        let redis = store == "redis" ? try await RedisServer() : nil
        try await Fleet.run(redis == nil ? 1 : 2, store: redis?.store ?? store, arrange: Self.twoProjects) { fleet in
            let mine = try alice(fleet.first, of: Self.mine)
            let others = try [nil, Self.acme].map { try alice(fleet.first, of: Self.other, $0) }
            for (change, back) in [("revoke", "unrevoke"), ("disable", "enable")] {
                let path = "/v1/projects/\(Self.mine)/users/alice"
                let answer = try fleet.first.admin("POST", "\(path)/\(change)")
                #expect(answer.status == 200 && answer.text.contains(#""uid":"alice","project":"\#(Self.mine)""#))
                #expect(try fleet.first.send(.bearer(mine, "/strict/x")).status == 401)
                try await fleet.eventuallyAll(.bearer(mine, "/me/x"), 401)
                for (scenario, token) in fleet.gateways.flatMap({ gateway in others.map { (gateway, $0) } }) {
                    #expect(try scenario.send(.bearer(token, "/me/x")).status == 200)
                    #expect(try scenario.send(.bearer(token, "/strict/x")).status == 200)
                }
                #expect(try fleet.first.admin("POST", "\(path)/\(back)").status == 200)
                try await fleet.eventuallyAll(.bearer(mine, "/me/x"), 200)
            }
            let tenant = "/v1/projects/\(Self.other)/tenants/\(Self.acme)/users/alice/revoke"
            #expect(try fleet.first.admin("POST", tenant).status == 200)
            try await fleet.eventuallyAll(.bearer(others[1], "/me/x"), 401)
            #expect(try fleet.first.send(.bearer(others[0], "/strict/x")).status == 200)
            #expect(try fleet.first.send(.bearer(mine, "/strict/x")).status == 200)
            let answer = try fleet.first.admin("POST", "/v1/projects/third-app/users/alice/revoke")
            #expect(answer.status == 400 && answer.text.contains("one of \(Self.mine), \(Self.other)"))
            // Without a project, the name is that of the first project's user.
            #expect(try fleet.first.admin("POST", "/v1/users/alice/disable").status == 200)
            try await fleet.eventuallyAll(.bearer(mine, "/me/x"), 401)
            #expect(try fleet.first.send(.bearer(others[0], "/strict/x")).status == 200)
        }
    }

    @Test func `another backend revokes a project's user in Redis`() async throws {
        let redis = try await RedisServer()
        try await Fleet.run(2, store: redis.store, arrange: Self.twoProjects) { fleet in
            let (mine, other) = try (alice(fleet.first, of: Self.mine), alice(fleet.first, of: Self.other))
            let time = "\(unixNow())"
            try redis.cli("HSET", "gatehouse:user:{other-app::alice}", "valid_since", time)
            try redis.cli("XADD", "gatehouse:changes", "*", "uid", "alice", "project", "other-app", "valid_since", time)
            try await fleet.eventuallyAll(.bearer(other, "/me/x"), 401)
            for scenario in fleet.gateways { #expect(try scenario.send(.bearer(mine, "/strict/x")).status == 200) }
        }
    }

    @Test func `sessions and links of two projects' alice are separate`() async throws {
        try await Scenario.run(arrange: {
            Self.twoProjects(&$2)
            $2["accounts"] = "{}"
        }) { scenario in
            var apps: [AccountApp] = []
            for project in [Self.mine, Self.other] {
                var app = AccountApp(scenario)
                #expect(try app.call("session", ["id_token": .string(alice(scenario, of: project))]).status == 200)
                let report = try #require(EchoReport(try app.get("/me/x")))
                #expect(report["X-Auth-Uid"] == "alice")
                #expect(report["X-Auth-Project"] == (project == Self.mine ? nil : project))
                apps.append(app)
            }
            #expect(try apps[0].call("sign-out", ["everywhere": true]).status == 204)
            expectDenial(
                try scenario.send(.bearer(alice(scenario, of: Self.mine), "/me/x")), 401, "auth/id-token-revoked")
            #expect(try apps[0].get("/me/x").status == 401)
            #expect(try apps[1].get("/me/x").status == 200)
        }
    }

    @Test func `rules know the project of a token and of a session of the gateway`() async throws {
        try await Scenario.run(arrange: {
            Self.twoProjects(&$2)
            $2["accounts"] = "{}"
            $2.routes = [Self.mine, Self.other].map { project in
                "path: /\(project)/**, allow: \"auth.project == '\(project)'\", upstream: api"
            }
        }) { scenario in
            for project in [Self.mine, Self.other] {
                var app = AccountApp(scenario)
                let token = try alice(scenario, of: project)
                #expect(try app.call("session", ["id_token": .string(token)]).status == 200)
                for path in [Self.mine, Self.other] {
                    let expected = path == project ? 200 : 403
                    #expect(try scenario.send(.bearer(token, "/\(path)/x")).status == expected)
                    #expect(try app.get("/\(path)/x").status == expected)
                }
            }
        }
    }

    @Test func `rate limits of two projects' alice are separate`() async throws {
        try await Scenario.run(arrange: {
            Self.twoProjects(&$2)
            $2.routes = ["path: /me/**, rate_limit: [{ per: uid, requests: 1, every: 1h }], upstream: api"]
        }) { scenario in
            for project in [Self.mine, Self.other] {
                let token = try alice(scenario, of: project)
                let statuses = try (0..<2).map { _ in try scenario.send(.bearer(token, "/me/x")).status }
                #expect(statuses == [200, 429])
            }
        }
    }

    private static func restrictHosts(_ configuration: inout GatewayConfiguration) {
        configuration["identity"] = configuration["identity"]?.replacing(
            "keys_url:", with: "hosts: { \(Self.hosts) }, keys_url:", maxReplacements: 1)
    }

    @Test func `decisions for other proxies and introspection name the project`() async throws {
        try await Scenario.run(arrange: {
            Self.twoProjects(&$2)
            Self.restrictHosts(&$2)
            $2["decisions"] = """
                { address: 127.0.0.1:0, trust: [127.0.0.1/32], introspection: { clients: [
                  { id: billing, secret: billing-secret-0123456789 } ] } }
                """
        }) { scenario in
            let token = try alice(scenario, of: Self.other)
            for family in DecisionRequest.families {
                let response = try scenario.decide(family, "/me/x", ["Authorization: Bearer \(token)"])
                #expect(response.status == 200 && response["X-Auth-Project"] == Self.other, "\(response.text)")
                let bearer = ["Authorization: Bearer \(token)"]
                for host in ["acme.example", "unlisted.example"] {
                    #expect(try scenario.decide(family, "/me/x", host: host, bearer).status == 401, "\(host)")
                }
                guard family == "envoy" else { continue }
                #expect(response["x-envoy-auth-headers-to-remove"]?.contains("x_auth_project") == true)
            }
            let response = try scenario.ask(
                .post(
                    "/introspect", "Authorization: Basic YmlsbGluZzpiaWxsaW5nLXNlY3JldC0wMTIzNDU2Nzg5",
                    "Content-Type: application/x-www-form-urlencoded", body: Array("token=\(token)".utf8)))
            #expect(response.text.contains(#""project":"other-app""#), "\(response.text)")
        }
    }

    @Test func `E-11: a route and a host accept the project and tenant that they name`() async throws {
        try await Scenario.run(arrange: {
            Self.twoProjects(&$2)
            Self.restrictHosts(&$2)
            $2["accounts"] = "{}"
            $2.routes = [
                "path: /mine/**, project: demo-gatehouse, upstream: api",
                "path: /acme/**, project: [other-app], tenant: acme-x1, upstream: api",
                "path: /some/**, tenant: any, upstream: api", "path: /none/**, tenant: none, upstream: api",
                "path: /**, auth: optional, upstream: api",
            ]
        }) { scenario in
            let mine = try alice(scenario, of: Self.mine)
            let other = try alice(scenario, of: Self.other)
            let acme = try alice(scenario, of: Self.other, Self.acme)
            func statuses(_ target: String, host: String = "gateway.example") throws -> [Int] {
                try [mine, other, acme].map { token in
                    var request = WireRequest.bearer(token, target)
                    request.host = host
                    return try scenario.send(request).status
                }
            }
            for _ in 0..<2 {
                #expect(try statuses("/mine/x") == [200, 401, 401])
                #expect(try statuses("/acme/x") == [401, 401, 200])
                #expect(try statuses("/some/x") == [401, 401, 200])
                #expect(try statuses("/none/x") == [200, 200, 401])
                #expect(try statuses("/x") == [200, 200, 200])
                #expect(try statuses("/x", host: "Acme.example:80") == [401, 401, 200])
                #expect(try statuses("/mine/x", host: "acme.example") == [401, 401, 401])
                #expect(try statuses("/x", host: "globex.example") == [401, 401, 401])
            }
            var unlisted = WireRequest.bearer(mine, "/x")
            unlisted.host = "globex.example"
            try scenario.expectRefusal(unlisted, 401, "auth/tenant-id-mismatch")
            #expect(try scenario.send(WireRequest(target: "/x", host: "globex.example")).status == 200)
            try scenario.expectRefusal(.bearer(other, "/mine/x"), 401, "auth/invalid-id-token")
            try scenario.expectRefusal(.bearer(other, "/acme/x"), 401, "auth/tenant-id-mismatch")
            var app = AccountApp(scenario)
            #expect(try app.call("session", ["id_token": .string(other)]).status == 200)
            #expect(try app.get("/mine/x").status == 401)
            #expect(try app.get("/none/x").status == 200)
            let anonymous = try scenario.send(WireRequest(target: "/x", host: "acme.example"))
            #expect(anonymous.status == 200)
            let lines = await scenario.accessLog()
            #expect(lines.contains { $0["reason"]?.text.contains("a credential on a host that") == true })
            let denied = lines.filter { $0["code"] == "auth/invalid-id-token" }
            #expect(denied.allSatisfy { $0["phase"] == "authenticate" && $0["uid"] == "alice" })
            #expect(denied.allSatisfy { $0["reason"]?.text.contains("of another project than the route") == true })
        }
    }

    @Test(arguments: ["project: demo-gatehouse", "projects: [{ project: demo-gatehouse }]"])
    func `with one project headers, log and keys in Redis have no project`(_ firebase: String) async throws {
        let redis = try await RedisServer()
        try await Scenario.run(arrange: {
            $2["identity"] = $2["identity"]?.replacing("{ project: demo-gatehouse,", with: "{ \(firebase),")
            $2["store"] = redis.store
        }) { scenario in
            let token = try alice(scenario, of: Self.mine)
            let report = try scenario.passes(.bearer(token, "/me/x"))
            let names = report.fields.map(\.name).filter { $0.lowercased().hasPrefix("x-auth-") }
            #expect(names.first == "X-Auth-Uid" && names.last == "X-Auth-Time" && report["X-Auth-Uid"] == "alice")
            #expect(!names.contains("X-Auth-Project") && !names.contains("X-Auth-Tenant"))
            let answer = try scenario.admin("POST", "/v1/users/alice/revoke")
            #expect(answer.text.hasPrefix(#"{"uid":"alice","valid_since":"#))
            #expect(try scenario.admin("POST", "/v1/projects/\(Self.mine)/users/alice/revoke").status == 200)
            #expect(try scenario.admin("POST", "/v1/projects/third-app/users/alice/revoke").status == 400)
            #expect(try redis.cli("EXISTS", "gatehouse:user:{alice}").contains("1"))
            #expect(try redis.cli("KEYS", "gatehouse:user:*").split(separator: "\n").count == 1)
            let changes = try redis.cli("XRANGE", "gatehouse:changes", "-", "+")
            #expect(changes.contains("alice") && !changes.contains("project"))
            let foreign = try alice(scenario, of: "third-app")
            expectDenial(try scenario.send(.bearer(foreign, "/me/x")), 401, "auth/invalid-id-token")
            let lines = await scenario.accessLog()
            #expect(lines.allSatisfy { $0["project"] == nil })
            let denied = lines.filter { $0["code"] == "auth/invalid-id-token" }
            #expect(denied.map { $0["reason"] } == ["iss is not the expected issuer"])
        }
    }
}
