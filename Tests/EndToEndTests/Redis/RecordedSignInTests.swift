import DevelopmentIdentity
import Testing

@testable import RedisFixtures

/// A recorded sign-in of a session in Redis, on routes that require a recent sign-in.
struct RecordedSignInTests {
    private static let old = unixNow() - 4000

    private func record(_ redis: RedisServer, of uid: String = "ada", session: Int64 = old, at time: Int64) throws {
        try redis.cli("HSET", "gatehouse:session:{\(uid)}:\(session)", "signed_in_at", "\(time)")
    }

    @Test func `I-11: only a record makes an old sign-in recent`() async throws {
        let redis = try await RedisServer()
        try await Fleet.run(store: redis.store) { fleet in
            let token = try fleet.first.token(.ada) { $0.signedIn(at: Self.old) }
            let request = WireRequest.bearer(token, "/recent/x")
            let challenge = #"Bearer error="insufficient_user_authentication", max_age="300""#
            expectDenial(try fleet.first.send(request), 401, "auth/requires-recent-login", challenge: challenge)
            let time = unixNow() - 10
            try record(redis, at: time)
            #expect(try fleet.first.passes(request)["X-Auth-Time"] == "\(time)")
        }
    }

    @Test func `a recent sign-in needs no lookup`() async throws {
        let redis = try await RedisServer()
        try await Fleet.run(store: redis.store) { fleet in
            let token = try fleet.first.token(.ada) { $0.signedIn(at: unixNow() - 10) }
            #expect(try fleet.first.send(.bearer(token, "/recent/x")).status == 200)
            #expect(try fleet.first.send(.bearer(token, "/me/x")).status == 200)
            #expect(try fleet.first.metric("gatehouse_store_reads_total") == 0)
        }
    }

    @Test func `a request with a body waits for the lookup too`() async throws {
        let redis = try await RedisServer()
        try await Fleet.run(store: redis.store) { fleet in
            try record(redis, at: unixNow())
            let token = try fleet.first.token(.ada) { $0.signedIn(at: Self.old) }
            let body = [UInt8](repeating: 0x61, count: 300_000)
            let request = WireRequest.post("/recent/x", "Authorization: Bearer \(token)", body: body)
            #expect(try fleet.first.passes(request).values("Content-Length") == ["300000"])
        }
    }

    @Test func `each request gets the result of its own lookup`() async throws {
        let redis = try await RedisServer()
        try await Fleet.run(store: redis.store) { fleet in
            for user in 0..<20 where user % 2 == 0 { try record(redis, of: "u\(user)", at: unixNow()) }
            let tokens = try (0..<20).map { user in
                try fleet.first.token(.named("u\(user)")) { $0.signedIn(at: Self.old) }
            }
            let clients = try tokens.map { _ in try RawClient(port: fleet.first.gateway.port) }
            for _ in 0..<10 {
                for (client, token) in zip(clients, tokens) {
                    try client.send(WireRequest.bearer(token, "/recent/x").bytes)
                }
                for (user, client) in clients.enumerated() {
                    let response = try client.response()
                    #expect(response.status == (user % 2 == 0 ? 200 : 401))
                    if user % 2 == 0 { #expect(EchoReport(response)?["X-Auth-Uid"] == "u\(user)") }
                }
            }
        }
    }
}
