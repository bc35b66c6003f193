import Redis
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

@Suite("a server that does not keep to the protocol")
struct FakeServerTests {
    /// Answers PING; the first connection's other commands by `answer`, those of later ones by `+GOOD`.
    private static func fake(_ answer: FakeRedis.Answer) throws -> FakeRedis {
        try FakeRedis { command in
            if command.name == "PING" { return .text("+PONG\r\n") }
            return command.connection == 0 ? answer : .text("+GOOD\r\n")
        }
    }

    @Test(
        "ends the connection and fails what waits; the next connection is used",
        arguments: [
            (FakeRedis.Answer.text("HTTP/1.1 400 Bad Request\r\n\r\n"), RedisProblem.Code.notRedis),
            (.bytes([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28]), .notRedis),
            (.text("*100000000\r\n"), .replyTooLarge),
            (.text("$2000000000\r\nabc"), .replyTooLarge),
            (.endless("$1000000\r\n" + String(repeating: "a", count: 10_000)), .notRedis),
            (.endless("*1\r\n"), .replyTooLarge),
            (.endless("+aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), .replyTooLarge),
            (.text("%1\r\n+a\r\n+b\r\n"), .notRedis),
            (.text("+a\r\n+b\r\n"), .unaskedReply),
            (.close(), .closedByServer),
            (.close(after: "$10\r\nabc"), .closedByServer),
            (.close(after: "*3\r\n:1\r\n"), .closedByServer),
        ])
    func violations(answer: FakeRedis.Answer, code: RedisProblem.Code) async throws {
        let fake = try Self.fake(answer)
        let joined = Joined(to: fake) { $0.heartbeatInterval = .seconds(100) }
        try await joined.ready()
        let first = await joined.failure("GET", "a")
        if case .connectionLost(let problem)? = first { #expect(problem.code == code) } else { #expect(first == nil) }
        try await eventually("the log to tell") {
            joined.log.lines.contains { $0.contains("redis.problem\": \(code.rawValue)") } ? true : nil
        }
        try await eventually("another connection") { fake.connectionCount > 1 ? true : nil }
        try await joined.ready()
        #expect(try await joined.ask("GET", "a") == .status("GOOD"))
    }

    @Test("a reply in single bytes is a reply")
    func trickle() async throws {
        let fake = try Self.fake(.trickle("*2\r\n$5\r\nhello\r\n*1\r\n:-12\r\n"))
        let joined = Joined(to: fake) { $0.heartbeatInterval = .seconds(100) }
        try await joined.ready()
        #expect(try await joined.ask("GET", "a") == .array([.text("hello"), .array([.integer(-12)])]))
    }

    @Test("a reply that nobody asked for ends an idle connection")
    func unasked() async throws {
        let fake = try Self.fake(.silence)
        let joined = Joined(to: fake) { $0.heartbeatInterval = .seconds(100) }
        try await joined.ready()
        fake.sendUnasked("+HELLO\r\n")
        try await eventually("the log to tell") {
            joined.log.lines.contains { $0.contains("unasked-reply") } ? true : nil
        }
        try await joined.ready()
    }

    @Test("beyond what may wait, commands are turned away at once")
    func overload() async throws {
        let fake = try Self.fake(.silence)
        let joined = Joined(to: fake) {
            $0.heartbeatInterval = .seconds(100)
            $0.maximumInFlight = 10
        }
        try await joined.ready()
        let client = joined.client
        let failures = await withTaskGroup(of: RedisFailure?.self) { group in
            for _ in 0..<30 {
                group.addTask {
                    guard case .failure(let failure) = await client.outcome(of: RedisCommand(["GET", "a"])) else {
                        return nil
                    }
                    return failure
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(failures.filter { $0 == .overloaded }.count == 20)
        #expect(failures.filter { $0 == .timedOut }.count == 10)
    }

    @Test("a late reply is dropped, and later commands get theirs")
    func late() async throws {
        let fake = try FakeRedis { $0.name == "LATE" ? .silence : .text("+OK\r\n") }
        let joined = Joined(to: fake) {
            $0.heartbeatInterval = .seconds(100)
            $0.replyTimeout = .seconds(10)
        }
        try await joined.ready()
        await #expect(throws: RedisFailure.timedOut) {
            try await joined.client.send(RedisCommand(["LATE"]), timeout: .milliseconds(20))
        }
        async let reply = joined.client.send(RedisCommand(["GET", "a"]))
        try await eventually("the next command") { fake.commands.contains { $0.name == "GET" } ? true : nil }
        fake.answerSilenced("+LATE\r\n")
        #expect(try await reply == [.status("OK")])
    }

    @Test("a server that refuses the sign of life is asked again, ever more rarely")
    func refusing() async throws {
        let fake = try FakeRedis { _ in .text("-LOADING x\r\n") }
        let joined = Joined(to: fake) { $0.backoff.maximum = .seconds(100) }
        try await eventually("a few attempts") { joined.client.status.failures >= 3 ? true : nil }
        #expect(joined.client.status.problem?.code == .loading)
        #expect(fake.connectionCount >= 3)
    }
}
