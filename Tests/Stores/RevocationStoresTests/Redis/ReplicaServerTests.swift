import GatewayCore
import Revocation
import Synchronization
import Testing

@testable import RedisFixtures
@testable import RevocationStores
@testable import StoreFixtures
@testable import SystemFixtures

/// The replica against real servers.
@Suite struct ReplicaServerTests {
    @Test func everythingIsReadAndOnlyThenConfirmed() async throws {
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

    @Test(arguments: [
        ["HSET", "gatehouse:user:{bad}", "valid_since", "1700000000000"],
        ["HSET", "gatehouse:user:{bad}", "valid_since", "-1"], ["HSET", "gatehouse:user:{bad}", "valid_since", "1.5"],
        ["HSET", "gatehouse:user:{bad}", "valid_since", "+1"], ["HSET", "gatehouse:user:{bad}", "valid_since", "01"],
        ["HSET", "gatehouse:user:{bad}", "valid_since", ""], ["HSET", "gatehouse:user:{bad}", "disabled", "true"],
        ["HSET", "gatehouse:user:{bad}", "disabled", "2"], ["SET", "gatehouse:user:{bad}", "x"],
        ["SADD", "gatehouse:user:{bad}", "x"],
    ])
    func aFaultyRecordIsItsUsersAlone(_ command: [String]) async throws {
        let server = try await RedisServer()
        try server.cli("HSET", "gatehouse:user:{ann}", "valid_since", "7")
        try server.cli(command)
        try await ReplicaRig.run(server) { rig in
            try await rig.loaded()
            #expect(try rig.view.user("bad") == .faulty)
            #expect(try rig.view.user("ann") == .since(7))
            #expect(rig.view.faultyRecords == 1)
            try server.cli("DEL", "gatehouse:user:{bad}")
            try rig.revoke("bad", at: 9)
            try await rig.user("bad", is: .since(9))
            #expect(rig.view.faultyRecords == 0)
        }
    }

    @Test(arguments: [
        ["HSET", "gatehouse:session:{ann}:17", "revoked", "yes"],
        ["HSET", "gatehouse:session:{ann}:17", "revoked", "0", "signed_in_at", "1700000000000"],
        ["SET", "gatehouse:session:{ann}:17", "x"],
    ])
    func aFaultySessionIsFaultyByItself(_ command: [String]) async throws {
        let server = try await RedisServer()
        try server.cli(command)
        try await ReplicaRig.run(server) { rig in
            try await rig.loaded()
            #expect(try rig.view.session("ann", "17") == .faulty)
            #expect(try rig.view.user("ann") == .none)
        }
    }

    @Test func aKeyThatIsSpelledOtherwiseIsNobodys() async throws {
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

    @Test("H-03: an old token dies within the bound, here as soon as the entry is there")
    func aChangeIsAppliedAtOnce() async throws {
        let server = try await RedisServer()
        try await ReplicaRig.run(server, timing: ReplicaTiming()) { rig in
            try await rig.loaded()
            let start = ContinuousClock.now
            try rig.revoke("ann", at: 1_700_000_000)
            try await rig.user("ann", is: .since(1_700_000_000))
            // A read of the stream waits 5 s: it was not waited for.
            #expect(ContinuousClock.now - start < .seconds(3))
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

    @Test func theTableStaysFreshWhileNothingHappens() async throws {
        let server = try await RedisServer()
        try await ReplicaRig.run(server) { rig in
            try await rig.loaded()
            for _ in 0..<5 { try await rig.confirmed() }
            #expect(rig.replica.status.gaps == 0)
            #expect(rig.replica.status.rereads == ["first": 1])
        }
    }

    @Test func aStreamThatWasTrimmedBeforeItWasReadIsNoticed() async throws {
        let server = try await RedisServer()
        try await ReplicaRig.run(server) { rig in
            try await rig.loaded()
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

    @Test func aTrimOfWhatWasReadIsNoGap() async throws {
        let server = try await RedisServer()
        try await ReplicaRig.run(server) { rig in
            try await rig.loaded()
            try rig.revoke("ann", at: 7)
            try await rig.user("ann", is: .since(7))
            try server.cli("XTRIM", "gatehouse:changes", "MAXLEN", "0")
            try await rig.confirmed()
            try await rig.confirmed()
            #expect(rig.replica.status.gaps == 0)
        }
    }

    @Test(arguments: [["DEL", "gatehouse:changes"], ["FLUSHALL"]])
    func aStreamThatIsGoneIsNoticed(_ command: [String]) async throws {
        let server = try await RedisServer()
        try await ReplicaRig.run(server) { rig in
            try await rig.loaded()
            try rig.revoke("ann", at: 7)
            try await rig.user("ann", is: .since(7))
            try server.cli(command)
            try await rig.status("a gap") { $0.gaps == 1 && !$0.isCatchingUp }
            // No entry says that the revocation is over.
            try await rig.user("ann", is: .since(7))
            try rig.revoke("bob", at: 8)
            try await rig.user("bob", is: .since(8))
            try await rig.confirmed()
            #expect(rig.replica.status.gaps == 1)
        }
    }

    @Test func whatRedisLostIsKeptAndTold() async throws {
        let server = try await RedisServer()
        try await ReplicaRig.run(server) { rig in
            try await rig.loaded()
            try rig.revoke("ann", at: 7)
            try await rig.user("ann", is: .since(7))
            try await server.restart()
            try await rig.status("the loss") { $0.loss.users == 1 && $0.loss.wentBack }
            #expect(try rig.view.user("ann") == .since(7))
            #expect(rig.replica.status.rereads["other-server"] == 1)
            try await rig.confirmed()
        }
    }

    @Test func whatRedisKeptIsNeverForgotten() async throws {
        let server = try await RedisServer(["appendonly yes", "appendfsync always"])
        try await ReplicaRig.run(server) { rig in
            try await rig.loaded()
            try rig.revoke("ann", at: 7)
            try await rig.user("ann", is: .since(7))
            server.kill()
            try await rig.status("the connection to be lost") { !$0.isConnected }
            #expect(try rig.view.user("ann") == .since(7))
            try await server.start()
            try rig.revoke("bob", at: 8)
            try await rig.user("bob", is: .since(8))
            #expect(try rig.view.user("ann") == .since(7))
            try await rig.confirmed()
        }
    }

    @Test func whileTheServerIsFrozenTheAgeGrows() async throws {
        let server = try await RedisServer()
        try await ReplicaRig.run(server) { rig in
            try await rig.loaded()
            server.freeze()
            try await eventually("the age to grow") { (rig.age ?? 0) > 1_500_000_000 ? true : nil }
            server.thaw()
            try await rig.confirmed()
            try rig.revoke("ann", at: 7)
            try await rig.user("ann", is: .since(7))
        }
    }

    @Test func everythingIsReadAgainNowAndThen() async throws {
        var timing = ReplicaRig.timing
        timing.reread = .milliseconds(300)
        let server = try await RedisServer()
        try await ReplicaRig.run(server, timing: timing) { rig in
            try await rig.loaded()
            // Nobody tells of it.
            try server.cli("HSET", "gatehouse:user:{ann}", "valid_since", "7")
            try await rig.user("ann", is: .since(7))
            try server.cli("HSET", "gatehouse:user:{ann}", "valid_since", "8")
            try await rig.user("ann", is: .since(8))
            #expect(rig.replica.status.gaps == 0)
            #expect(rig.replica.status.rereads["due"] ?? 0 >= 2)
        }
    }

    @Test func aStoppedReplicaLeavesAStaleViewAndNoError() async throws {
        let server = try await RedisServer()
        try await ReplicaRig.run(server) { rig in
            try await rig.loaded()
            await rig.replica.stop()
            #expect(rig.age == nil)
            #expect(rig.replica.status.lastFault == nil)
        }
    }
}
