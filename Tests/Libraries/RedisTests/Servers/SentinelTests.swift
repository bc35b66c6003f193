import Redis
import Synchronization
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

struct SentinelTests {
    private static func location(_ ports: [Int], master: String = SentinelGroup.name) -> RedisConfiguration.Location {
        .sentinels(ports.map { RedisEndpoint(host: "127.0.0.1", port: $0) }, master: master)
    }

    @Test func `the client follows the master through failovers`() async throws {
        let group = try await SentinelGroup()
        let joined = try await Joined(Self.location(group.sentinelPorts)).ready()
        let first = try group.master()
        #expect(joined.client.status.endpoint?.port == first.port)
        #expect(try await joined.query("SET", "a", "1") == .status("OK"))

        let second = try await group.killMaster()
        try await eventually("the new master") {
            joined.client.status.state == .ready && joined.client.status.endpoint?.port == second.port ? true : nil
        }
        #expect(try await joined.query("SET", "a", "2") == .status("OK"))

        // One sentinel is sufficient.
        group.killSentinel(0)
        let third = try await group.failOver()
        try await eventually("the third master") {
            joined.client.status.state == .ready && joined.client.status.endpoint?.port == third.port ? true : nil
        }
        #expect(try await joined.query("SET", "a", "3") == .status("OK"))
    }

    @Test func `the connection to a demoted master is closed`() async throws {
        let role = Role()
        let fake = try FakeRedis { _ in
            .text(role.isMaster ? "*3\r\n$6\r\nmaster\r\n:1\r\n*0\r\n" : "*1\r\n$5\r\nslave\r\n")
        }
        let sentinel = try Self.sentinel(naming: fake.port)
        let joined = try await Joined(Self.location([sentinel.port])).ready()
        role.isMaster = false
        try await joined.problem(.notMaster)
        role.isMaster = true
        try await joined.ready()
    }

    @Test func `a replica that a sentinel names as the master is not used`() async throws {
        let replica = try await RedisServer(["replicaof 127.0.0.1 1"])
        let sentinel = try Self.sentinel(naming: replica.port)
        let joined = Joined(Self.location([sentinel.port]))
        try await joined.problem(.notMaster)
        #expect(await joined.failure("SET", "a", "b")?.wasNotSent == true)
    }

    @Test func `unavailable, uninformed and invalid sentinels are skipped`() async throws {
        let server = try await RedisServer()
        let unknowing = try FakeRedis { _ in .text("*-1\r\n") }
        let nonsense = try FakeRedis { _ in .text("+OK\r\n") }
        let closing = try FakeRedis { _ in .close() }
        let good = try Self.sentinel(naming: server.port)
        let gone = try FakeRedis { _ in .silence }
        gone.stop()
        let ports = [gone.port, unknowing.port, nonsense.port, closing.port, good.port]
        let joined = try await Joined(Self.location(ports)).ready()
        #expect(joined.client.status.endpoint?.port == server.port)
    }

    @Test func `an unknown master is a problem of the sentinel`() async throws {
        let sentinel = try FakeRedis { _ in .text("*-1\r\n") }
        let joined = Joined(Self.location([sentinel.port], master: "nobody"))
        try await joined.problem(.masterUnknown)
        #expect(joined.client.status.problem?.endpoint?.port == sentinel.port)
    }

    @Test func `sentinels and the server have separate passwords`() async throws {
        let server = try await RedisServer(["requirepass of-the-server"], user: .init(password: "of-the-server"))
        let sentinel = try FakeRedis { command in
            switch command.name {
            case "AUTH": .text(command.arguments == ["AUTH", "of-the-sentinels"] ? "+OK\r\n" : "-WRONGPASS\r\n")
            default: .text(Self.address(server.port))
            }
        }
        try await Joined(Self.location([sentinel.port])) {
            $0.password = "of-the-server"
            $0.sentinelPassword = "of-the-sentinels"
        }.ready()
        let wrong = Joined(Self.location([sentinel.port])) { $0.sentinelPassword = "wrong" }
        try await wrong.problem(.wrongPassword)
        #expect(wrong.client.status.problem?.endpoint?.port == sentinel.port)
    }

    private static func sentinel(naming port: Int) throws -> FakeRedis {
        try FakeRedis { _ in .text(address(port)) }
    }

    private static func address(_ port: Int) -> String {
        "*2\r\n$9\r\n127.0.0.1\r\n$\(String(port).count)\r\n\(port)\r\n"
    }
}

/// The role of a fake server.
private final class Role: Sendable {
    private let state = Mutex(true)

    var isMaster: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
