import Redis
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

struct FakeServerTests {
    /// Replies with `answer` on the first connection and with `+GOOD` on later ones, except to PING.
    private static func fake(_ answer: FakeRedis.Answer) throws -> FakeRedis {
        try FakeRedis { command in
            if command.name == "PING" { return .text("+PONG\r\n") }
            return command.connection == 0 ? answer : .text("+GOOD\r\n")
        }
    }

    @Test(arguments: [
        (FakeRedis.Answer.text("HTTP/1.1 400 Bad Request\r\n\r\n"), RedisProblem.Code.notRedis),
        (.endless("$1000000\r\n" + String(repeating: "a", count: 10_000)), .notRedis),
        (.endless("*1\r\n"), .replyTooLarge), (.endless("+aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), .replyTooLarge),
        (.text("+a\r\n+b\r\n"), .unaskedReply), (.close(), .closedByServer),
        (.close(after: "$10\r\nabc"), .closedByServer), (.close(after: "*3\r\n:1\r\n"), .closedByServer),
    ])
    func `a protocol violation closes the connection, and the next one is used`(
        answer: FakeRedis.Answer, code: RedisProblem.Code
    ) async throws {
        let fake = try Self.fake(answer)
        let joined = try await Joined(to: fake) { $0.heartbeatInterval = .seconds(100) }.ready()
        let first = await joined.failure("GET", "a")
        if case .connectionLost(let problem)? = first { #expect(problem.code == code) } else { #expect(first == nil) }
        try await eventually("the log line") {
            joined.log.lines.contains { $0.contains("redis.problem\": \(code.rawValue)") } ? true : nil
        }
        try await eventually("another connection") { fake.connectionCount > 1 ? true : nil }
        try await joined.ready()
        #expect(try await joined.query("GET", "a") == .status("GOOD"))
    }

    @Test func `a reply in single bytes is a reply`() async throws {
        let fake = try Self.fake(.trickle("*2\r\n$5\r\nhello\r\n*1\r\n:-12\r\n"))
        let joined = try await Joined(to: fake) { $0.heartbeatInterval = .seconds(100) }.ready()
        #expect(try await joined.query("GET", "a") == .array([.text("hello"), .array([.integer(-12)])]))
    }

    @Test func `an unrequested reply closes an idle connection`() async throws {
        let fake = try Self.fake(.silence)
        let joined = try await Joined(to: fake) { $0.heartbeatInterval = .seconds(100) }.ready()
        fake.sendUnasked("+HELLO\r\n")
        try await eventually("the log line") {
            joined.log.lines.contains { $0.contains("unasked-reply") } ? true : nil
        }
        try await joined.ready()
    }

    @Test func `a late reply is dropped, and later commands get their own`() async throws {
        let fake = try FakeRedis { $0.name == "LATE" ? .silence : .text("+OK\r\n") }
        let joined = try await Joined(to: fake) { $0.heartbeatInterval = .seconds(100) }.ready()
        await #expect(throws: RedisFailure.timedOut) {
            try await joined.client.send(RedisCommand(["LATE"]), timeout: .milliseconds(20))
        }
        async let reply = joined.client.send(RedisCommand(["GET", "a"]))
        try await eventually("the next command") { fake.commands.contains { $0.name == "GET" } ? true : nil }
        fake.answerSilenced("+LATE\r\n")
        #expect(try await reply == [.status("OK")])
    }

    @Test func `a server that fails the handshake is tried again`() async throws {
        let fake = try FakeRedis { _ in .text("-LOADING x\r\n") }
        let joined = Joined(to: fake) { $0.backoff.maximum = .seconds(100) }
        try await eventually("a few attempts") { joined.client.status.failures >= 3 ? true : nil }
        #expect(joined.client.status.problem?.code == .loading)
        #expect(fake.connectionCount >= 3)
    }
}
