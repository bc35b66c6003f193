import GatewayConfiguration
import HTTPServer
import Redis
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import RedisFixtures
@testable import Revocation
@testable import SystemFixtures

/// A response of the store decides only its own request.
@Suite struct StoreLookupTests {
    private static let noUser = "*2\r\n$-1\r\n$-1\r\n"
    private static let noSession = "*3\r\n$-1\r\n$-1\r\n$-1\r\n"
    private static let revoked = "*2\r\n$10\r\n9999999999\r\n$-1\r\n"
    private let desk: Desk

    init() throws { desk = try Desk() }

    /// A worker and a Redis whose responses to lookups the test sends.
    private struct Desk {
        let redis: FakeRedis
        let rig: RequestPathRig

        init(requestTimeout: Duration? = nil) throws {
            redis = try FakeRedis { $0.name == "HMGET" ? .silence : .text("+PONG\r\n") }
            rig = try RequestPathRig(redis: RedisConfiguration(host: "127.0.0.1", port: redis.port)) {
                $0.routes[1].revocation = .strict
                $0.revocation.strictTimeout = .seconds(100)
                $0.limits.requestTimeout = requestTimeout
            }
            try rig.installKeys()
            try rig.until { $0.inquiries?.isConnected == true }
        }

        /// Waits for a number of lookups. Each request causes two.
        func lookups(_ count: Int) async throws {
            try await eventually("\(count) lookups") {
                redis.commands.count { $0.name == "HMGET" } == count ? true : nil
            }
        }

        /// Sends responses and waits until the worker has `waiting` more lookups.
        func answer(_ texts: String..., leaving waiting: Int) throws {
            for text in texts { redis.answerSilenced(text) }
            try rig.until { $0.inquiries?.waiting == waiting }
        }
    }

    private static func request(of uid: String, validFor seconds: Int64 = 3500) -> String {
        let token = TokenDraft.idToken().with("sub", "\"\(uid)\"").with("user_id", "\"\(uid)\"")
            .with("exp", "\(ManualClock.start + seconds)").signed()
        return "POST /private/x HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nAuthorization: Bearer \(token)\r\n\r\n"
    }

    /// A request that timed out during its lookup.
    private func timedOut() async throws -> (Desk, LoopbackSocket) {
        let desk = try Desk(requestTimeout: .seconds(1))
        let client = try desk.rig.send(Self.request(of: "ada"))
        try await desk.lookups(2)
        try desk.rig.pass(seconds: 1.1)
        #expect(try client.readMessage().status == 504)
        return (desk, client)
    }

    @Test func `each of several requests is decided by its own response`() async throws {
        let client = try desk.rig.send(Self.request(of: "eve") + Self.request(of: "ada"))
        try await desk.lookups(2)
        try desk.answer(Self.revoked, Self.noSession, leaving: 1)
        #expect(try client.readMessage().status == 401)
        try await desk.lookups(4)
        try desk.answer(Self.noUser, Self.noSession, leaving: 0)
        #expect(try desk.rig.upstream.accept().readHead().values("X-Auth-Uid") == ["ada"])
    }

    @Test func `a late response decides no other request`() async throws {
        let (desk, client) = try await timedOut()
        try client.send(Self.request(of: "eve"))
        try await desk.lookups(4)
        try desk.answer(Self.noUser, Self.noSession, leaving: 1)
        #expect(client.isQuiet)
        // The lookup is not repeated.
        try await desk.lookups(4)
        try desk.answer(Self.revoked, Self.noSession, leaving: 0)
        #expect(try client.readMessage().status == 401)
        #expect(!desk.rig.upstream.hasConnection)
    }

    /// A repeated lookup would decide and forward the request twice.
    @Test func `a request is forwarded once although an older lookup ends`() async throws {
        let (desk, client) = try await timedOut()
        try client.send(Self.request(of: "bob"))
        try await desk.lookups(4)
        try desk.answer(Self.noUser, Self.noSession, Self.noUser, Self.noSession, leaving: 0)
        let server = try desk.rig.upstream.accept()
        #expect(try server.readHead().values("X-Auth-Uid") == ["bob"])
        desk.redis.answerSilenced(Self.noUser, Self.noSession)
        #expect(server.isQuiet)
        #expect(!desk.rig.upstream.hasConnection)
        #expect(desk.redis.commands.count { $0.name == "HMGET" } == 4)
    }

    @Test func `a response for a client that left decides no other request`() async throws {
        let gone = try desk.rig.send(Self.request(of: "ada"))
        try await desk.lookups(2)
        gone.reset()
        try desk.rig.until { $0.connectionContext.registry.count == 0 }
        let client = try desk.rig.send(Self.request(of: "eve"))
        try await desk.lookups(4)
        try desk.answer(Self.noUser, Self.noSession, leaving: 1)
        try desk.answer(Self.revoked, Self.noSession, leaving: 0)
        #expect(try client.readMessage().status == 401)
        #expect(!desk.rig.upstream.hasConnection)
    }

    @Test func `a credential that expires during the lookup does not pass`() async throws {
        let client = try desk.rig.send(Self.request(of: "ada", validFor: 10))
        try await desk.lookups(2)
        desk.rig.clock.advance(seconds: 11)
        try desk.answer(Self.noUser, Self.noSession, leaving: 0)
        #expect(try client.readMessage().status == 401)
        #expect(!desk.rig.upstream.hasConnection)
    }
}
