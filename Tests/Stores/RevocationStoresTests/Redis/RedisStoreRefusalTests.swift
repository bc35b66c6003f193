import GatewayConfiguration
import GatewayCore
import Revocation
import Synchronization
import Testing

@testable import RedisFixtures
@testable import RevocationStores
@testable import StoreFixtures
@testable import SystemFixtures

/// What callers are told when Redis refuses, is away or does not answer.
@Suite struct RedisStoreRefusalTests {
    @Test func aServerWithoutMemoryIsFullAndNothingIsWritten() async throws {
        let database = try await RedisDatabase.onOwnServer()
        let store = try await database.loadedStore()
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

    @Test func aServerThatBecameAReplicaIsNotAsked() async throws {
        let database = try await RedisDatabase.onOwnServer()
        let store = try await database.loadedStore()
        try await store.revoke("ann", at: 5)
        // A master that is not there: what the replica has may be old, for as long as it is so.
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

    @Test func aMasterWithoutTheReplicasThatItNeedsIsRetried() async throws {
        let database = try await RedisDatabase.onOwnServer()
        let store = try await database.loadedStore()
        try database.cli("CONFIG", "SET", "min-replicas-to-write", "1")
        let error = await expectStoreError(.io) { try await store.revoke("ann", at: 9) }
        #expect(error?.message.contains("NOREPLICAS") == true)
        #expect(try await store.user("ann") == UserRecord())
    }

    @Test func aUserWithoutRightsIsToldSo() async throws {
        let database = try await RedisDatabase.fresh()
        let name = "reader-\(database.number)"
        try database.cli("ACL", "SETUSER", name, "on", ">pw", "~*", "+@all", "-eval", "-getdel")
        let store = try await database.loadedStore(as: .init(username: name, password: Secret("pw")))
        let error = await expectStoreError(.cannotOpen) { try await store.revoke("ann", at: 9) }
        #expect(error?.message.contains("NOPERM") == true)
        #expect(try await store.user("ann") == UserRecord())
    }

    @Test func aWrongPasswordIsToldWhenTheStoreIsLoaded() async throws {
        let database = try await RedisDatabase.onOwnServer(["requirepass right"])
        let store = try database.store(as: .init(password: Secret("wrong")))
        let error = await expectStoreError(.io) { try await store.revoke("ann", at: 1) }
        #expect(error?.message.contains("nothing was written") == true)
        try await store.close()
    }

    @Test func aServerThatIsGoneIsRetried() async throws {
        let database = try await RedisDatabase.onOwnServer(["appendonly yes", "appendfsync always"])
        let store = try await database.loadedStore()
        try await store.revoke("ann", at: 5)
        database.server.kill()
        await expectStoreError(.io) { _ = try await store.user("ann") }
        try await database.server.start()
        let record = try await eventually("a connection") { try? await store.user("ann") }
        #expect(record == UserRecord(validSince: 5))
    }

    @Test func aFrozenServerIsNotWaitedForLongerThanTheBound() async throws {
        let database = try await RedisDatabase.onOwnServer()
        let store = try await database.loadedStore()
        database.server.freeze()
        defer { database.server.thaw() }
        let start = ContinuousClock.now
        await expectStoreError(.io) { try await store.revoke("ann", at: 5) }
        let time = ContinuousClock.now - start
        #expect(time < .seconds(4))
    }

    @Test func closingDoesNotWaitForAFrozenServerLongerThanTheBound() async throws {
        let database = try await RedisDatabase.onOwnServer()
        let store = try await database.loadedStore()
        database.server.freeze()
        defer { database.server.thaw() }
        async let refusal = expectStoreError(.io) { try await store.revoke("ann", at: 5) }
        try await eventually("the write to begin") { store.commands.running == 1 ? true : nil }
        let time = try await ContinuousClock().measure { try await store.close() }
        _ = await refusal
        #expect(time < .seconds(4))
    }

    @Test func aReplyThatIsLostIsUnknownAndRepeatingIsSafe() async throws {
        let attempts = FirstOnly()
        let fake = try FakeRedis { command in
            switch command.name {
            case "EVAL": attempts.isFirst() ? .close() : .text("*2\r\n$1\r\n9\r\n$-1\r\n")
            case "XADD": .text("$3\r\n5-0\r\n")
            default: .text("+OK\r\n")
            }
        }
        let store = try Self.store(over: fake)
        try await Self.connected(store)
        let error = await expectStoreError(.io) { try await store.revoke("ann", at: 9) }
        #expect(error?.message.contains("repeating it is safe") == true)
        let record = try await eventually("a connection") { try? await store.revoke("ann", at: 9) }
        #expect(record == UserRecord(validSince: 9))
    }

    @Test func aHashWithoutItsEntryIsNoSuccess() async throws {
        let fake = try FakeRedis { command in
            switch command.name {
            case "EVAL": .text("*2\r\n$1\r\n9\r\n$-1\r\n")
            case "XADD": .close()
            default: .text("+OK\r\n")
            }
        }
        let store = try Self.store(over: fake)
        try await Self.connected(store)
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
    func eachRefusalHasItsCode(_ reply: String, _ code: StoreError.Code) async throws {
        let fake = try FakeRedis { command in
            switch command.name {
            case "EVAL": .text(reply)
            case "XADD": .text("$3\r\n0-0\r\n")
            default: .text("+OK\r\n")
            }
        }
        let store = try Self.store(over: fake)
        try await Self.connected(store)
        let error = await expectStoreError(code) { try await store.revoke("zoe-7", at: 9) }
        #expect(error?.message.contains("zoe-7") == false)
    }

    private static func store(over fake: FakeRedis) throws -> RedisStore {
        try RedisStore(
            RedisLocation(servers: .server(.init(host: "127.0.0.1", port: fake.port))),
            loop: RedisDatabase.loop, clock: .system, logger: .silent)
    }

    private static func connected(_ store: RedisStore) async throws {
        #expect(await store.commands.isConnected(within: .seconds(10)))
    }
}

/// True for the first who asks.
private final class FirstOnly: Sendable {
    private let wasAsked = Mutex(false)

    func isFirst() -> Bool {
        wasAsked.withLock { wasAsked in
            defer { wasAsked = true }
            return !wasAsked
        }
    }
}
