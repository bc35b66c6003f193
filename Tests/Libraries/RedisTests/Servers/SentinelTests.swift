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
        try await joined.ready(at: second.port)
        #expect(try await joined.query("SET", "a", "2") == .status("OK"))

        // One sentinel is sufficient.
        group.killSentinel(0)
        let third = try await group.failOver()
        try await joined.ready(at: third.port)
        #expect(try await joined.query("SET", "a", "3") == .status("OK"))
    }

    /// The sentinels cannot make the former master a replica, as while it is isolated.
    @Test func `a healthy connection to a former master is abandoned`() async throws {
        let group = try await SentinelGroup(
            masterConfiguration: ["rename-command SLAVEOF \"\"", "rename-command REPLICAOF \"\""])
        let former = try group.master()
        let joined = try await Joined(Self.location(group.sentinelPorts)) { $0.agreement = MasterAgreement() }.ready()
        let new = try await group.failOver()
        try await joined.ready(at: new.port)
        #expect(try former.cli("role").hasPrefix("master"))
        #expect(try await joined.query("SET", "a", "1") == .status("OK"))
        #expect(joined.log.lines.contains { $0.hasPrefix("warning the sentinels name another Redis master") })
    }

    @Test func `a link that opens at another server takes the others along`() async throws {
        let (first, second) = (try await RedisServer(), try await RedisServer())
        let named = Role(first.port)
        let sentinel = try FakeRedis { _ in .text(Self.address(named.port)) }
        let agreement = MasterAgreement()
        let reader = try await Joined(Self.location([sentinel.port]), isWatching: false) { $0.agreement = agreement }
            .ready()
        #expect(reader.client.status.endpoint?.port == first.port)
        named.port = second.port
        let writer = try await Joined(Self.location([sentinel.port]), isWatching: false) { $0.agreement = agreement }
            .ready()
        #expect(writer.client.status.endpoint?.port == second.port)
        try await reader.ready(at: second.port)
    }

    @Test func `fewer than half of the sentinels are no evidence that a server is the master`() async throws {
        let server = try await RedisServer()
        let role = Role()
        let answering = try Self.sentinel(naming: server.port)
        let others = try (0..<2).map { _ in
            try FakeRedis { _ in .text(role.isMaster ? Self.address(server.port) : "*-1\r\n") }
        }
        let joined = try await Joined(Self.location([answering.port] + others.map(\.port))) {
            $0.agreement = MasterAgreement()
            $0.quorumLimit = .milliseconds(100)
        }.ready()
        role.isMaster = false
        try await joined.problem(.noQuorum)
        #expect(await joined.failure("GET", "a") != nil)
        role.isMaster = true
        try await joined.ready()
        #expect(try await joined.query("GET", "a") == .null)
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

/// The role of a fake server, and the port that a fake sentinel names.
private final class Role: Sendable {
    private let state: Mutex<(isMaster: Bool, port: Int)>

    init(_ port: Int = 0) { state = Mutex((true, port)) }

    var isMaster: Bool {
        get { state.withLock { $0.isMaster } }
        set { state.withLock { $0.isMaster = newValue } }
    }

    var port: Int {
        get { state.withLock { $0.port } }
        set { state.withLock { $0.port = newValue } }
    }
}
