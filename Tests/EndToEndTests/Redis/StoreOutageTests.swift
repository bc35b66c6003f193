import DevelopmentIdentity
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

/// An unavailable Redis: only requests that need a lookup are denied.
struct StoreOutageTests {
    private static func open(_ configuration: inout GatewayConfiguration) {
        configuration.routes.insert(
            "path: /open/**, revocation: strict, on_store_failure: allow, upstream: api", at: 0)
    }

    @Test func `H-04: only requests that need a lookup are denied while Redis is down`() async throws {
        let redis = try await RedisServer(["appendonly yes", "appendfsync always"])
        try await Fleet.run(store: redis.store, arrange: Self.open) { fleet in
            let gateway = fleet.first
            let token = try gateway.token(.ada) { $0.signedIn(at: unixNow() - 100) }
            let older = try gateway.token(.named("bob")) { $0.signedIn(at: unixNow() - 4000) }
            let revoked = try gateway.token(.named("eve")) { $0.signedIn(at: unixNow() - 100) }
            #expect(try gateway.admin("POST", "/v1/users/eve/revoke").status == 200)
            redis.kill()
            _ = try await eventually("the outage") {
                try gateway.send(.bearer(token, "/strict/x")).status == 503 ? true : nil
            }
            try gateway.expectRefusal(.bearer(token, "/strict/x"), 503, "auth/store-unavailable")
            try gateway.expectRefusal(.bearer(older, "/recent/x"), 503, "auth/store-unavailable")
            for target in ["/me/x", "/recent/x", "/open/x", "/unrevocable/x"] {
                #expect(try gateway.send(.bearer(token, target)).status == 200, "\(target)")
            }
            #expect(try gateway.send(.get("/public/x")).status == 200)
            for target in ["/me/x", "/open/x"] {
                try gateway.expectRefusal(.bearer(revoked, target), 401, "auth/id-token-revoked")
            }
            #expect(try gateway.metric("gatehouse_store_failures_allowed_total") == 1)
            try await gateway.gateway.untilLogged("request permitted despite a store failure")
            // The change is not acknowledged, because it was not stored.
            #expect(try gateway.admin("POST", "/v1/users/ada/revoke").status == 503)
            let readiness = try gateway.gateway.readiness()
            #expect(readiness.status == 200 && readiness.text.contains("\"note\""), "\(readiness.text)")
            try await redis.start()
            try await fleet.eventuallyAll(.bearer(token, "/strict/x"), 200)
            // Each worker has its own connection.
            try await fleet.eventuallyAll(.bearer(revoked, "/strict/x"), 401)
            try gateway.expectRefusal(.bearer(revoked, "/me/x"), 401, "auth/id-token-revoked")
        }
    }

    @Test func `a gateway starts before its Redis`() async throws {
        let redis = try await RedisServer(["appendonly yes", "appendfsync always"])
        try redis.cli("HSET", "gatehouse:user:{eve}", "disabled", "1")
        redis.kill()
        try await Fleet.run(store: redis.store, waits: false) { fleet in
            let readiness = try fleet.first.gateway.readiness()
            #expect(readiness.status == 503)
            #expect(readiness.text.contains("the store was not read yet"), "\(readiness.text)")
            #expect(try fleet.first.send(.get("/public/x")).status == 200)
            try await redis.start()
            // The request waits for the revocation view and is not denied.
            #expect(try fleet.first.send(.bearer(fleet.first.token(), "/me/x")).status == 200)
            try fleet.first.expectRefusal(
                .bearer(fleet.first.token(.named("eve")), "/me/x"), 401, "auth/user-disabled")
            try await fleet.first.gateway.ready()
        }
    }

    @Test func `a frozen Redis is treated as unavailable`() async throws {
        let redis = try await RedisServer()
        let arrange: (inout GatewayConfiguration) -> Void = {
            $0["revocation"] = "{ max_staleness: \(3 * Allowance.factor)s, strict_timeout: 100ms }"
        }
        try await Fleet.run(store: redis.store, arrange: arrange) { fleet in
            let request = WireRequest.bearer(try fleet.first.token(), "/me/x")
            let strict = WireRequest.bearer(try fleet.first.token(), "/strict/x")
            redis.freeze()
            defer { redis.thaw() }
            try fleet.first.expectRefusal(strict, 503, "auth/store-unavailable")
            #expect(try fleet.first.send(request).status == 200)
            try await fleet.eventuallyAll(request, 503)
            try fleet.first.expectRefusal(request, 503, "auth/store-unavailable")
            redis.thaw()
            try await fleet.eventuallyAll(request, 200)
            try await fleet.eventuallyAll(strict, 200)
        }
    }

    @Test func `H-04: a server that became a replica accepts no revocation`() async throws {
        let (redis, master) = (try await RedisServer(), try await RedisServer())
        try await Fleet.run(store: redis.store) { fleet in
            let token = try fleet.first.token()
            try redis.cli("REPLICAOF", "127.0.0.1", "\(master.port)")
            #expect(try fleet.first.admin("POST", "/v1/users/ada/revoke").status == 503)
            #expect(try fleet.first.send(.bearer(token, "/me/x")).status == 200)
            // It continues to serve its last state.
            try await fleet.eventuallyAll(.bearer(token, "/strict/x"), 503)
            try redis.cli("REPLICAOF", "NO", "ONE")
            _ = try await eventually("a revocation") {
                try fleet.first.admin("POST", "/v1/users/ada/revoke").status == 200 ? true : nil
            }
        }
    }

    /// Replies to `HMGET` that are not records. `ReplyTableTests` and `ReplicaFaultTests` have further ones.
    static let answers = [
        "-LOADING Redis is loading the dataset in memory\r\n", "-MOVED 3999 127.0.0.1:1\r\n", "-\r\n", "+OK\r\n",
        "$-1\r\n", "*0\r\n", "*3\r\n$-1\r\n$-1\r\n$-1\r\n", "*2\r\n$-1\r\n:1\r\n", "*100000000\r\n",
        "HTTP/1.1 200 OK\r\n\r\n", "*2\r\n$5\r\n1e300\r\n$-1\r\n",
    ]

    @Test(arguments: answers)
    func `H-04: only a reply with a record permits a request`(answer: String) async throws {
        let fake = try FakeRedis { command in
            switch command.name {
            case "HMGET": .text(answer)
            case "XINFO": .text("-ERR no such key\r\n")
            case "INFO": .text("-ERR unknown command\r\n")
            case "SCAN": .text("*2\r\n$1\r\n0\r\n*0\r\n")
            case "XREAD": command.arguments.contains("BLOCK") ? .silence : .text("*-1\r\n")
            case "PING": .text("+PONG\r\n")
            default: .text("+OK\r\n")
            }
        }
        defer { fake.stop() }
        try await Fleet.run(store: "redis://127.0.0.1:\(fake.port)", arrange: Self.open) { fleet in
            let token = try fleet.first.token()
            _ = try await eventually("an answer") {
                try fleet.first.expectRefusal(.bearer(token, "/strict/x"), 503, "auth/store-unavailable")
                return fake.commands.contains { $0.name == "HMGET" } ? true : nil
            }
            #expect(try fleet.first.send(.bearer(token, "/open/x")).status == 200)
            #expect(try fleet.first.send(.bearer(token, "/unrevocable/x")).status == 200)
            #expect(try fleet.first.metric("gatehouse_store_failures_allowed_total") == 1)
        }
    }
}
