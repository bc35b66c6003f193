import Redis
import Synchronization
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

    @Test func `an open connection takes new credentials without a lost command`() async throws {
        let rules = "on ~* +@all"
        let server = try await RedisServer(["user one >1 \(rules)", "user two >2 \(rules)"])
        let credentials = RenewedCredentials()
        let joined = Joined(to: server) { $0.renewal = credentials }
        try await joined.problem(.noCredentials)
        credentials.renew(RedisCredentials(username: "one", password: "1"))
        try await joined.ready()
        let id = try await joined.query("CLIENT", "ID")

        let client = joined.client
        let replies = Task {
            var replies: [RedisValue] = []
            for _ in 0..<200 {
                replies += try await client.send(RedisCommand(["INCR", "a"]), timeout: .hangLimit)
            }
            return replies
        }
        credentials.renew(RedisCredentials(username: "two", password: "2"))
        #expect(try await replies.value == (1...200).map { .integer($0) })
        #expect(try await joined.query("ACL", "WHOAMI") == .text("two"))
        try server.cli("ACL", "DELUSER", "one")
        #expect(try await joined.query("CLIENT", "ID") == id)
    }

    @Test func `rejected credentials leave an open connection as it is and are reported`() async throws {
        let server = try await RedisServer(["user one on >1 ~* +@all"])
        let credentials = RenewedCredentials()
        let rejections = Rejections()
        credentials.onRejection { rejections.add() }
        credentials.renew(RedisCredentials(username: "one", password: "1"))
        let joined = try await Joined(to: server) { $0.renewal = credentials }.ready()
        credentials.renew(RedisCredentials(username: "one", password: "wrong"))
        try await eventually("the rejection") { rejections.count == 1 ? true : nil }
        #expect(try await joined.query("ACL", "WHOAMI") == .text("one"))
        // The next connection needs valid ones.
        try server.cli("CLIENT", "KILL", "TYPE", "normal")
        try await joined.problem(.wrongPassword)
        #expect(rejections.count > 1)
        credentials.renew(RedisCredentials(username: "one", password: "1"))
        try await joined.ready()
    }

    @Test func `expired credentials open no connection, and an open one stays`() async throws {
        let server = try await RedisServer(["user one on >1 ~* +@all"])
        let credentials = RenewedCredentials()
        credentials.renew(RedisCredentials(username: "one", password: "1"))
        let joined = try await Joined(to: server) { $0.renewal = credentials }.ready()
        credentials.renewalFailed("no answer", hasExpired: false)
        #expect(credentials.current != nil)
        credentials.renewalFailed("no answer", hasExpired: true)
        #expect(try await joined.query("ACL", "WHOAMI") == .text("one"))
        try server.cli("CLIENT", "KILL", "TYPE", "normal")
        try await joined.problem(.noCredentials)
        #expect(joined.client.status.problem?.detail == "no answer")
        credentials.renew(RedisCredentials(username: "one", password: "1"))
        try await joined.ready()
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
        let credentials = RenewedCredentials()
        credentials.renew(RedisCredentials(username: "u", password: Self.secret))
        configuration.renewal = credentials
        var dumped = ""
        dump(credentials.current, to: &dumped)
        dump(configuration, to: &dumped)
        let failure = await joined.failure("GET", "a")
        let texts = [
            "\(configuration)", String(reflecting: configuration), dumped, "\(joined.client.status)",
            String(reflecting: joined.client.status), String(reflecting: failure), "\(credentials.current as Any)",
        ]
        for text in texts + joined.log.lines { #expect(!text.contains(Self.secret)) }
        #expect(!joined.log.lines.isEmpty)
    }
}

/// A counter of rejected credentials.
private final class Rejections: Sendable {
    private let number = Mutex(0)

    var count: Int { number.withLock { $0 } }

    func add() { number.withLock { $0 += 1 } }
}
