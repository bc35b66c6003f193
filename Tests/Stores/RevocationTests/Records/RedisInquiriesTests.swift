import GatewayCore
import Logging
import NIOCore
import NIOPosix
import Redis
import Testing

@testable import RedisFixtures
@testable import Revocation
@testable import StoreFixtures
@testable import SystemFixtures

/// The queries of a worker to Redis during a request.
@Suite struct RedisInquiriesTests {
    /// A link and its queries on a separate event loop. A caller is a number.
    private final class Desk: RedisLinkObserver {
        let link: RedisLink
        var inquiries: RedisInquiries<Int>?
        var results: [Int: StoreRecords] = [:]
        private var whenReady: EventLoopPromise<Void>?
        private var expected: (count: Int, promise: EventLoopPromise<[Int: StoreRecords]>)?

        init(_ configuration: RedisConfiguration, loop: any EventLoop, timeout: UInt64) {
            link = RedisLink(
                configuration, loop: loop, logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
            inquiries = RedisInquiries(link: link, timeout: timeout) { [unowned self] caller, records in
                results[caller] = records
                if let wanted = expected, results.count == wanted.count { wanted.promise.succeed(results) }
            }
            link.observer = self
        }

        func start(_ promise: EventLoopPromise<Void>) {
            whenReady = promise
            link.start()
        }

        func expect(_ count: Int, _ promise: EventLoopPromise<[Int: StoreRecords]>) {
            expected = (count, promise)
            if results.count == count { promise.succeed(results) }
        }

        func linkIsReady(_ link: RedisLink) {
            whenReady?.succeed()
            whenReady = nil
        }

        func linkIsLost(_ link: RedisLink, why problem: RedisProblem) {}
    }

    /// Sends all queries in one turn of the loop, and returns the results by the numbers of the queries.
    private func query(
        _ port: Int, _ queries: [(StoreQuery, String, String)], timeout: Duration = .hangLimit,
        connects: Bool = true
    ) throws -> [Int: StoreRecords] {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        defer { try? group.syncShutdownGracefully() }
        let loop = group.next()
        let results = loop.makePromise(of: [Int: StoreRecords].self)
        let ready = loop.makePromise(of: Void.self)
        let desk = try loop.submit {
            let desk = Desk(
                RedisConfiguration(host: "127.0.0.1", port: port), loop: loop, timeout: timeout.nanoseconds)
            if connects { desk.start(ready) } else { ready.succeed() }
            return NIOLoopBound(desk, eventLoop: loop)
        }.wait()
        try ready.futureResult.wait()
        try loop.submit {
            for (number, (query, uid, session)) in queries.enumerated() {
                desk.value.inquiries?.query(query, RecordCommands(UserKey(uid), session: session), for: number)
            }
            desk.value.expect(queries.count, results)
        }.wait()
        defer { try? loop.submit { desk.value.link.stop() }.wait() }
        return try results.futureResult.wait()
    }

    /// A server that accepts the handshake and then replies with `reply`.
    private func greeting(
        _ reply: @escaping @Sendable (FakeRedis.Command) -> FakeRedis.Answer
    ) throws -> FakeRedis {
        try FakeRedis { $0.name == "HMGET" ? reply($0) : .text("+PONG\r\n") }
    }

    @Test func `records are read unchanged`() async throws {
        let redis = try await RedisServer()
        try redis.cli("HSET", "gatehouse:user:{ada}", "valid_since", "1700000000", "disabled", "1")
        try redis.cli("HSET", "gatehouse:session:{ada}:1699", "signed_in_at", "1700000001")
        try redis.cli("SET", "gatehouse:user:{odd}", "no hash")
        try redis.cli("HSET", "gatehouse:session:{odd}:1", "revoked", "true")
        let results = try query(
            redis.port,
            [
                ([.user, .session], "ada", "1699"), (.session, "ada", "1699"), ([.user, .session], "bob", "1"),
                ([.user, .session], "odd", "1"),
            ])
        let user = UserLookup.record(validSince: 1_700_000_000, disabled: true)
        let session = SessionLookup.record(revoked: false, signedInAt: 1_700_000_001)
        #expect(results[0] == .records(user: user, session: session))
        #expect(results[1] == .records(user: nil, session: session))
        #expect(results[2] == .records(user: UserLookup.none, session: SessionLookup.none))
        #expect(results[3] == .records(user: .faulty, session: .faulty))
    }

    @Test func `each query of a turn gets its own result`() async throws {
        let redis = try await RedisServer()
        let script = "for n = 0, 99 do redis.call('HSET', 'gatehouse:user:{u' .. n .. '}', 'valid_since', n) end"
        try redis.cli("EVAL", script, "0")
        let results = try query(redis.port, (0..<100).map { (.user, "u\($0)", "1") })
        for number in 0..<100 {
            let user = UserLookup.record(validSince: UnixTime(clamping: Int64(number)), disabled: false)
            #expect(results[number] == .records(user: user, session: nil))
        }
    }

    @Test func `H-04: a query without a connection fails`() throws {
        #expect(try query(1, [([.user, .session], "ada", "1")], connects: false)[0] == .failed(.unreachable))
    }

    @Test func `H-04: a query with one failed part fails`() throws {
        let fake = try greeting {
            $0.arguments.last == "disabled" ? .text("*2\r\n$-1\r\n$-1\r\n") : .text("-ERR no\r\n")
        }
        defer { fake.stop() }
        #expect(try query(fake.port, [([.user, .session], "ada", "1")])[0] == .failed(.refused))
    }

    @Test func `H-04: a query without a reply times out`() throws {
        let fake = try greeting { _ in .silence }
        defer { fake.stop() }
        let results = try query(fake.port, [([.user, .session], "ada", "1")], timeout: .milliseconds(30))
        #expect(results[0] == .failed(.timedOut))
    }

    @Test func `queries above the limit fail immediately`() throws {
        let fake = try greeting { _ in .silence }
        defer { fake.stop() }
        let limit = RedisInquiries<Int>.limit
        let results = try query(
            fake.port, (0...limit).map { (.user, "u\($0)", "1") }, timeout: .milliseconds(200))
        #expect(results[limit] == .failed(.overloaded))
        #expect(results.values.count { $0 == .failed(.overloaded) } == 1)
    }
}
