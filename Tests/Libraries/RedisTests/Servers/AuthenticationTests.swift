import Redis
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

@Suite("users and passwords")
struct AuthenticationTests {
    private static let secret = "s3cret-of-the-server"

    private static func protected() async throws -> RedisServer {
        try await RedisServer(["requirepass \(secret)"], user: .init(password: secret))
    }

    @Test("a password opens a server that asks for one")
    func password() async throws {
        let server = try await Self.protected()
        let joined = Joined(to: server) { $0.password = Self.secret }
        try await joined.ready()
        #expect(try await joined.ask("SET", "a", "b") == .status("OK"))
    }

    @Test("a wrong password, and none, are told as what they are")
    func wrongPassword() async throws {
        let server = try await Self.protected()
        let wrong = Joined(to: server) { $0.password = "wrong-and-secret-too" }
        let none = Joined(to: server)
        try await wrong.problem(.wrongPassword)
        try await none.problem(.passwordRequired)
        #expect(await wrong.failure("GET", "a")?.description.contains("password") == true)
    }

    @Test("a password that the server does not ask for is told")
    func needlessPassword() async throws {
        let server = try await RedisServer()
        let joined = Joined(to: server) { $0.password = Self.secret }
        try await joined.problem(.wrongPassword)
    }

    @Test("once the password is right, the connection is made")
    func corrected() async throws {
        let server = try await Self.protected()
        let joined = Joined(to: server) { $0.password = "new" }
        try await joined.problem(.wrongPassword)
        try server.cli("ACL", "SETUSER", "default", ">new")
        try await joined.ready()
    }

    @Test("a user of the ACL may do what its rules say, and is told what not")
    func user() async throws {
        let rules = "user gateway on >\(Self.secret) ~gatehouse:* +ping +hmget +hset +@connection"
        let server = try await RedisServer([rules])
        let joined = Joined(to: server) {
            $0.username = "gateway"
            $0.password = Self.secret
        }
        try await joined.ready()
        #expect(try await joined.ask("HSET", "gatehouse:user:{a}", "valid_since", 1) == .integer(1))
        #expect(try await joined.ask("HMGET", "other", "a").code == "NOPERM")
        #expect(try await joined.ask("DEL", "gatehouse:user:{a}").code == "NOPERM")
        #expect(joined.client.status.state == .ready)
    }

    @Test("a user who may not ECHO is let in: PING carries the markers")
    func withoutEcho() async throws {
        let server = try await RedisServer(["user gateway on >\(Self.secret) ~* +get +ping -echo"])
        let joined = Joined(to: server) {
            $0.username = "gateway"
            $0.password = Self.secret
        }
        try await joined.ready()
        #expect(try await joined.ask("GET", "a") == .null)
        #expect(joined.client.status.state == .ready)
    }

    @Test("a user who may neither ECHO nor PING gets no reply that cannot be proven to be theirs")
    func withoutMarkers() async throws {
        let server = try await RedisServer(["user gateway on >\(Self.secret) ~* +get -ping -echo"])
        let joined = Joined(to: server) {
            $0.username = "gateway"
            $0.password = Self.secret
        }
        try await joined.problem(.noPermission)
        #expect(await joined.failure("GET", "a") != nil)
    }

    @Test("a user who may not PING is let in")
    func withoutPing() async throws {
        let server = try await RedisServer(["user gateway on >\(Self.secret) ~* +get +echo -ping"])
        let joined = Joined(to: server) {
            $0.username = "gateway"
            $0.password = Self.secret
        }
        try await joined.ready()
        #expect(try await joined.ask("GET", "a") == .null)
        try await eventually("a heartbeat or two") {
            try server.cli("ACL", "LOG").contains("ping") ? true : nil
        }
        #expect(joined.client.status.state == .ready)
    }

    @Test("a user who is switched off loses the connection and is told why")
    func switchedOff() async throws {
        let server = try await RedisServer(["user gateway on >\(Self.secret) ~* +@all"])
        let joined = Joined(to: server) {
            $0.username = "gateway"
            $0.password = Self.secret
        }
        try await joined.ready()
        try server.cli("ACL", "DELUSER", "gateway")
        try await joined.problem(.wrongPassword)
    }

    @Test("no password stands in a description, a dump, a status or a log")
    func secrets() async throws {
        let server = try FakeRedis { command in
            // As servers do that do not know the command.
            .text(
                "-ERR unknown command '\(command.name)', with args beginning with: '\(command.arguments.joined(separator: "' '"))'\r\n"
            )
        }
        let joined = Joined(to: server) {
            $0.username = "gateway"
            $0.password = Self.secret
        }
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
