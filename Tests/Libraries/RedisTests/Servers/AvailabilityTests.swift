import Redis
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

@Suite("a server that goes and comes")
struct AvailabilityTests {
    @Test("nobody waits for a connection that is not there")
    func notThere() async throws {
        let server = try await RedisServer()
        server.stop()
        let joined = Joined(to: server)
        try await joined.problem(.unreachable)
        let start = ContinuousClock.now
        guard case .notConnected(let problem)? = await joined.failure("GET", "a") else {
            Issue.record("an answer from nowhere")
            return
        }
        #expect(problem.code == .unreachable)
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test("a killed server that comes back is used again, with what it kept")
    func restart() async throws {
        let server = try await RedisServer(["appendonly yes", "appendfsync always"])
        let joined = Joined(to: server)
        try await joined.ready()
        try await joined.ask("SET", "a", "b")
        server.kill()
        try await eventually("the loss") { joined.client.status.state != .ready ? true : nil }
        #expect(await joined.failure("GET", "a")?.wasNotSent == true)
        try await server.start()
        try await joined.ready()
        #expect(try await joined.ask("GET", "a") == .text("b"))
    }

    @Test("commands in flight when the server is killed are told that the outcome is unknown")
    func killedInFlight() async throws {
        let server = try await RedisServer()
        let joined = Joined(to: server)
        try await joined.ready()
        let client = joined.client
        async let outcome = client.outcome(of: RedisCommand(["BLPOP", "list", 10]), timeout: .seconds(10))
        try await eventually("the command to block") {
            try server.cli("INFO", "clients").contains("blocked_clients:1") ? true : nil
        }
        server.kill()
        guard case .failure(.connectionLost) = await outcome else {
            Issue.record("\(await outcome)")
            return
        }
    }

    @Test("a frozen server costs each command its own time, then the connection, and is used again when it thaws")
    func frozen() async throws {
        let server = try await RedisServer()
        let joined = Joined(to: server) { $0.heartbeatInterval = .seconds(100) }
        try await joined.ready()
        server.freeze()
        let command = RedisCommand(["GET", "a"])
        await #expect(throws: RedisFailure.timedOut) {
            try await joined.client.send(command, timeout: .milliseconds(50))
        }
        try await joined.problem(.silent)
        guard case .notConnected? = await joined.failure("GET", "a") else {
            Issue.record("waited for a frozen server")
            return
        }
        server.thaw()
        try await joined.ready()
        #expect(try await joined.ask("GET", "a") == .null)
    }

    @Test("an idle connection notices a frozen server by itself")
    func frozenIdle() async throws {
        let server = try await RedisServer()
        let joined = Joined(to: server)
        try await joined.ready()
        server.freeze()
        try await joined.problem(.silent)
        server.thaw()
        try await joined.ready()
    }

    @Test("a server that is frozen from the start is given up in time")
    func frozenFromStart() async throws {
        let server = try await RedisServer()
        server.freeze()
        let joined = Joined(to: server) { $0.connectTimeout = .milliseconds(200) }
        try await joined.problem(.connectTimedOut)
        server.thaw()
        try await joined.ready()
    }

    @Test("an address that does not answer is given up in time")
    func blackHole() async throws {
        // TEST-NET-1: never anybody's.
        let joined = Joined(.server(RedisEndpoint(host: "192.0.2.1", port: 6379))) {
            $0.connectTimeout = .milliseconds(200)
        }
        try await eventually("a failure") { joined.client.status.failures > 0 ? true : nil }
        #expect([.connectTimedOut, .unreachable].contains(joined.client.status.problem?.code))
    }

    @Test("a name that is nobody's is told")
    func unknownName() async throws {
        let joined = Joined(.server(RedisEndpoint(host: "nobody.invalid", port: 6379)))
        try await eventually("a failure") { joined.client.status.failures > 0 ? true : nil }
        #expect([.connectTimedOut, .unreachable].contains(joined.client.status.problem?.code))
    }

    @Test("a port that there cannot be is told", arguments: [0, -1, 65_536, Int.max])
    func noPort(port: Int) async throws {
        let joined = Joined(.server(RedisEndpoint(host: "127.0.0.1", port: port)))
        try await joined.problem(.unreachable)
        #expect(joined.client.status.problem?.detail == "no such port")
    }

    @Test("a client that is closed stays closed and fails what waits")
    func close() async throws {
        let server = try await RedisServer()
        let joined = Joined(to: server)
        try await joined.ready()
        let client = joined.client
        async let outcome = client.outcome(of: RedisCommand(["BLPOP", "list", 10]), timeout: .seconds(10))
        try await eventually("the command to block") {
            try server.cli("INFO", "clients").contains("blocked_clients:1") ? true : nil
        }
        await client.close()
        guard case .failure(.closed) = await outcome else {
            Issue.record("\(await outcome)")
            return
        }
        #expect(client.status.state == .stopped)
        #expect(await joined.failure("GET", "a") == .notConnected(RedisProblem(.stopped)))
        try await eventually("the server to see it go") {
            try server.cli("INFO", "clients").contains("connected_clients:1\r\n") ? true : nil
        }
    }

    @Test("a client that is closed while it connects keeps no connection")
    func closeWhileConnecting() async throws {
        let fake = try FakeRedis { _ in .text("+PONG\r\n") }
        let closed = Joined(to: fake)
        await closed.client.close()
        let open = Joined(to: fake)
        try await open.ready()
        // It may have had one for a moment.
        try await eventually("the open client's connection alone") { fake.openConnectionCount == 1 ? true : nil }
        #expect(closed.client.status.state == .stopped)
    }

    @Test("an outage is logged once, and its end")
    func log() async throws {
        let server = try await RedisServer()
        let joined = Joined(to: server)
        try await joined.ready()
        server.kill()
        try await eventually("a few attempts") { joined.client.status.failures > 4 ? true : nil }
        try await server.start()
        try await joined.ready()
        let loud = joined.log.lines.filter { !$0.hasPrefix("debug") && $0.contains("unreachable") }
        #expect(loud.count == 1)
        #expect(joined.log.lines.filter { $0.hasPrefix("info connected to Redis") }.count == 2)
    }
}
