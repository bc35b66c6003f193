import Redis
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

struct AuthenticationTests {
    private static let secret = "s3cret-of-the-server"

    private static func protected() async throws -> RedisServer {
        try await RedisServer(["requirepass \(secret)"], user: .init(password: secret))
    }

    /// A server with a user `gateway` of these ACL rules, and a client that authenticates as this user.
    private static func gateway(_ rules: String) async throws -> (server: RedisServer, joined: Joined) {
        let server = try await RedisServer(["user gateway on >\(secret) \(rules)"])
        return (server, Joined(to: server, asGateway))
    }

    private static func asGateway(_ configuration: inout RedisConfiguration) {
        configuration.username = "gateway"
        configuration.password = secret
    }

    @Test func `a wrong and a missing password have different problems`() async throws {
        let server = try await Self.protected()
        let wrong = Joined(to: server) { $0.password = "wrong-and-secret-too" }
        let none = Joined(to: server)
        try await wrong.problem(.wrongPassword)
        try await none.problem(.passwordRequired)
        #expect(await wrong.failure("GET", "a")?.description.contains("password") == true)
    }

    @Test func `an unneeded password is a problem`() async throws {
        let server = try await RedisServer()
        let joined = Joined(to: server) { $0.password = Self.secret }
        try await joined.problem(.wrongPassword)
    }

    @Test func `a corrected password restores the connection`() async throws {
        let server = try await Self.protected()
        let joined = Joined(to: server) { $0.password = "new" }
        try await joined.problem(.wrongPassword)
        try server.cli("ACL", "SETUSER", "default", ">new")
        try await joined.ready()
        #expect(try await joined.query("SET", "a", "b") == .status("OK"))
    }

    @Test func `a user can do only what the ACL permits`() async throws {
        let (_, joined) = try await Self.gateway("~gatehouse:* +ping +hmget +hset +@connection")
        try await joined.ready()
        #expect(try await joined.query("HSET", "gatehouse:user:{a}", "valid_since", 1) == .integer(1))
        #expect(try await joined.query("HMGET", "other", "a").code == "NOPERM")
        #expect(try await joined.query("DEL", "gatehouse:user:{a}").code == "NOPERM")
        #expect(joined.client.status.state == .ready)
    }

    @Test func `a user without the right to ECHO is accepted: PING carries the markers`() async throws {
        let (_, joined) = try await Self.gateway("~* +get +ping -echo")
        try await joined.ready()
        #expect(try await joined.query("GET", "a") == .null)
        #expect(joined.client.status.state == .ready)
    }

    @Test func `a user without the rights to ECHO and PING gets no reply`() async throws {
        let (_, joined) = try await Self.gateway("~* +get -ping -echo")
        try await joined.problem(.noPermission)
        #expect(await joined.failure("GET", "a") != nil)
    }

    @Test func `a user without the right to PING is accepted`() async throws {
        let (server, joined) = try await Self.gateway("~* +get +echo -ping")
        try await joined.ready()
        #expect(try await joined.query("GET", "a") == .null)
        try await eventually("a heartbeat or two") {
            try server.cli("ACL", "LOG").contains("ping") ? true : nil
        }
        #expect(joined.client.status.state == .ready)
    }

    @Test func `a deleted user loses the connection`() async throws {
        let (server, joined) = try await Self.gateway("~* +@all")
        try await joined.ready()
        try server.cli("ACL", "DELUSER", "gateway")
        try await joined.problem(.wrongPassword)
    }

    @Test func `no password is in a description, dump, status or log`() async throws {
        let server = try FakeRedis { command in
            // The error of a server that does not know the command.
            .text(
                "-ERR unknown command '\(command.name)', with args beginning with: '\(command.arguments.joined(separator: "' '"))'\r\n"
            )
        }
        let joined = Joined(to: server, Self.asGateway)
        try await joined.problem(.wrongPassword)
        var configuration = RedisConfiguration(host: "h")
        configuration.password = Self.secret
        configuration.sentinelPassword = Self.secret
        var dumped = ""
        dump(configuration, to: &dumped)
        let failure = await joined.failure("GET", "a")
        let texts = [
            "\(configuration)", String(reflecting: configuration), dumped, "\(joined.client.status)",
            String(reflecting: joined.client.status), String(reflecting: failure),
        ]
        for text in texts + joined.log.lines { #expect(!text.contains(Self.secret)) }
        #expect(!joined.log.lines.isEmpty)
    }
}
