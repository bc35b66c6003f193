import GatewayCore
import Revocation
import Synchronization
import Testing

@testable import RedisFixtures
@testable import RevocationStores
@testable import StoreFixtures
@testable import SystemFixtures

/// The replica with real servers.
@Suite struct ReplicaServerTests {
    @Test func `everything is read and only then confirmed`() async throws {
        let server = try await RedisServer()
        try server.cli("HSET", "gatehouse:user:{ann}", "valid_since", "1700000000")
        try server.cli("HSET", "gatehouse:user:{a%20b%3Ac}", "disabled", "1", "valid_since", "0")
        try server.cli("HSET", "gatehouse:user:{nobody}", "disabled", "0")
        try server.cli("HSET", "gatehouse:session:{ann}:17", "revoked", "1", "signed_in_at", "5")
        try server.cli("HSET", "gatehouse:session:{ann}:18", "signed_in_at", "5")
        try server.cli("SET", "gatehouse:link:{apple.com:1}", "ann")
        try await ReplicaRig.run(server) { rig in
            #expect(rig.age == nil)
            try await rig.loaded()
            #expect(try rig.view.user("ann") == .since(1_700_000_000))
            #expect(try rig.view.user("a b:c") == .record(validSince: 0, disabled: true))
            #expect(try rig.view.user("nobody") == .none)
            #expect(try rig.view.session("ann", "17") == .record(revoked: true, signedInAt: nil))
            #expect(try rig.view.session("ann", "18") == .none)
            #expect(rig.view.usage.users == 2)
            #expect(rig.view.usage.sessions == 1)
            #expect(rig.loads.count.load(ordering: .relaxed) == 1)
            #expect(rig.replica.status.isLoaded)
            #expect(rig.replica.status.rereads == ["first": 1])
        }
    }

    /// `RedisRecordTests` has every malformed field.
    @Test(arguments: [
        ["HSET", "gatehouse:user:{bad}", "valid_since", "1700000000000"],
        ["HSET", "gatehouse:user:{bad}", "disabled", "true"], ["SET", "gatehouse:user:{bad}", "x"],
    ])
    func `a faulty record affects its user only`(_ command: [String]) async throws {
        let server = try await RedisServer()
        try server.cli("HSET", "gatehouse:user:{ann}", "valid_since", "7")
        try server.cli(command)
        try await ReplicaRig.run(server) { rig in
            try await rig.loaded()
            #expect(try rig.view.user("bad") == .faulty)
            #expect(try rig.view.user("ann") == .since(7))
            #expect(rig.view.faultyRecords == 1)
            try server.cli("DEL", "gatehouse:user:{bad}")
            try await rig.revokeAndWait("bad", at: 9)
            #expect(rig.view.faultyRecords == 0)
        }
    }

