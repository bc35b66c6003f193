import GatewayCore
import Revocation
import RevocationStores
import Testing

@testable import RedisFixtures
@testable import StoreFixtures

/// A faulty record is an error only for its user, and can be repaired.
@Suite(.closingStores) struct RedisStoreFaultTests {
    static let times = [
        "soon", "-1", "1.5", "", "01", "1700000000000", "100000000001", "9223372036854775807", "1e3", " 1",
    ]
    static let flags = ["yes", "2", "-1", "", "true"]

    private func store(_ writes: [String]...) async throws -> (RedisDatabase, RedisStore) {
        let database = try await RedisDatabase.fresh()
        for write in writes { try database.server.cli(["-n", "\(database.number)"] + write) }
        return (database, try await database.loadedStore())
    }

    private func user(_ fields: String...) -> [String] { ["HSET", "gatehouse:user:{bad}"] + fields }
    private func session(_ fields: String...) -> [String] { ["HSET", "gatehouse:session:{ann}:bad"] + fields }

    @Test(arguments: times)
    func `an invalid time is faulty for its user only, until unrevoke removes it`(_ time: String) async throws {
        let (database, store) = try await store(
            user("valid_since", time), ["HSET", "gatehouse:user:{ok}", "valid_since", "7"])
        await expectStoreError(.faultyRecord) { _ = try await store.user("bad") }
        #expect(try await store.user("ok") == UserRecord(validSince: 7))
        #expect(try store.view.user("bad") == .faulty)
        #expect(try store.view.user("ok") == .record(validSince: 7, disabled: false))
        #expect(store.view.faultyRecords == 1)
        let error = await expectStoreError(.faultyRecord) { try await store.revoke("bad", at: 1) }
        #expect(error?.message.contains("unrevoke") == true)
        #expect(try database.cli("HGET", "gatehouse:user:{bad}", "valid_since") == time)
        #expect(try await store.unrevoke("bad") == UserRecord())
        #expect(try await store.revoke("bad", at: 1) == UserRecord(validSince: 1))
        #expect(try store.view.user("bad") == .record(validSince: 1, disabled: false))
    }

    @Test(arguments: flags) func `an invalid flag is replaced by disabling`(_ flag: String) async throws {
        let (_, store) = try await store(user("disabled", flag))
        await expectStoreError(.faultyRecord) { _ = try await store.user("bad") }
        #expect(try store.view.user("bad") == .faulty)
        #expect(try await store.setDisabled("bad", true) == UserRecord(disabled: true))
        #expect(try store.view.user("bad") == .record(validSince: nil, disabled: true))
    }

    @Test func `a revocation is stored although the flag is faulty`() async throws {
        let (_, store) = try await store(user("disabled", "x"))
        let error = await expectStoreError(.faultyRecord) { try await store.revoke("bad", at: 9) }
        #expect(error?.message.contains("disable or enable") == true)
        #expect(try await store.setDisabled("bad", false) == UserRecord(validSince: 9))
    }

    @Test func `a record with two faults is repaired in two steps`() async throws {
        let (_, store) = try await store(user("valid_since", "soon", "disabled", "2"))
        await expectStoreError(.faultyRecord) { try await store.setDisabled("bad", true) }
        #expect(try store.view.user("bad") == .faulty)
        #expect(try await store.unrevoke("bad") == UserRecord(disabled: true))
        #expect(try store.view.user("bad") == .record(validSince: nil, disabled: true))
    }

    @Test(arguments: [["SET", "x"], ["RPUSH", "1"], ["SADD", "1"]])
    func `only unrevoke removes a key that is not a hash`(_ write: [String]) async throws {
        let (database, store) = try await store([write[0], "gatehouse:user:{bad}", write[1]])
        await expectStoreError(.faultyRecord) { _ = try await store.user("bad") }
        await expectStoreError(.faultyRecord) { try await store.revoke("bad", at: 1) }
        let error = await expectStoreError(.faultyRecord) { try await store.setDisabled("bad", true) }
        await expectStoreError(.faultyRecord) { try await store.setDisabled("bad", false) }
        #expect(error?.message.contains("unrevoke") == true)
        #expect(try store.view.user("bad") == .faulty)
        #expect(try await store.unrevoke("bad") == UserRecord())
        #expect(try database.cli("EXISTS", "gatehouse:user:{bad}") == "0")
        #expect(try store.view.user("bad") == .none)
    }

    @Test(arguments: [["revoked", "2"], ["revoked", ""], ["signed_in_at", "1700000000000"], ["signed_in_at", "x"]])
    func `revoking a faulty session repairs it`(_ fields: [String]) async throws {
        let (_, store) = try await store(["HSET", "gatehouse:session:{ann}:bad"] + fields)
        await expectStoreError(.faultyRecord) { _ = try await store.session("ann", "bad") }
        let error = await expectStoreError(.faultyRecord) {
            try await store.recordSignIn("ann", "bad", at: 1, expires: 4_000_000_000)
        }
        #expect(error?.message.contains("revoke the session") == true)
        #expect(try store.view.session("ann", "bad") == .faulty)
        #expect(try await store.revokeSession("ann", "bad") == SessionRecord(revoked: true))
        #expect(try store.view.session("ann", "bad") == .record(revoked: true, signedInAt: nil))
        #expect(try store.view.user("ann") == .none)
    }

    @Test func `a sign-in does not change a faulty session`() async throws {
        let (database, store) = try await store(session("revoked", "2", "signed_in_at", "5"))
        await expectStoreError(.faultyRecord) {
            try await store.recordSignIn("ann", "bad", at: 9, expires: 4_000_000_000)
        }
        #expect(try database.cli("HGETALL", "gatehouse:session:{ann}:bad") == "revoked\n2\nsigned_in_at\n5")
        #expect(try database.cli("TTL", "gatehouse:session:{ann}:bad") == "-1")
    }

    @Test func `revoking a session replaces a key that is not a hash`() async throws {
        let (_, store) = try await store(["SET", "gatehouse:session:{ann}:bad", "x"])
        await expectStoreError(.faultyRecord) { _ = try await store.session("ann", "bad") }
        await expectStoreError(.faultyRecord) { try await store.recordSignIn("ann", "bad", at: 1, expires: nil) }
        #expect(try await store.revokeSession("ann", "bad") == SessionRecord(revoked: true))
        #expect(try await store.session("ann", "bad") == SessionRecord(revoked: true))
    }

    @Test func `no message names the user`() async throws {
        let (_, store) = try await store(
            ["HSET", "gatehouse:user:{zoe-7}", "valid_since", "x"],
            ["HSET", "gatehouse:session:{zoe-7}:5", "revoked", "x"])
        let first = await expectStoreError(.faultyRecord) { _ = try await store.user("zoe-7") }
        let second = await expectStoreError(.faultyRecord) { _ = try await store.session("zoe-7", "5") }
        for error in [first, second] { #expect(error?.message.contains("zoe-7") == false) }
    }
}
