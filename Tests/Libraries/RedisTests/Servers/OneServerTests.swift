import Redis
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

struct OneServerTests {
    @Test func `each command of a pipeline gets its reply`() async throws {
        let server = try await RedisServer()
        let joined = try await Joined(to: server).ready()
        let commands = RedisCommand(["SET", "a", "b"]) + RedisCommand(["GET", "a"]) + RedisCommand(["GET", "none"])
        #expect(try await joined.client.send(commands) == [.status("OK"), .text("b"), .null])
        #expect(try await joined.query("HMGET", "none", "x", "y") == .array([.null, .null]))
        #expect(try server.cli("GET", "a") == "b")
    }

    @Test func `each of thousands of concurrent commands gets its own reply`() async throws {
        let server = try await RedisServer()
        let joined = try await Joined(to: server) { $0.maximumInFlight = 5001 }.ready()
        let client = joined.client
        let wrong = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<5000 {
                group.addTask {
                    try await client.send(RedisCommand(["ECHO", number])) != [.text("\(number)")]
                }
            }
            return try await group.reduce(into: 0) { if $1 { $0 += 1 } }
        }
        #expect(wrong == 0)
    }

    @Test func `the configured database is selected on each new connection`() async throws {
        let server = try await RedisServer()
        let joined = try await Joined(to: server) { $0.database = 5 }.ready()
        try await joined.query("SET", "a", "5")
        #expect(try server.cli("-n", "5", "GET", "a") == "5")
        try server.cli("CLIENT", "KILL", "TYPE", "normal")
        try await eventually("the reply over a new connection") {
            try? await joined.query("GET", "a") == .text("5") ? true : nil
        }
    }

    @Test func `an invalid database is a problem`() async throws {
        let server = try await RedisServer()
        let joined = Joined(to: server) { $0.database = 99 }
        try await joined.problem(.noDatabase)
    }

    @Test func `large values are written and read`() async throws {
        let server = try await RedisServer()
        let joined = try await Joined(to: server) { $0.replyLimits = .bulk }.ready()
        let value = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0) }
        #expect(try await joined.query("SET", "a", value) == .status("OK"))
        #expect(try await joined.query("GET", "a") == .string(value))
    }

    @Test func `an error is a reply, and the connection stays open`() async throws {
        let server = try await RedisServer(["maxmemory-policy noeviction"])
        let joined = try await Joined(to: server).ready()
        try await joined.query("SET", "text", "a")
        #expect(try await joined.query("HGET", "text", "a").code == "WRONGTYPE")
        #expect(try await joined.query("NOSUCHCOMMAND").code == "ERR")
        try server.cli("CONFIG", "SET", "maxmemory", "1")
        #expect(try await joined.query("SET", "b", "c").code == "OOM")
        #expect(try await joined.query("GET", "text") == .text("a"))
        #expect(joined.client.status.state == .ready)
    }

    @Test func `a write to a read-only replica is rejected, and the client reconnects`() async throws {
        let server = try await RedisServer(["replicaof 127.0.0.1 1"])
        let joined = try await Joined(to: server).ready()
        #expect(try await joined.query("GET", "a") == .null)
        #expect(try await joined.query("SET", "a", "b").code == "READONLY")
        try await eventually("the log line") { joined.log.lines.contains { $0.contains("read-only") } ? true : nil }
        try await joined.ready()
        try server.cli("REPLICAOF", "NO", "ONE")
        try await eventually("the write") { try? await joined.query("SET", "a", "b") == .status("OK") ? true : nil }
    }

    @Test func `the connection to a server that becomes a replica is closed if copies are rejected`() async throws {
        let server = try await RedisServer()
        let joined = try await Joined(to: server) { $0.refusesCopies = true }.ready()
        try server.cli("REPLICAOF", "127.0.0.1", "1")
        try await joined.problem(.notMaster)
        #expect(await joined.failure("GET", "a")?.wasNotSent == true)
        try server.cli("REPLICAOF", "NO", "ONE")
        try await joined.ready()
    }

    @Test func `a replica without its master is not used`() async throws {
        let server = try await RedisServer(["replicaof 127.0.0.1 1", "replica-serve-stale-data no"])
        let joined = Joined(to: server)
        try await joined.problem(.masterDown)
        try server.cli("REPLICAOF", "NO", "ONE")
        try await joined.ready()
        try server.cli("REPLICAOF", "127.0.0.1", "1")
        try await joined.problem(.masterDown)
    }

    @Test func `a server that loads its data is used when it is ready`() async throws {
        let server = try await RedisServer(["key-load-delay 300", "loading-process-events-interval-bytes 1024"])
        try server.cli("DEBUG", "POPULATE", "3000", "key", "100")
        try server.cli("SAVE")
        try await server.restart(whenLoaded: false)
        let joined = Joined(to: server)
        try await joined.problem(.loading)
        try await joined.ready()
        #expect(try await joined.query("DBSIZE") == .integer(3000))
    }

    @Test func `a server that accepts no further client is a problem`() async throws {
        let server = try await RedisServer(["maxclients 1"])
        let first = try await Joined(to: server).ready()
        let second = Joined(to: server)
        try await second.problem(.refused)
        #expect(second.client.status.problem?.detail?.contains("maxclients") == true)
        await first.client.close()
        try await second.ready()
    }
}
