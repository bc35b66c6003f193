import Testing

@testable import Redis

@Suite("opening a connection")
struct HandshakeTests {
    private static func judge(_ handshake: Handshake, _ replies: String...) throws -> Handshake.Verdict {
        var handshake = handshake
        var verdict = Handshake.Verdict.more
        for reply in replies { verdict = try Replies.with(reply) { handshake.judge($0) } }
        return verdict
    }

    private static func text(_ handshake: Handshake) -> String {
        String(decoding: handshake.command.bytes, as: UTF8.self).replacing("\r\n", with: " ")
    }

    private static var configuration: RedisConfiguration {
        var configuration = RedisConfiguration(host: "h")
        configuration.password = "secret"
        return configuration
    }

    @Test("a server is asked for a sign of life only, where nothing else is configured")
    func plain() throws {
        let handshake = Handshake.server(RedisConfiguration(host: "h"), role: .any)
        #expect(Self.text(handshake) == "*1 $4 PING *2 $4 ECHO $9 gatehouse ")
        #expect(try Self.judge(handshake, "+PONG\r\n") == .more)
        #expect(try Self.judge(handshake, "+PONG\r\n", Replies.echo) == .done(.usable(.echo)))
    }

    @Test("password, database and role are sent at once and judged in order")
    func everything() throws {
        var configuration = Self.configuration
        configuration.username = "gateway"
        configuration.database = 3
        let handshake = Handshake.server(configuration, role: .master)
        #expect(
            Self.text(handshake)
                == "*3 $4 AUTH $7 gateway $6 secret *2 $6 SELECT $1 3 *1 $4 ROLE *2 $4 ECHO $9 gatehouse ")
        #expect(handshake.command.count == 4)
        #expect(try Self.judge(handshake, "+OK\r\n", "+OK\r\n") == .more)
        let role = "*3\r\n$6\r\nmaster\r\n:5\r\n*0\r\n"
        #expect(try Self.judge(handshake, "+OK\r\n", "+OK\r\n", role) == .more)
        #expect(try Self.judge(handshake, "+OK\r\n", "+OK\r\n", role, Replies.echo) == .done(.usable(.echo)))
    }

    @Test("without a user the password goes alone")
    func passwordAlone() {
        #expect(
            Self.text(.server(Self.configuration, role: .any))
                == "*2 $4 AUTH $6 secret *1 $4 PING *2 $4 ECHO $9 gatehouse ")
    }

    @Test(
        "a refused password is told as what it is",
        arguments: [
            ("-WRONGPASS invalid username-password pair or user is disabled.\r\n", RedisProblem.Code.wrongPassword),
            ("-ERR invalid password\r\n", .wrongPassword),
            ("-ERR AUTH <password> called without any password configured for the default user.\r\n", .wrongPassword),
            ("-ERR max number of clients reached\r\n", .refused),
            ("-DENIED Redis is running in protected mode\r\n", .refused),
        ])
    func refusedPassword(reply: String, code: RedisProblem.Code) throws {
        guard case .refused(code, _) = try Self.judge(.server(Self.configuration, role: .any), reply) else {
            Issue.record("not refused as \(code)")
            return
        }
    }

    @Test(
        "what stands in the way of a sign of life",
        arguments: [
            ("-NOAUTH Authentication required.\r\n", RedisProblem.Code.passwordRequired),
            ("-LOADING Redis is loading the dataset in memory\r\n", .loading),
            ("-MASTERDOWN Link with MASTER is down\r\n", .masterDown),
            ("-ERR x\r\n", .refused),
        ])
    func refusedPing(reply: String, code: RedisProblem.Code) throws {
        let handshake = Handshake.server(RedisConfiguration(host: "h"), role: .any)
        guard case .refused(code, _) = try Self.judge(handshake, reply) else {
            Issue.record("not refused as \(code)")
            return
        }
    }

    @Test(
        "a server that repeats something else is not used",
        arguments: [
            ("-ERR x\r\n", RedisProblem.Code.refused), ("+OK\r\n", .misaligned), ("$9\r\ngatehousE\r\n", .misaligned),
        ])
    func refusedEcho(reply: String, code: RedisProblem.Code) throws {
        let handshake = Handshake.server(RedisConfiguration(host: "h"), role: .any)
        guard case .refused(code, _) = try Self.judge(handshake, "+PONG\r\n", reply) else {
            Issue.record("not refused as \(code)")
            return
        }
    }

    @Test(
        "where ECHO is not allowed or not known, PING carries the markers",
        arguments: ["-NOPERM this user has no permissions\r\n", "-ERR unknown command 'ECHO'\r\n"])
    func withoutEcho(reply: String) throws {
        let handshake = Handshake.server(RedisConfiguration(host: "h"), role: .any)
        #expect(try Self.judge(handshake, "+PONG\r\n", reply) == .done(.usable(.ping)))
    }

    @Test("a user who may not PING is let in")
    func withoutPing() throws {
        let handshake = Handshake.server(RedisConfiguration(host: "h"), role: .any)
        #expect(try Self.judge(handshake, "-NOPERM x\r\n", Replies.echo) == .done(.usable(.echo)))
    }

    @Test("a user who may not ask for the role is not let in where the role matters")
    func noPermission() throws {
        let reply = "-NOPERM this user has no permissions to run the command\r\n"
        let configuration = RedisConfiguration(host: "h")
        #expect(try Self.judge(.server(configuration, role: .master), reply) == .refused(.noPermission, "ROLE"))
    }

    @Test("a database that cannot be selected is told")
    func noDatabase() throws {
        var configuration = RedisConfiguration(host: "h")
        configuration.database = 99
        let handshake = Handshake.server(configuration, role: .any)
        #expect(try Self.judge(handshake, "-ERR DB index is out of range\r\n") == .refused(.noDatabase, "SELECT"))
    }

    @Test(
        "only a server that says it is the master is one",
        arguments: [
            "*5\r\n$5\r\nslave\r\n$9\r\n127.0.0.1\r\n:6379\r\n$9\r\nconnected\r\n:1\r\n",
            "*2\r\n$8\r\nsentinel\r\n*0\r\n",
            "+master\r\n", "$6\r\nmaster\r\n", "*0\r\n", "*-1\r\n", "*1\r\n$7\r\nmasters\r\n",
        ])
    func notMaster(reply: String) throws {
        let handshake = Handshake.server(RedisConfiguration(host: "h"), role: .master)
        #expect(try Self.judge(handshake, reply) == .refused(.notMaster, nil))
    }

    @Test(
        "where copies are refused, a server that says it is one is not used, and one that knows no roles is",
        arguments: [
            ("*1\r\n$6\r\nmaster\r\n", nil), ("*1\r\n$5\r\nslave\r\n", RedisProblem.Code.notMaster),
            ("*2\r\n$8\r\nsentinel\r\n*0\r\n", .notMaster), ("*0\r\n", .notMaster),
            ("-ERR unknown command 'ROLE', with args beginning with: \r\n", nil), ("-ERR no\r\n", .refused),
            ("-NOPERM x\r\n", .noPermission), ("-LOADING x\r\n", .loading),
        ])
    func copy(reply: String, code: RedisProblem.Code?) throws {
        let handshake = Handshake.server(RedisConfiguration(host: "h"), role: .noCopy)
        #expect(handshake.command == RedisCommand(["ROLE"]) + RedisCommand(["ECHO", "gatehouse"]))
        switch try Self.judge(handshake, reply) {
        case .refused(let refusal, _): #expect(refusal == code)
        case .more: #expect(code == nil)
        case let verdict: Issue.record("\(verdict)")
        }
    }

    @Test("a sentinel is asked with its own password and no database")
    func sentinelCommands() {
        var configuration = Self.configuration
        configuration.database = 3
        #expect(
            Self.text(.sentinel(configuration, master: "m")) == "*3 $8 SENTINEL $23 get-master-addr-by-name $1 m ")
        configuration.sentinelPassword = "other"
        let expected = "*2 $4 AUTH $5 other *3 $8 SENTINEL $23 get-master-addr-by-name $1 m "
        #expect(Self.text(.sentinel(configuration, master: "m")) == expected)
    }

    @Test("a sentinel's answer is an address, or it knows none")
    func sentinelAnswers() throws {
        let handshake = Handshake.sentinel(RedisConfiguration(host: "h"), master: "m")
        let address = RedisEndpoint(host: "10.0.0.1", port: 6379)
        #expect(try Self.judge(handshake, "*2\r\n$8\r\n10.0.0.1\r\n$4\r\n6379\r\n") == .done(.master(address)))
        #expect(try Self.judge(handshake, "*-1\r\n") == .refused(.masterUnknown, nil))
    }

    @Test(
        "any other answer of a sentinel is none",
        arguments: [
            "*0\r\n", "*1\r\n$1\r\nh\r\n", "*2\r\n$0\r\n\r\n$4\r\n6379\r\n", "*2\r\n$1\r\nh\r\n$1\r\n0\r\n",
            "*2\r\n$1\r\nh\r\n$5\r\n65536\r\n", "*2\r\n$1\r\nh\r\n$2\r\n-1\r\n", "*2\r\n$1\r\nh\r\n$4\r\n6e79\r\n",
            "*2\r\n$3\r\na b\r\n$1\r\n1\r\n", "*2\r\n$3\r\na\nb\r\n$1\r\n1\r\n", "*2\r\n$1\r\n\u{1B}\r\n$1\r\n1\r\n",
            "*2\r\n$1\r\nh\r\n$19\r\n9223372036854775807\r\n", "*2\r\n:1\r\n:2\r\n", "+OK\r\n", ":1\r\n",
        ])
    func wrongAnswers(reply: String) throws {
        let handshake = Handshake.sentinel(RedisConfiguration(host: "h"), master: "m")
        guard case .refused(.notRedis, _) = try Self.judge(handshake, reply) else {
            Issue.record("taken for an address")
            return
        }
    }

    @Test("more replies than were asked for are refused")
    func tooMany() throws {
        let handshake = Handshake.server(RedisConfiguration(host: "h"), role: .any)
        #expect(try Self.judge(handshake, "+PONG\r\n", Replies.echo, Replies.echo) == .refused(.unaskedReply, nil))
    }

    @Test("what a server says of a password is not repeated")
    func secrets() throws {
        let replies = [
            "-ERR unknown command 'AUTH' with args 'secret'\r\n", "-secret secret\r\n", "-WRONGPASS secret\r\n",
        ]
        for reply in replies {
            let verdict = try Self.judge(.server(Self.configuration, role: .any), reply)
            #expect(!String(describing: verdict).contains("secret"))
        }
    }
}
