import Testing

@testable import Redis

struct HandshakeTests {
    private static func state(after replies: [String], _ handshake: Handshake) throws -> Handshake.Verdict {
        var handshake = handshake
        var verdict = Handshake.Verdict.more
        for reply in replies { verdict = try Replies.with(reply) { handshake.judge($0) } }
        return verdict
    }

    private static func problem(_ replies: [String], _ handshake: Handshake) throws -> RedisProblem.Code? {
        if case .refused(let code, _) = try state(after: replies, handshake) { code } else { nil }
    }

    private static func text(_ handshake: Handshake) -> String {
        String(decoding: handshake.command.bytes, as: UTF8.self).replacing("\r\n", with: " ")
    }

    private static func server(
        role: RoleDemand = .any, _ change: (inout RedisConfiguration) -> Void = { _ in }
    ) -> Handshake {
        var configuration = RedisConfiguration(host: "h")
        change(&configuration)
        return .server(configuration, role: role)
    }

    private static let plain = server()
    private static let withPassword = server { $0.password = "secret" }
    private static let sentinel = Handshake.sentinel(RedisConfiguration(host: "h"), master: "m")

    @Test func `without other settings a handshake is PING and ECHO`() throws {
        #expect(Self.text(Self.plain) == "*1 $4 PING *2 $4 ECHO $9 gatehouse ")
        #expect(try Self.state(after: ["+PONG\r\n"], Self.plain) == .more)
        #expect(try Self.state(after: ["+PONG\r\n", Replies.echo], Self.plain) == .done(.usable(.echo)))
    }

    @Test func `password, database and role are sent together and checked in order`() throws {
        let handshake = Self.server(role: .master) {
            $0.username = "gateway"
            $0.password = "secret"
            $0.database = 3
        }
        #expect(
            Self.text(handshake)
                == "*3 $4 AUTH $7 gateway $6 secret *2 $6 SELECT $1 3 *1 $4 ROLE *2 $4 ECHO $9 gatehouse ")
        #expect(handshake.command.count == 4)
        let replies = ["+OK\r\n", "+OK\r\n", "*3\r\n$6\r\nmaster\r\n:5\r\n*0\r\n", Replies.echo]
        for count in 2...3 { #expect(try Self.state(after: Array(replies[..<count]), handshake) == .more) }
        #expect(try Self.state(after: replies, handshake) == .done(.usable(.echo)))
    }

    @Test func `without a username the password is sent alone`() {
        #expect(Self.text(Self.withPassword) == "*2 $4 AUTH $6 secret *1 $4 PING *2 $4 ECHO $9 gatehouse ")
    }

    @Test(arguments: [
        ("-WRONGPASS invalid username-password pair or user is disabled.\r\n", RedisProblem.Code.wrongPassword),
        ("-ERR invalid password\r\n", .wrongPassword),
        ("-ERR AUTH <password> called without any password configured for the default user.\r\n", .wrongPassword),
        ("-ERR max number of clients reached\r\n", .refused),
        ("-DENIED Redis is running in protected mode\r\n", .refused),
    ])
    func `an error in reply to AUTH has its problem`(reply: String, code: RedisProblem.Code) throws {
        #expect(try Self.problem([reply], Self.withPassword) == code)
    }

    @Test(arguments: [
        (["-NOAUTH Authentication required.\r\n"], RedisProblem.Code.passwordRequired),
        (["-LOADING Redis is loading the dataset in memory\r\n"], .loading),
        (["-MASTERDOWN Link with MASTER is down\r\n"], .masterDown), (["-ERR x\r\n"], .refused),
        (["+PONG\r\n", "-ERR x\r\n"], .refused), (["+PONG\r\n", "+OK\r\n"], .misaligned),
        (["+PONG\r\n", "$9\r\ngatehousE\r\n"], .misaligned),
    ])
    func `an error in reply to PING or ECHO has its problem`(replies: [String], code: RedisProblem.Code) throws {
        #expect(try Self.problem(replies, Self.plain) == code)
    }