    @Test func `a faulty session does not affect its user`() async throws {
        let server = try await RedisServer()
        try server.cli("HSET", "gatehouse:session:{ann}:17", "revoked", "yes")
        try server.cli("HSET", "gatehouse:session:{ann}:18", "revoked", "0", "signed_in_at", "1700000000000")
        try server.cli("SET", "gatehouse:session:{ann}:19", "x")
        try await ReplicaRig.run(server) { rig in
            try await rig.loaded()
            for session in 17...19 { #expect(try rig.view.session("ann", "\(session)") == .faulty) }
            #expect(try rig.view.user("ann") == .none)
        }
    }

    @Test func `a malformed key has no user`() async throws {
        let server = try await RedisServer()
        for key in ["{a%6eb}", "{a b}", "ann", "{ann", "{ann}}", "{}", "{%zz}", "{%c3%a9}", "{a.b:c}"] {
            try server.cli("HSET", "gatehouse:user:\(key)", "valid_since", "7")
        }
        try server.cli("HSET", "gatehouse:session:{ann}", "revoked", "1")
        try server.cli("HSET", "gatehouse:users", "revoked", "1")
        try await ReplicaRig.run(server) { rig in
            try await rig.loaded()
            try await rig.status("faulty keys") { $0.faultyKeys == 10 }
            #expect(rig.view.usage.users == 0)
            #expect(rig.view.usage.sessions == 0)
        }
    }

    @Test func `H-03: a change is applied as soon as its entry is in the stream`() async throws {
        var timing = ReplicaRig.timing
        // A change that waits for the end of a blocking read is later than the limit of `eventually`.
        timing.block = .seconds(600)
        try await ReplicaRig.run(timing: timing) { rig, server in
            try await rig.revokeAndWait("ann", at: 1_700_000_000)
            try server.cli("HSET", "gatehouse:user:{ann}", "disabled", "1")
            try server.cli("XADD", "gatehouse:changes", "*", "uid", "ann", "disabled", "1")
            try await rig.user("ann", is: .record(validSince: 1_700_000_000, disabled: true))
            try server.cli("DEL", "gatehouse:user:{ann}")
            try server.cli("XADD", "gatehouse:changes", "*", "uid", "ann", "valid_since", "none", "disabled", "0")
            try await rig.user("ann", is: .none)
            #expect(rig.replica.status.gaps == 0)
            #expect(rig.replica.status.entries == 3)
        }
    }

    @Test func `the table stays fresh while nothing happens`() async throws {
        try await ReplicaRig.run { rig, _ in
            for _ in 0..<5 { try await rig.confirmed() }
            #expect(rig.replica.status.gaps == 0)
            #expect(rig.replica.status.rereads == ["first": 1])
        }
    }

    @Test func `a stream that was trimmed before it was read is detected`() async throws {
        try await ReplicaRig.run { rig, server in
            try server.cli(
                "EVAL",
                """
                redis.call('HSET', 'gatehouse:user:{ann}', 'valid_since', 7)
                redis.call('XADD', 'gatehouse:changes', '*', 'uid', 'ann', 'valid_since', 7)
                redis.call('XTRIM', 'gatehouse:changes', 'MAXLEN', 0)
                """, "0")
            try await rig.user("ann", is: .since(7))
            #expect(rig.replica.status.gaps == 1)
            try await rig.confirmed()
        }
    }

    @Test func `a trim of entries that were read is not a gap`() async throws {
        try await ReplicaRig.run { rig, server in
            try await rig.revokeAndWait("ann", at: 7)
            try server.cli("XTRIM", "gatehouse:changes", "MAXLEN", "0")
            try await rig.confirmed()
            try await rig.confirmed()
            #expect(rig.replica.status.gaps == 0)
        }
    }

    @Test(arguments: [["DEL", "gatehouse:changes"], ["FLUSHALL"]])
    func `a deleted stream is detected`(_ command: [String]) async throws {
        try await ReplicaRig.run { rig, server in
            try await rig.revokeAndWait("ann", at: 7)
            try server.cli(command)
            try await rig.status("a gap") { $0.gaps == 1 && !$0.isCatchingUp }
            // No entry reverts the revocation.
            try await rig.user("ann", is: .since(7))
            try await rig.revokeAndWait("bob", at: 8)
            try await rig.confirmed()
            #expect(rig.replica.status.gaps == 1)
        }
    }

    @Test func `records that Redis lost are kept and reported`() async throws {
        try await ReplicaRig.run { rig, server in
            try await rig.revokeAndWait("ann", at: 7)
            try await server.restart()
            try await rig.status("the loss") { $0.loss.users == 1 && $0.loss.wentBack }
            #expect(try rig.view.user("ann") == .since(7))
            #expect(rig.replica.status.rereads["other-server"] == 1)
            try await rig.confirmed()
        }
    }

    @Test func `records that Redis kept are never dropped`() async throws {
        try await ReplicaRig.run(["appendonly yes", "appendfsync always"]) { rig, server in
            try await rig.revokeAndWait("ann", at: 7)
            server.kill()
            try await rig.status("the connection to be lost") { !$0.isConnected }
            #expect(try rig.view.user("ann") == .since(7))
            try await server.start()
            try await rig.revokeAndWait("bob", at: 8)
            #expect(try rig.view.user("ann") == .since(7))
            try await rig.confirmed()
        }
    }

    @Test func `while the server is frozen the age grows`() async throws {
        try await ReplicaRig.run { rig, server in
            server.freeze()
            try await eventually("the age to grow") { (rig.age ?? 0) > 1_500_000_000 ? true : nil }
            server.thaw()
            try await rig.confirmed()
            try await rig.revokeAndWait("ann", at: 7)
        }
    }

    @Test func `everything is read again periodically`() async throws {
        var timing = ReplicaRig.timing
        timing.reread = .milliseconds(300)
        try await ReplicaRig.run(timing: timing) { rig, server in
            // Writes without an entry.
            try server.cli("HSET", "gatehouse:user:{ann}", "valid_since", "7")
            try await rig.user("ann", is: .since(7))
            try server.cli("HSET", "gatehouse:user:{ann}", "valid_since", "8")
            try await rig.user("ann", is: .since(8))
            #expect(rig.replica.status.gaps == 0)
            #expect(rig.replica.status.rereads["due"] ?? 0 >= 2)
        }
    }

    @Test func `a stopped replica leaves a stale view and no error`() async throws {
        try await ReplicaRig.run { rig, _ in
            await rig.replica.stop()
            #expect(rig.age == nil)
            #expect(rig.replica.status.lastFault == nil)
        }
    }
}
