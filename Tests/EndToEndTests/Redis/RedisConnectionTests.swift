import DevelopmentIdentity
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

/// Connections to Redis with passwords, TLS and sentinels.
struct RedisConnectionTests {
    private func expectWorks(_ fleet: Fleet) async throws {
        let token = try fleet.first.token(.ada) { $0.signedIn(at: unixNow() - 100) }
        #expect(try fleet.first.send(.bearer(token, "/strict/x")).status == 200)
        #expect(try fleet.first.admin("POST", "/v1/users/ada/revoke").status == 200)
        try fleet.first.expectRefusal(.bearer(token, "/strict/x"), 401, "auth/id-token-revoked")
        try await fleet.eventuallyAll(.bearer(token, "/me/x"), 401)
    }

    @Test func `a password is sent over TLS`() async throws {
        let authority = try TestAuthority()
        let redis = try await RedisServer(
            ["requirepass 'top secret'"], user: RedisServer.User(password: "top secret"), tls: authority)
        let store = """
            { url: 'rediss://127.0.0.1:\(redis.port)', password: '${REDIS_PASSWORD}', ca: '\(authority.authority)' }
            """
        try await Fleet.run(store: store, arrange: { $0.environment["REDIS_PASSWORD"] = "top secret" }) { fleet in
            try await expectWorks(fleet)
        }
    }

    @Test func `a token of a managed service is sent over TLS, and is secret`() async throws {
        let authority = try TestAuthority()
        // The server accepts every token of this user.
        let redis = try await RedisServer(["user gatehouse on nopass ~* &* +@all"], tls: authority)
        let url = "url: 'rediss://127.0.0.1:\(redis.port)', ca: '\(authority.authority)', username: gatehouse"
        let store = "{ \(url), credentials: { aws_iam: { cache: sessions, region: eu-west-1 } } }"
        let keys = ["AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "hunter2"]
        try await Fleet.run(store: store, arrange: { $0.environment.merge(keys) { $1 } }) { fleet in
            try await expectWorks(fleet)
            #expect(try redis.cli("CLIENT", "LIST").contains("user=gatehouse"))
            #expect(try fleet.first.metric("gatehouse_store_credential_renewals_total", containing: "success") >= 1)
            #expect(try fleet.first.metric("gatehouse_store_credentials_failing") == 0)
            #expect(try fleet.first.metric("gatehouse_store_credentials_expiry_seconds") > Double(unixNow()))
            let status = try fleet.first.admin("GET", "/v1/status")
            for text in [fleet.first.gateway.errors, status.text] {
                #expect(!text.contains("hunter2") && !text.contains("X-Amz-"))
            }
        }
    }

    @Test func `a wrong password is reported without its value`() async throws {
        let redis = try await RedisServer(["requirepass right"], user: RedisServer.User(password: "right"))
        try await Fleet.run(store: "redis://:wr0ng@127.0.0.1:\(redis.port)", waits: false) { fleet in
            let text = try await eventually("the reason") {
                let text = try fleet.first.gateway.readiness().text
                return text.contains("assword") ? text : nil
            }
            #expect(!text.contains("wr0ng"))
            #expect(!fleet.first.gateway.errors.contains("wr0ng"))
        }
    }

    @Test func `a server with a certificate of another authority is rejected`() async throws {
        let redis = try await RedisServer(tls: TestAuthority())
        let other = try TestAuthority()
        let store = "{ url: 'rediss://127.0.0.1:\(redis.port)', ca: '\(other.authority)' }"
        try await Fleet.run(store: store, waits: false) { fleet in
            _ = try await eventually("the reason") {
                try fleet.first.gateway.readiness().text.contains("certificate") ? true : nil
            }
        }
    }

    @Test func `a failover is followed`() async throws {
        let group = try await SentinelGroup()
        let hosts = group.sentinelPorts.map { "127.0.0.1:\($0)" }.joined(separator: ",")
        try await Fleet.run(2, store: "redis+sentinel://\(hosts)/\(SentinelGroup.name)") { fleet in
            let revoked = try fleet.first.token(.named("eve")) { $0.signedIn(at: unixNow() - 100) }
            #expect(try fleet.first.admin("POST", "/v1/users/eve/revoke").status == 200)
            #expect(try group.master().cli("WAIT", "2", "5000") == "2")
            try await group.killMaster()
            let token = try fleet.first.token(.ada) { $0.signedIn(at: unixNow() - 100) }
            try await fleet.eventuallyAll(.bearer(token, "/strict/x"), 200)
            for scenario in fleet.gateways {
                try scenario.expectRefusal(.bearer(revoked, "/me/x"), 401, "auth/id-token-revoked")
            }
            try await fleet.eventuallyAll(.bearer(revoked, "/strict/x"), 401)
            _ = try await eventually("a write to the new master") {
                try fleet.gateways[1].admin("POST", "/v1/users/ada/revoke").status == 200 ? true : nil
            }
            try await fleet.eventuallyAll(.bearer(token, "/me/x"), 401)
        }
    }
}