    @Test(arguments: ["-NOPERM this user has no permissions\r\n", "-ERR unknown command 'ECHO'\r\n"])
    func `PING carries the markers if ECHO is denied or unknown`(reply: String) throws {
        #expect(try Self.state(after: ["+PONG\r\n", reply], Self.plain) == .done(.usable(.ping)))
    }

    @Test func `a user without the right to PING is accepted`() throws {
        #expect(try Self.state(after: ["-NOPERM x\r\n", Replies.echo], Self.plain) == .done(.usable(.echo)))
    }

    @Test func `a user without the right to ROLE is rejected if the role matters`() throws {
        let reply = "-NOPERM this user has no permissions to run the command\r\n"
        #expect(try Self.state(after: [reply], Self.server(role: .master)) == .refused(.noPermission, "ROLE"))
    }

    @Test func `an invalid database is a problem`() throws {
        let handshake = Self.server { $0.database = 99 }
        let reply = "-ERR DB index is out of range\r\n"
        #expect(try Self.state(after: [reply], handshake) == .refused(.noDatabase, "SELECT"))
    }

    @Test(arguments: [
        "*5\r\n$5\r\nslave\r\n$9\r\n127.0.0.1\r\n:6379\r\n$9\r\nconnected\r\n:1\r\n", "*2\r\n$8\r\nsentinel\r\n*0\r\n",
        "+master\r\n", "$6\r\nmaster\r\n", "*0\r\n", "*-1\r\n", "*1\r\n$7\r\nmasters\r\n",
    ])
    func `only a server that reports the role master is a master`(reply: String) throws {
        #expect(try Self.state(after: [reply], Self.server(role: .master)) == .refused(.notMaster, nil))
    }

