import DevelopmentIdentity
import Foundation
import Testing

@testable import RedisFixtures

/// Users of several tenants with the same uid, on one gateway or on two gateways with one Redis.
struct TenantUserTests {
    private static let acme = "acme-x1"
    private static let globex = "globex-y2"

    private static func anyTenant(_ configuration: inout GatewayConfiguration) {
        configuration["identity"] = configuration["identity"]?.replacing("{ project:", with: "{ tenant: '*', project:")
    }

    private func alice(_ scenario: Scenario, of tenant: String?) throws -> String {
        try scenario.token(.named("alice")) { token in
            let token = token.signedIn(at: unixNow() - 100)
            return tenant.map { token.inTenant($0) } ?? token
        }
    }

    @Test func `the upstream and the log get the tenant and the uid`() async throws {
        try await Scenario.run(arrange: { Self.anyTenant(&$2) }) { scenario in
            for tenant in [Self.acme, Self.globex, nil] {
                let token = try alice(scenario, of: tenant)
                let report = try scenario.passes(.bearer(token, "/me/x", "X-Auth-Tenant: no", "x_auth_tenant: no"))
                #expect(report["X-Auth-Uid"] == "alice")
                #expect(report.values("X-Auth-Tenant") == (tenant.map { [$0] } ?? []))
                #expect(report.lines.allSatisfy { !$0.hasSuffix(": no") })
            }
            let lines = await scenario.accessLog()
            #expect(Set(lines.map { $0["tenant"]?.text }) == ["\"acme-x1\"", "\"globex-y2\"", nil])
            #expect(lines.allSatisfy { $0["uid"] == "alice" })
        }
    }

    @Test(arguments: ["sqlite:gatehouse.db", "redis"])
    func `revoking or disabling one tenant's alice lets the other pass`(store: String) async throws {
        let redis = store == "redis" ? try await RedisServer() : nil
        try await Fleet.run(redis == nil ? 1 : 2, store: redis?.store ?? store, arrange: Self.anyTenant) { fleet in
            let acme = try alice(fleet.first, of: Self.acme)
            let others = try [Self.globex, nil].map { try alice(fleet.first, of: $0) }
            for (change, back) in [("revoke", "unrevoke"), ("disable", "enable")] {
                let answer = try fleet.first.admin("POST", "/v1/tenants/acme-x1/users/alice/\(change)")
                #expect(answer.status == 200 && answer.text.contains(#""uid":"alice","tenant":"acme-x1""#))
                #expect(try fleet.first.send(.bearer(acme, "/strict/x")).status == 401)
                try await fleet.eventuallyAll(.bearer(acme, "/me/x"), 401)
                for (scenario, token) in fleet.gateways.flatMap({ gateway in others.map { (gateway, $0) } }) {
                    #expect(try scenario.send(.bearer(token, "/me/x")).status == 200)
                    #expect(try scenario.send(.bearer(token, "/strict/x")).status == 200)
                }
                #expect(try fleet.first.admin("POST", "/v1/tenants/acme-x1/users/alice/\(back)").status == 200)
                try await fleet.eventuallyAll(.bearer(acme, "/me/x"), 200)
            }
            #expect(try fleet.first.admin("POST", "/v1/users/alice/revoke").status == 200)
            try await fleet.eventuallyAll(.bearer(others[1], "/me/x"), 401)
            #expect(try fleet.first.send(.bearer(acme, "/strict/x")).status == 200)
        }
    }

    @Test func `another backend revokes a tenant's user in Redis`() async throws {
        let redis = try await RedisServer()
        try await Fleet.run(2, store: redis.store, arrange: Self.anyTenant) { fleet in
            let (acme, globex) = try (alice(fleet.first, of: Self.acme), alice(fleet.first, of: Self.globex))
            let time = "\(unixNow())"
            try redis.cli("HSET", "gatehouse:user:{acme-x1:alice}", "valid_since", time)
            try redis.cli("XADD", "gatehouse:changes", "*", "uid", "alice", "tenant", "acme-x1", "valid_since", time)
            try await fleet.eventuallyAll(.bearer(acme, "/me/x"), 401)
            for scenario in fleet.gateways { #expect(try scenario.send(.bearer(globex, "/strict/x")).status == 200) }
        }
    }

    @Test func `signing out everywhere ends the sessions of one tenant's alice`() async throws {
        try await Scenario.run(arrange: {
            Self.anyTenant(&$2)
            $2["accounts"] = "{}"
        }) { scenario in
            var apps: [AccountApp] = []
            for tenant in [Self.acme, Self.globex, nil] {
                var app = AccountApp(scenario)
                #expect(try app.call("session", ["id_token": .string(alice(scenario, of: tenant))]).status == 200)
                let report = try #require(EchoReport(try app.get("/me/x")))
                #expect(report["X-Auth-Uid"] == "alice" && report["X-Auth-Tenant"] == tenant)
                apps.append(app)
            }
            #expect(try apps[0].call("sign-out", ["everywhere": true]).status == 204)
            let token = try alice(scenario, of: Self.acme)
            expectDenial(try scenario.send(.bearer(token, "/me/x")), 401, "auth/id-token-revoked")
            #expect(try apps[1].get("/me/x").status == 200)
            #expect(try apps[2].get("/me/x").status == 200)
        }
    }

    @Test func `rate limits of two tenants' alice are separate`() async throws {
        try await Scenario.run(arrange: {
            Self.anyTenant(&$2)
            $2.routes = ["path: /me/**, rate_limit: [{ per: uid, requests: 3, every: 1h }], upstream: api"]
        }) { scenario in
            for tenant in [Self.acme, Self.globex, nil] {
                let token = try alice(scenario, of: tenant)
                let statuses = try (0..<4).map { _ in try scenario.send(.bearer(token, "/me/x")).status }
                #expect(statuses == [200, 200, 200, 429])
            }
        }
    }

    @Test func `E-11: only the users of the configured tenant pass, and their names stay as they are`() async throws {
        try await Scenario.run(arrange: {
            $2["identity"] = $2["identity"]?.replacing("{ project:", with: "{ tenant: acme-x1, project:")
        }) { scenario in
            let token = try alice(scenario, of: Self.acme)
            #expect(try scenario.passes(.bearer(token, "/me/x"))["X-Auth-Tenant"] == nil)
            for tenant in ["acme-x12", nil] {
                let other = try alice(scenario, of: tenant)
                try scenario.expectRefusal(.bearer(other, "/me/x"), 401, "auth/tenant-id-mismatch", tenant ?? "none")
            }
            let answer = try scenario.admin("POST", "/v1/tenants/acme-x1/users/alice/revoke")
            #expect(answer.status == 400 && answer.text.contains("identity.firebase.tenant"))
            #expect(try scenario.send(.bearer(token, "/me/x")).status == 200)
            #expect(try scenario.admin("POST", "/v1/users/alice/revoke").status == 200)
            try scenario.expectRefusal(.bearer(token, "/me/x"), 401, "auth/id-token-revoked")
        }
    }
}
