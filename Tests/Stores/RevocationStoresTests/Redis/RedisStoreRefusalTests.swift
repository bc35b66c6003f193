import GatewayConfiguration
import GatewayCore
import JOSE
import Revocation
import Synchronization
import Testing

@testable import RedisFixtures
@testable import RevocationStores
@testable import StoreFixtures
@testable import SystemFixtures

/// The errors if Redis rejects a command, is unreachable or does not respond.
@Suite(.closingStores, .timeLimit(.minutes(5))) struct RedisStoreRefusalTests {
    @Test func `a server without memory is full and nothing is written`() async throws {
        let (database, store) = try await RedisDatabase.storeOnOwnServer()
        try await store.revoke("ann", at: 5)
        try database.cli("CONFIG", "SET", "maxmemory", "1")
        await expectStoreError(.full) { try await store.revoke("ann", at: 9) }
        await expectStoreError(.full) { try await store.unrevoke("ann") }
        await expectStoreError(.full) { try await store.setDisabled("ann", true) }
        await expectStoreError(.full) { try await store.revokeSession("ann", "1") }
        #expect(try await store.user("ann") == UserRecord(validSince: 5))
        try database.cli("CONFIG", "SET", "maxmemory", "0")
        #expect(try await store.revoke("ann", at: 9) == UserRecord(validSince: 9))
        #expect(try database.changes() == ["uid ann valid_since 5", "uid ann valid_since 9"])
    }

    @Test func `a server that became a replica is not used`() async throws {
        let (database, store) = try await RedisDatabase.storeOnOwnServer()
        try await store.revoke("ann", at: 5)
        // The master does not exist, so the data of the replica can be old.
        try database.cli("REPLICAOF", "127.0.0.1", "1")
        let refusal = try await eventually("a refusal") {
            do throws(StoreError) { _ = try await store.user("ann") } catch { return error }
            return nil as StoreError?
        }
        #expect(refusal.code == .io && refusal.message.contains("not the master"))
        await expectStoreError(.io) { try await store.revoke("ann", at: 9) }
        try database.cli("REPLICAOF", "NO", "ONE")
        let record = try await eventually("a connection") { try? await store.revoke("ann", at: 9) }
        #expect(record == UserRecord(validSince: 9))
    }

    @Test func `a master without its required replicas is an error that may be retried`() async throws {
        let (database, store) = try await RedisDatabase.storeOnOwnServer()
        try database.cli("CONFIG", "SET", "min-replicas-to-write", "1")
        let error = await expectStoreError(.io) { try await store.revoke("ann", at: 9) }
        #expect(error?.message.contains("NOREPLICAS") == true)
        #expect(try await store.user("ann") == UserRecord())
    }

    @Test func `a user without rights gets an error`() async throws {
        let database = try await RedisDatabase.fresh()
        let name = "reader-\(database.number)"
        try database.cli("ACL", "SETUSER", name, "on", ">pw", "~*", "+@all", "-eval", "-getdel")
        let store = try await database.loadedStore(as: .init(username: name, password: Secret("pw")))
        let error = await expectStoreError(.cannotOpen) { try await store.revoke("ann", at: 9) }
        #expect(error?.message.contains("NOPERM") == true)
        #expect(try await store.user("ann") == UserRecord())
    }

    @Test func `a wrong password is an error`() async throws {
        let database = try await RedisDatabase.onOwnServer(["requirepass right"])
        let store = try database.store(as: .init(password: Secret("wrong")))
        let error = await expectStoreError(.io) { try await store.revoke("ann", at: 1) }
        #expect(error?.message.contains("nothing was written") == true)
        try await store.close()
    }

    @Test func `a stopped server is connected to again`() async throws {
        let (database, store) = try await RedisDatabase.storeOnOwnServer(["appendonly yes", "appendfsync always"])
        try await store.revoke("ann", at: 5)
        database.server.kill()
        await expectStoreError(.io) { _ = try await store.user("ann") }
        try await database.server.start()
        let record = try await eventually("a connection") { try? await store.user("ann") }
        #expect(record == UserRecord(validSince: 5))
    }

    @Test func `the wait for a frozen server is bounded`() async throws {
        let (database, store) = try await RedisDatabase.storeOnOwnServer(timeouts: Self.shortReply)
        database.server.freeze()
        defer { database.server.thaw() }
        await expectStoreError(.io) { try await store.revoke("ann", at: 5) }
    }

    @Test func `closing waits for a frozen server within the bound`() async throws {
        let (database, store) = try await RedisDatabase.storeOnOwnServer(timeouts: Self.shortReply)
        database.server.freeze()
        defer { database.server.thaw() }
        let isRefused = Atomic(false)
        async let refusal: Void = {
            await expectStoreError(.io) { try await store.revoke("ann", at: 5) }
            isRefused.store(true, ordering: .relaxed)
        }()
        // On a busy machine, the timeout can be first.
        try await eventually("the write to begin") {
            store.commands.running == 1 || isRefused.load(ordering: .relaxed) ? true : nil
        }
        try await store.close()
        await refusal
        #expect(store.commands.running == 0)
    }

    /// A server that does not reply in this time is frozen. The time limit of the suite fails a wait without a bound.
    private static let shortReply: RedisLocation.Timeouts = {
        var timeouts = RedisLocation.Timeouts.patient
        timeouts.reply = .milliseconds(500)
        return timeouts
    }()

    @Test func `after a lost reply the write may be repeated`() async throws {
        let attempts = Atomic<Int>(0)
        let (fake, store) = try await store {
            attempts.add(1, ordering: .relaxed).oldValue == 0 ? .close() : .text("*2\r\n$1\r\n9\r\n$-1\r\n")
        }
        defer { fake.stop() }
        let error = await expectStoreError(.io) { try await store.revoke("ann", at: 9) }
        #expect(
            error?.message.contains("the outcome of the write is unknown, and the operation can be repeated") == true)
        let record = try await eventually("a connection") { try? await store.revoke("ann", at: 9) }
        #expect(record == UserRecord(validSince: 9))
    }

    @Test func `a hash without its entry is not a success`() async throws {
        let (fake, store) = try await store(entry: .close()) { .text("*2\r\n$1\r\n9\r\n$-1\r\n") }
        defer { fake.stop() }
        await expectStoreError(.io) { try await store.revoke("ann", at: 9) }
    }

    @Test(arguments: [
        ("-OOM x\r\n", StoreError.Code.full), ("-READONLY x\r\n", .readOnly), ("-NOPERM x\r\n", .cannotOpen),
        ("-NOAUTH x\r\n", .cannotOpen), ("-MOVED 1 127.0.0.1:1\r\n", .incompatible), ("-LOADING x\r\n", .io),
        ("-MASTERDOWN x\r\n", .io), ("-NOREPLICAS x\r\n", .io), ("-MISCONF x\r\n", .io), ("-BUSY x\r\n", .io),
        ("-CROSSSLOT x\r\n", .incompatible), ("-ERR unknown command 'EVAL' with 'zoe-7'\r\n", .incompatible),
        ("-WRONGTYPE x\r\n", .faultyRecord), ("+OK\r\n", .incompatible), (":1\r\n", .incompatible),
        ("$-1\r\n", .incompatible), ("*1\r\n$1\r\n1\r\n", .incompatible), ("*2\r\n:1\r\n$1\r\n0\r\n", .faultyRecord),
    ])
    func `each refusal has its code`(_ reply: String, _ code: StoreError.Code) async throws {
        let (fake, store) = try await store(entry: .text("$3\r\n0-0\r\n")) { .text(reply) }
        defer { fake.stop() }
        let error = await expectStoreError(code) { try await store.revoke("zoe-7", at: 9) }
        #expect(error?.message.contains("zoe-7") == false)
    }

    @Test func `O-31: a flow that is not UTF-8 is a value, which its reader rejects`() async throws {
        let (fake, store) = try await store { .bytes(Array("$3\r\nA".utf8) + [0xFF, 0xC3] + Array("\r\n".utf8)) }
        defer { fake.stop() }
        #expect(try await store.takeFlow(.zero, of: .zero, now: 1) == "A\u{FFFD}\u{FFFD}")
    }

    /// A store that is connected to a server with these replies to writes of hashes and of entries.
    private func store(
        entry: FakeRedis.Answer = .text("$3\r\n5-0\r\n"), _ hash: @escaping @Sendable () -> FakeRedis.Answer
    ) async throws -> (FakeRedis, RedisStore) {
        let fake = try FakeRedis { command in
            switch command.name {
            case "EVAL": hash()
            case "XADD": entry
            default: .text("+OK\r\n")
            }
        }
        var location = RedisLocation(servers: .server(.init(host: "127.0.0.1", port: fake.port)))
        location.timeouts = .patient
        // The replica never follows this server.
        location.timeouts.visibility = .milliseconds(1)
        let store = try RedisStore(location, loop: RedisDatabase.loop, clock: .system, logger: .silent)
        #expect(await store.commands.isConnected(within: .hangLimit))
        return (fake, store)
    }
}
