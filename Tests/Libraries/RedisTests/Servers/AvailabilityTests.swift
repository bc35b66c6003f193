import Redis
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

struct AvailabilityTests {
    private static func waitForBlockedClient(of server: RedisServer) async throws {
        try await eventually("the command to block") {
            try server.cli("INFO", "clients").contains("blocked_clients:1") ? true : nil
        }
    }

    @Test func `a command fails immediately without a connection`() async throws {
        let server = try await RedisServer()
        server.stop()
        let joined = Joined(to: server)
        try await joined.problem(.unreachable)
        guard case .notConnected(let problem)? = await joined.failure("GET", "a") else {
            Issue.record("a reply without a connection")
            return
        }
        #expect(problem.code == .unreachable)
    }

    @Test func `a restarted server is used again`() async throws {
        let server = try await RedisServer(["appendonly yes", "appendfsync always"])
        let joined = try await Joined(to: server).ready()
        try await joined.query("SET", "a", "b")
        server.kill()
        try await eventually("the loss") { joined.client.status.state != .ready ? true : nil }
        #expect(await joined.failure("GET", "a")?.wasNotSent == true)
        try await server.start()
        try await joined.ready()
        #expect(try await joined.query("GET", "a") == .text("b"))
    }

    @Test func `the outcome of commands in flight at a crash is unknown`() async throws {
        let server = try await RedisServer()
        let joined = try await Joined(to: server).ready()
        let client = joined.client
        async let outcome = client.outcome(of: RedisCommand(["BLPOP", "list", 0]))
        try await Self.waitForBlockedClient(of: server)
        server.kill()
        guard case .failure(.connectionLost) = await outcome else {
            Issue.record("\(await outcome)")
            return
        }
    }

    @Test
    func `a frozen server costs each command its timeout, then the connection, and is used again later`() async throws {
        let server = try await RedisServer()
        let joined = try await Joined(to: server) {
            $0.heartbeatInterval = .seconds(100)
            $0.replyTimeout = .milliseconds(300)
        }.ready()
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
        #expect(try await joined.query("GET", "a") == .null)
    }

    @Test func `an idle connection detects a frozen server`() async throws {
        let server = try await RedisServer()
        let joined = try await Joined(to: server) { $0.replyTimeout = .milliseconds(300) }.ready()
        server.freeze()
        try await joined.problem(.silent)
        server.thaw()
        try await joined.ready()
    }

    @Test func `a server that is frozen from the start times out`() async throws {
        let server = try await RedisServer()
        server.freeze()
        let joined = Joined(to: server) { $0.connectTimeout = .milliseconds(200) }
        try await joined.problem(.connectTimedOut)
        server.thaw()
        try await joined.ready()
    }

    // 192.0.2.0/24 is TEST-NET-1, which is never assigned.
    @Test(arguments: ["192.0.2.1", "nobody.invalid"])
    func `an unreachable address or unknown name is a problem`(host: String) async throws {
        let joined = Joined(.server(RedisEndpoint(host: host, port: 6379))) {
            $0.connectTimeout = .milliseconds(200)
        }
        try await eventually("a failure") { joined.client.status.failures > 0 ? true : nil }
        #expect([.connectTimedOut, .unreachable].contains(joined.client.status.problem?.code))
    }

    @Test(arguments: [0, -1, 65_536, Int.max]) func `an invalid port is a problem`(port: Int) async throws {
        let joined = Joined(.server(RedisEndpoint(host: "127.0.0.1", port: port)))
        try await joined.problem(.unreachable)
        #expect(joined.client.status.problem?.detail == "no such port")
    }

    @Test func `a closed client stays closed and fails the waiting commands`() async throws {
        let server = try await RedisServer()
        let joined = try await Joined(to: server).ready()
        let client = joined.client
        async let outcome = client.outcome(of: RedisCommand(["BLPOP", "list", 0]))
        try await Self.waitForBlockedClient(of: server)
        await client.close()
        guard case .failure(.closed) = await outcome else {
            Issue.record("\(await outcome)")
            return
        }
        #expect(client.status.state == .stopped)
        #expect(await joined.failure("GET", "a") == .notConnected(RedisProblem(.stopped)))
        try await eventually("the closed connection at the server") {
            try server.cli("INFO", "clients").contains("connected_clients:1\r\n") ? true : nil
        }
    }

    @Test func `a client that is closed while it connects keeps no connection`() async throws {
        let fake = try FakeRedis { _ in .text("+PONG\r\n") }
        let closed = Joined(to: fake)
        await closed.client.close()
        let open = Joined(to: fake)
        try await open.ready()
        // The closed client can have had a connection for a moment.
        try await eventually("only the connection of the open client") { fake.openConnectionCount == 1 ? true : nil }
        #expect(closed.client.status.state == .stopped)
    }

    @Test func `an outage and its end are logged once`() async throws {
        let server = try await RedisServer()
        let joined = try await Joined(to: server).ready()
        server.kill()
        try await eventually("a few attempts") { joined.client.status.failures > 4 ? true : nil }
        try await server.start()
        try await joined.ready()
        let loud = joined.log.lines.filter { !$0.hasPrefix("debug") && $0.contains("unreachable") }
        #expect(loud.count == 1)
        try await eventually("the log line of the second connection") {
            joined.log.lines.filter { $0.hasPrefix("info connected to Redis") }.count == 2 ? true : nil
        }
    }
}
