import Testing

@testable import RedisFixtures
@testable import RevocationStores

/// Servers that reject the commands of the replica.
@Suite struct ReplicaRefusalTests {
    /// The permissions of a user that follows the store.
    static let commands = ["+info", "+ping", "+hmget", "+scan", "+xinfo|stream", "+xread"]

    private func server(without refused: String) async throws -> RedisServer {
        let allowed = Self.commands.filter { $0 != refused }.joined(separator: " ")
        return try await RedisServer(["user gateway on >gateway ~gatehouse:* resetchannels -@all \(allowed)"])
    }

    @Test func `these commands are sufficient`() async throws {
        let server = try await server(without: "")
        try await ReplicaRig.run(server, username: "gateway") { rig in
            try await rig.loaded()
            try await rig.revokeAndWait("ann", at: 7)
            #expect(rig.replica.status.lastFault == nil)
        }
    }

    @Test(arguments: ["+hmget", "+scan", "+xinfo|stream", "+xread"])
    func `a forbidden command is reported, and nothing is confirmed`(_ command: String) async throws {
        let server = try await server(without: command)
        try server.cli("HSET", "gatehouse:user:{ann}", "valid_since", "7")
        try await ReplicaRig.run(server, username: "gateway") { rig in
            let name = command.dropFirst().prefix { $0 != "|" }.uppercased()
            try await rig.status("a refusal") { $0.lastFault?.kind == "\(name) NOPERM" }
            #expect(rig.age == nil)
            #expect(!rig.replica.status.isLoaded)
            try server.cli("ACL", "SETUSER", "gateway", command)
            try await rig.user("ann", is: .since(7))
            try await rig.confirmed()
            #expect(rig.replica.status.lastFault == nil)
        }
    }

    /// Without `INFO`, the replica cannot recognize a restarted server.
    @Test func `without INFO everything is read again after each connection`() async throws {
        let server = try await server(without: "+info")
        try await ReplicaRig.run(server, username: "gateway") { rig in
            try await rig.loaded()
            try server.cli("CLIENT", "KILL", "TYPE", "normal")
            try await rig.status("another reading") { $0.rereads["other-server"] == 1 && !$0.isCatchingUp }
            try await rig.confirmed()
        }
    }

    @Test func `with INFO the same server is recognized`() async throws {
        let server = try await server(without: "")
        try await ReplicaRig.run(server, username: "gateway") { rig in
            try await rig.loaded()
            try server.cli("CLIENT", "KILL", "TYPE", "normal")
            try await rig.revokeAndWait("ann", at: 7)
            try await rig.confirmed()
            #expect(rig.replica.status.rereads == ["first": 1])
        }
    }

    @Test func `a key that is not a stream is reported`() async throws {
        let server = try await RedisServer()
        try server.cli("SET", "gatehouse:changes", "x")
        try await ReplicaRig.run(server) { rig in
            try await rig.status("a refusal") { $0.lastFault?.kind == "XINFO WRONGTYPE" }
            #expect(rig.replica.status.lastFault?.message == "gatehouse:changes is not a stream")
            #expect(rig.age == nil)
            try server.cli("DEL", "gatehouse:changes")
            try await rig.loaded()
        }
    }

    @Test func `a replica of another server is not followed`() async throws {
        let (master, copy) = (try await RedisServer(), try await RedisServer())
        try copy.cli("REPLICAOF", "127.0.0.1", "\(master.port)")
        try await ReplicaRig.run(copy) { rig in
            try await rig.status("a refusal") { $0.lastFault?.kind == "INFO role" }
            #expect(rig.age == nil)
            try copy.cli("REPLICAOF", "NO", "ONE")
            try await rig.loaded()
        }
    }

    @Test(arguments: [
        ("XINFO", ":1\r\n"), ("XINFO", "*1\r\n$6\r\nlength\r\n"), ("XINFO", "*2\r\n$17\r\nlast-generated-id\r\n:5\r\n"),
        ("XINFO", "*2\r\n$17\r\nlast-generated-id\r\n$3\r\na-b\r\n"), ("XINFO", "$-1\r\n"), ("INFO", "+OK\r\n"),
        ("SCAN", "*1\r\n$1\r\n0\r\n"), ("SCAN", "*2\r\n$1\r\nx\r\n*0\r\n"), ("SCAN", "*2\r\n$1\r\n0\r\n*1\r\n:1\r\n"),
        ("SCAN", "$-1\r\n"), ("XREAD", "*1\r\n*1\r\n$1\r\na\r\n"), ("XREAD", "+OK\r\n"),
        ("XREAD", "*1\r\n*2\r\n$17\r\ngatehouse:changes\r\n*1\r\n*2\r\n$3\r\nx-y\r\n*0\r\n"),
        ("HMGET", "*1\r\n$1\r\n5\r\n"), ("HMGET", "$-1\r\n"), ("XREAD", "-LOADING Redis is loading\r\n"),
        ("XINFO", "-OOM command not allowed\r\n"), ("SCAN", "-ERR garbage\r\n"),
    ])
    func `a malformed reply confirms nothing`(_ name: String, _ bytes: String) async throws {
        try await withFakeServer({ $0.name == name ? bytes : nil }) { rig in
            try await rig.status("an error") { $0.lastFault?.kind.hasPrefix(name) == true }
            #expect(rig.age == nil)
        }
    }

    /// Every client may read the reason in the readiness response.
    @Test func `an error that repeats the command does not reveal the uid`() async throws {
        let refusal = { @Sendable (command: FakeRedis.Command) -> String? in
            guard command.name == "HMGET" else { return nil }
            return "-ERR unknown command 'HMGET', with args beginning with: '\(command.arguments[1])'\r\n"
        }
        try await withFakeServer(refusal) { rig in
            try await rig.status("an error") { $0.lastFault?.kind == "HMGET ERR" }
            #expect(rig.replica.status.lastFault?.message.contains("zoe-7") == false)
        }
    }

    /// Runs `body` with a replica of a server that has one user and an empty stream, except for these replies.
    private func withFakeServer(
        _ reply: @escaping @Sendable (FakeRedis.Command) -> String?, _ body: (ReplicaRig) async throws -> Void
    ) async throws {
        let fake = try FakeRedis { command in
            if let reply = reply(command) { return .text(reply) }
            return switch command.name {
            case "INFO": .text("$42\r\nrun_id:1\r\nmaster_replid:2\r\nrole:master\r\n\r\n\r\n")
            case "XINFO": .text("*4\r\n$17\r\nlast-generated-id\r\n$3\r\n5-0\r\n$13\r\nentries-added\r\n:1\r\n")
            case "SCAN": .text("*2\r\n$1\r\n0\r\n*1\r\n$22\r\ngatehouse:user:{zoe-7}\r\n")
            case "HMGET": .text("*2\r\n$1\r\n7\r\n$-1\r\n")
            case "XREAD": command.arguments.contains("BLOCK") ? .silence : .text("*-1\r\n")
            default: .text("+PONG\r\n")
            }
        }
        let rig = try ReplicaRig(port: fake.port)
        rig.replica.start()
        try await body(rig)
        await rig.replica.stop()
        fake.stop()
    }
}
