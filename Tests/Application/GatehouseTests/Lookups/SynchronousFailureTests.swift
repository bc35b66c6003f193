import GatewayConfiguration
import GatewayCore
import Redis
import Routing
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import RedisFixtures
@testable import Revocation
@testable import StoreFixtures
@testable import SystemFixtures

/// A lookup that fails immediately must not decide its request within the decision that starts it.
@Suite struct SynchronousFailureTests {
    /// A worker with a connection to Redis that accepts no commands.
    private static func rig(_ adjust: (inout Configuration) -> Void) throws -> (redis: FakeRedis, rig: RequestPathRig) {
        let redis = try FakeRedis { _ in .text("+OK\r\n") }
        var configuration = RedisConfiguration(host: "127.0.0.1", port: redis.port)
        configuration.maximumInFlight = 0
        let rig = try RequestPathRig(redis: configuration) {
            $0.routes[1].revocation = .strict
            adjust(&$0)
        }
        try rig.installKeys()
        try rig.until { $0.inquiries?.isConnected == true }
        return (redis, rig)
    }

    private static func request(_ uid: String) -> String {
        let token = TokenDraft.idToken().with("sub", "\"\(uid)\"").with("user_id", "\"\(uid)\"").signed()
        return "GET /private/\(uid) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\r\n"
    }

    @Test func `a request whose lookup cannot be sent is denied once, and so is the next one`() throws {
        let (redis, rig) = try Self.rig { _ in }
        defer { redis.stop() }
        let client = try rig.send(Self.request("ada") + Self.request("bob"))
        for _ in 0..<2 { #expect(try client.readMessage().status == 503) }
        #expect(client.isQuiet)
        #expect(try rig.onWorker { $0.counters.snapshot()[.storeReadFailures] } == 2)
        #expect(try rig.onWorker { $0.inquiries?.waiting } == 0)
    }

    @Test func `with on_store_failure: allow, each request is forwarded once and to its own path`() throws {
        let (redis, rig) = try Self.rig { $0.routes[1].onStoreFailure = .allow }
        defer { redis.stop() }
        let client = try rig.send(Self.request("ada"))
        let server = try rig.upstream.accept()
        for uid in ["ada", "bob"] {
            if uid == "bob" { try client.send(Self.request(uid)) }
            let head = try server.readHead()
            #expect(head.values("X-Auth-Uid") == [uid])
            #expect(head.start.hasPrefix("GET /private/\(uid) "))
            try server.send(.okResponse)
            #expect(try client.readMessage().status == 200)
        }
        #expect(server.isQuiet)
        #expect(!rig.upstream.hasConnection)
    }

    @Test func `the result of a lookup is never delivered within the call that starts it`() throws {
        let (redis, rig) = try Self.rig { _ in }
        defer { redis.stop() }
        try rig.onWorker { worker in
            guard let link = worker.inquiries?.link else { return }
            var answers: [StoreRecords] = []
            let inquiries = RedisInquiries<Int>(link: link, timeout: 1) { answers.append($1) }
            for number in 0..<3 { inquiries.query(.user, RecordCommands(UserKey("ada"), session: nil), for: number) }
            inquiries.query(.session, RecordCommands(UserKey("ada"), session: nil), for: 3)
            #expect(answers.isEmpty)
            #expect(inquiries.waiting == 3)
        }
    }

    @Test func `memory in use is not reused for another request`() {
        let scratch = PathScratch()
        let outer = scratch.borrow()
        let nested = scratch.borrow()
        #expect(outer === scratch)
        #expect(nested !== outer)
        nested.release()
        #expect(scratch.borrow() !== outer)
        outer.release()
        #expect(scratch.borrow() === outer)
    }
}
