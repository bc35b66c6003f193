import GatewayConfiguration
import HTTPServer
import Redis
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import RedisFixtures
@testable import Revocation
@testable import SystemFixtures

/// Whose request an answer of the store decides, whatever became of the request meanwhile.
@Suite struct AskingTheStoreTests {
    private static let nobody = "*2\r\n$-1\r\n$-1\r\n"
    private static let noSession = "*3\r\n$-1\r\n$-1\r\n$-1\r\n"
    private static let revoked = "*2\r\n$10\r\n9999999999\r\n$-1\r\n"

    /// A Redis that answers records only when the test says so, and a worker that asks it.
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

        /// Waits until so many records were asked for: two of a request.
        func asked(_ count: Int) async throws {
            try await eventually("\(count) questions") {
                redis.commands.count { $0.name == "HMGET" } == count ? true : nil
            }
        }

        /// Gives answers, and waits until the worker has taken them and waits for so many more.
        func answer(_ texts: String..., leaving waiting: Int) throws {
            for text in texts { redis.answerSilenced(text) }
            try rig.until { $0.inquiries?.waiting == waiting }
        }
    }

    private static func request(of uid: String, lasting seconds: Int64 = 3500) -> String {
        let token = TokenDraft.idToken().with("sub", "\"\(uid)\"").with("user_id", "\"\(uid)\"")
            .with("exp", "\(ManualClock.start + seconds)").signed()
        return "POST /private/x HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nAuthorization: Bearer \(token)\r\n\r\n"
    }

    @Test func requestsInARowAreDecidedEachByItsOwnAnswer() async throws {
        let desk = try Desk()
        let client = try desk.rig.connect()
        try client.send(Self.request(of: "eve") + Self.request(of: "ada"))
        try await desk.asked(2)
        try desk.answer(Self.revoked, Self.noSession, leaving: 1)
        #expect(try client.readMessage().status == 401)
        try await desk.asked(4)
        try desk.answer(Self.nobody, Self.noSession, leaving: 0)
        #expect(try desk.rig.upstream.accept().readHead().values("X-Auth-Uid") == ["ada"])
    }

    @Test func anAnswerThatComesAfterItsRequestWasGivenUpDecidesNoOther() async throws {
        let desk = try Desk(requestTimeout: .seconds(1))
        let client = try desk.rig.connect()
        try client.send(Self.request(of: "ada"))
        try await desk.asked(2)
        try desk.rig.pass(seconds: 1.1)
        #expect(try client.readMessage().status == 504)
        try client.send(Self.request(of: "eve"))
        try await desk.asked(4)
        try desk.answer(Self.nobody, Self.noSession, leaving: 1)
        #expect(client.isQuiet)
        // Nor is it asked anew.
        try await desk.asked(4)
        try desk.answer(Self.revoked, Self.noSession, leaving: 0)
        #expect(try client.readMessage().status == 401)
        #expect(!desk.rig.upstream.hasConnection)
    }

    /// What is asked twice is decided twice, and would be forwarded twice.
    @Test func aRequestIsForwardedOnceThoughAnOlderOneIsAnsweredMeanwhile() async throws {
        let desk = try Desk(requestTimeout: .seconds(1))
        let client = try desk.rig.connect()
        try client.send(Self.request(of: "ada"))
        try await desk.asked(2)
        try desk.rig.pass(seconds: 1.1)
        #expect(try client.readMessage().status == 504)
        try client.send(Self.request(of: "bob"))
        try await desk.asked(4)
        try desk.answer(Self.nobody, Self.noSession, Self.nobody, Self.noSession, leaving: 0)
        let server = try desk.rig.upstream.accept()
        #expect(try server.readHead().values("X-Auth-Uid") == ["bob"])
        desk.redis.answerSilenced(Self.nobody, Self.noSession)
        #expect(server.isQuiet)
        #expect(!desk.rig.upstream.hasConnection)
        #expect(desk.redis.commands.count { $0.name == "HMGET" } == 4)
    }

    @Test func anAnswerForAClientThatLeftDecidesNobodys() async throws {
        let desk = try Desk()
        let gone = try desk.rig.connect()
        try gone.send(Self.request(of: "ada"))
        try await desk.asked(2)
        gone.reset()
        try desk.rig.until { $0.front.registry.count == 0 }
        let client = try desk.rig.connect()
        try client.send(Self.request(of: "eve"))
        try await desk.asked(4)
        try desk.answer(Self.nobody, Self.noSession, leaving: 1)
        try desk.answer(Self.revoked, Self.noSession, leaving: 0)
        #expect(try client.readMessage().status == 401)
        #expect(!desk.rig.upstream.hasConnection)
    }

    @Test func aCredentialThatEndsWhileTheStoreIsAskedDoesNotPass() async throws {
        let desk = try Desk()
        let client = try desk.rig.connect()
        try client.send(Self.request(of: "ada", lasting: 10))
        try await desk.asked(2)
        desk.rig.clock.advance(seconds: 11)
        try desk.answer(Self.nobody, Self.noSession, leaving: 0)
        #expect(try client.readMessage().status == 401)
        #expect(!desk.rig.upstream.hasConnection)
    }
}
