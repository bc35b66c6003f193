import GatewayCore
import Logging
import NIOCore
import NIOPosix
import Redis
import Testing

@testable import RedisFixtures
@testable import Revocation
@testable import StoreFixtures

/// The queries of a worker to Redis during a request.
@Suite struct RedisInquiriesTests {
    /// A link and its queries on a loop of their own. A caller is a number.
    private final class Desk: RedisLinkObserver {
        let link: RedisLink
        var inquiries: RedisInquiries<Int>?
        var answers: [Int: StoreRecords] = [:]
        private var whenReady: EventLoopPromise<Void>?
        private var whenAnswered: (count: Int, promise: EventLoopPromise<[Int: StoreRecords]>)?

        init(_ configuration: RedisConfiguration, loop: any EventLoop, timeout: UInt64) {
            link = RedisLink(
                configuration, loop: loop, logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
            inquiries = RedisInquiries(link: link, timeout: timeout) { [unowned self] asker, answer in
                answers[asker] = answer
                if let wanted = whenAnswered, answers.count == wanted.count { wanted.promise.succeed(answers) }
            }
            link.observer = self
        }

        func start(_ promise: EventLoopPromise<Void>) {
            whenReady = promise
            link.start()
        }

        func expect(_ count: Int, _ promise: EventLoopPromise<[Int: StoreRecords]>) {
            whenAnswered = (count, promise)
            if answers.count == count { promise.succeed(answers) }
        }

        func linkIsReady(_ link: RedisLink) {
            whenReady?.succeed()
            whenReady = nil
        }

        func linkIsLost(_ link: RedisLink, why problem: RedisProblem) {}
    }

    /// Sends all queries in one turn of the loop, and returns the answers by the numbers of the queries.
    private func query(
        _ port: Int, _ questions: [(StoreQuery, String, String)], timeout: Duration = .seconds(10),
        connects: Bool = true
    ) throws -> [Int: StoreRecords] {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        defer { try? group.syncShutdownGracefully() }
        let loop = group.next()
        let answers = loop.makePromise(of: [Int: StoreRecords].self)
        let ready = loop.makePromise(of: Void.self)
        let desk = try loop.submit {
            let desk = Desk(
                RedisConfiguration(host: "127.0.0.1", port: port), loop: loop, timeout: timeout.nanoseconds)
            if connects { desk.start(ready) } else { ready.succeed() }
            return NIOLoopBound(desk, eventLoop: loop)
        }.wait()
        try ready.futureResult.wait()
        try loop.submit {
            for (number, (question, uid, session)) in questions.enumerated() {
                desk.value.inquiries?.query(question, RecordCommands(UserKey(uid), session: session), for: number)
            }
            desk.value.expect(questions.count, answers)
        }.wait()
        defer { try? loop.submit { desk.value.link.stop() }.wait() }
        return try answers.futureResult.wait()
    }

    /// A server that accepts the handshake and then replies with `answer`.
    private func greeting(
        _ answer: @escaping @Sendable (FakeRedis.Command) -> FakeRedis.Answer
    ) throws -> FakeRedis {
        try FakeRedis { $0.name == "HMGET" ? answer($0) : .text("+PONG\r\n") }
    }

    @Test func `records are read as they are`() async throws {
        let redis = try await RedisServer()
        try redis.cli("HSET", "gatehouse:user:{ada}", "valid_since", "1700000000", "disabled", "1")
        try redis.cli("HSET", "gatehouse:session:{ada}:1699", "signed_in_at", "1700000001")
        try redis.cli("SET", "gatehouse:user:{odd}", "no hash")
        try redis.cli("HSET", "gatehouse:session:{odd}:1", "revoked", "true")
        let answers = try query(
            redis.port,
            [
                ([.user, .session], "ada", "1699"), (.session, "ada", "1699"), ([.user, .session], "bob", "1"),
                ([.user, .session], "odd", "1"),
            ])
        let user = UserLookup.record(validSince: 1_700_000_000, disabled: true)
        let session = SessionLookup.record(revoked: false, signedInAt: 1_700_000_001)
        #expect(answers[0] == .records(user: user, session: session))
        #expect(answers[1] == .records(user: nil, session: session))
        #expect(answers[2] == .records(user: UserLookup.none, session: SessionLookup.none))
        #expect(answers[3] == .records(user: .faulty, session: .faulty))
    }

    @Test func `each query of a turn gets its own answer`() async throws {
        let redis = try await RedisServer()
        let script = "for n = 0, 99 do redis.call('HSET', 'gatehouse:user:{u' .. n .. '}', 'valid_since', n) end"
        try redis.cli("EVAL", script, "0")
        let answers = try query(redis.port, (0..<100).map { (.user, "u\($0)", "1") })
        for number in 0..<100 {
            let user = UserLookup.record(validSince: UnixTime(clamping: Int64(number)), disabled: false)
            #expect(answers[number] == .records(user: user, session: nil))
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
        let answers = try query(fake.port, [([.user, .session], "ada", "1")], timeout: .milliseconds(30))
        #expect(answers[0] == .failed(.timedOut))
    }

    @Test func `queries above the limit fail at once`() throws {
        let fake = try greeting { _ in .silence }
        defer { fake.stop() }
        let limit = RedisInquiries<Int>.limit
        let answers = try query(
            fake.port, (0...limit).map { (.user, "u\($0)", "1") }, timeout: .seconds(1))
        #expect(answers[limit] == .failed(.overloaded))
        #expect(answers.values.count { $0 == .failed(.timedOut) } == limit)
    }
}