    @Test(arguments: [
        ("*1\r\n$6\r\nmaster\r\n", nil), ("*1\r\n$5\r\nslave\r\n", RedisProblem.Code.notMaster),
        ("*2\r\n$8\r\nsentinel\r\n*0\r\n", .notMaster), ("*0\r\n", .notMaster),
        ("-ERR unknown command 'ROLE', with args beginning with: \r\n", nil), ("-ERR no\r\n", .refused),
        ("-NOPERM x\r\n", .noPermission), ("-LOADING x\r\n", .loading),
    ])
    func `if copies are refused, a replica is rejected and a server without roles is not`(
        reply: String, code: RedisProblem.Code?
    ) throws {
        let handshake = Self.server(role: .noCopy)
        #expect(handshake.command == RedisCommand(["ROLE"]) + RedisCommand(["ECHO", "gatehouse"]))
        #expect(try Self.problem([reply], handshake) == code)
        if code == nil { #expect(try Self.state(after: [reply], handshake) == .more) }
    }

    @Test func `a sentinel gets its own password and no database`() {
        var configuration = RedisConfiguration(host: "h")
        configuration.password = "secret"
        configuration.database = 3
        let command = "*3 $8 SENTINEL $23 get-master-addr-by-name $1 m "
        #expect(Self.text(.sentinel(configuration, master: "m")) == command)
        configuration.sentinelPassword = "other"
        #expect(Self.text(.sentinel(configuration, master: "m")) == "*2 $4 AUTH $5 other " + command)
    }

    @Test func `the reply of a sentinel is an address or null`() throws {
        let address = RedisEndpoint(host: "10.0.0.1", port: 6379)
        let reply = "*2\r\n$8\r\n10.0.0.1\r\n$4\r\n6379\r\n"
        #expect(try Self.state(after: [reply], Self.sentinel) == .done(.master(address)))
        #expect(try Self.state(after: ["*-1\r\n"], Self.sentinel) == .refused(.masterUnknown, nil))
    }

    @Test(arguments: [
        "*0\r\n", "*1\r\n$1\r\nh\r\n", "*2\r\n$0\r\n\r\n$4\r\n6379\r\n", "*2\r\n$1\r\nh\r\n$1\r\n0\r\n",
        "*2\r\n$1\r\nh\r\n$5\r\n65536\r\n", "*2\r\n$1\r\nh\r\n$2\r\n-1\r\n", "*2\r\n$1\r\nh\r\n$4\r\n6e79\r\n",
        "*2\r\n$3\r\na b\r\n$1\r\n1\r\n", "*2\r\n$3\r\na\nb\r\n$1\r\n1\r\n", "*2\r\n$1\r\n\u{1B}\r\n$1\r\n1\r\n",
        "*2\r\n$1\r\nh\r\n$19\r\n9223372036854775807\r\n", "*2\r\n:1\r\n:2\r\n", "+OK\r\n", ":1\r\n",
    ])
    func `any other reply of a sentinel is rejected`(reply: String) throws {
        #expect(try Self.problem([reply], Self.sentinel) == .notRedis)
    }

    @Test func `an additional reply is rejected`() throws {
        let replies = ["+PONG\r\n", Replies.echo, Replies.echo]
        #expect(try Self.state(after: replies, Self.plain) == .refused(.unaskedReply, nil))
    }

    @Test(arguments: [
        "-ERR unknown command 'AUTH' with args 'secret'\r\n", "-secret secret\r\n", "-WRONGPASS secret\r\n",
    ])
    func `a password in the error of a server is not repeated`(reply: String) throws {
        let verdict = try Self.state(after: [reply], Self.withPassword)
        #expect(!String(describing: verdict).contains("secret"))
    }

    // MARK: - Cluster

    private static let clusterMember: Handshake = {
        let keyspace = ClusterKeyspace(tag: "t")
        var configuration = RedisConfiguration(.cluster([RedisEndpoint(host: "h", port: 1)], keyspace))
        configuration.password = "secret"
        return .server(configuration, role: .master, host: "h")
    }()

    /// A topology with one master.
    private static func topology(_ id: String, from first: Int = 0) -> String {
        "*1\r\n*3\r\n:\(first)\r\n:16383\r\n*3\r\n$1\r\no\r\n:7\r\n$\(id.utf8.count)\r\n\(id)\r\n"
    }

    @Test func `a member of a cluster has to serve the slot itself`() throws {
        #expect(
            Self.text(Self.clusterMember)
                == "*2 $4 AUTH $6 secret *1 $4 ROLE *2 $7 CLUSTER $4 MYID *2 $7 CLUSTER $5 SLOTS *2 $4 ECHO $9 gatehouse "
        )
        let start = ["+OK\r\n", "*3\r\n$6\r\nmaster\r\n:5\r\n*0\r\n", "$2\r\nme\r\n"]
        #expect(
            try Self.state(after: start + [Self.topology("me"), Replies.echo], Self.clusterMember)
                == .done(.usable(.echo)))
        #expect(
            try Self.state(after: start + [Self.topology("you")], Self.clusterMember)
                == .done(.moved(RedisEndpoint(host: "o", port: 7))))
        #expect(try Self.problem(start + [Self.topology("me", from: 16383)], Self.clusterMember) == .clusterDown)
        #expect(try Self.problem(start + ["+OK\r\n"], Self.clusterMember) == .notRedis)
        let noCluster = "-ERR This instance has cluster support disabled\r\n"
        #expect(try Self.problem(Array(start[..<2]) + [noCluster], Self.clusterMember) == .notCluster)
        #expect(try Self.problem(Array(start[..<2]) + ["-NOPERM x\r\n"], Self.clusterMember) == .noPermission)
    }

    @Test func `a node of a cluster names the master of the slot`() throws {
        let slot = ClusterKeyspace(tag: "t").slot
        let node = Handshake.node(RedisConfiguration(host: "h"), host: "h", slot: slot)
        #expect(Self.text(node) == "*2 $7 CLUSTER $5 SLOTS ")
        #expect(
            try Self.state(after: [Self.topology("me")], node)
                == .done(.master(RedisEndpoint(host: "o", port: 7))))
        #expect(try Self.problem([Self.topology("me", from: 16383)], node) == .clusterDown)
    }
}
