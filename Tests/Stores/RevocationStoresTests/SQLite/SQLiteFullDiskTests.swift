import GRDB
import GatewayCore
import Revocation
import Testing

@testable import RevocationStores
@testable import StoreFixtures

/// A full disk fails the write, and a failed write is not visible.
@Suite struct SQLiteFullDiskTests {
    /// A store that is filled up to its limit, and the uid that exceeded it.
    func fullStore() async throws -> (SQLiteStore, String) {
        let store = try SQLiteStore(path: nil, maximumSize: 64 << 10, logger: .silent)
        try await store.load()
        for index in 0..<10_000 {
            let uid = "\(index)-" + String(repeating: "u", count: 100)
            do { try await store.revoke(uid, at: 1) } catch {
                #expect(error.code == .full)
                return (store, uid)
            }
        }
        Issue.record("the store did not become full")
        return (store, "")
    }

    @Test func `a write without space fails alone until there is space`() async throws {
        let (store, uid) = try await fullStore()
        #expect(try store.view.user(uid) == .none)
        #expect(try await store.user(uid) == UserRecord())
        let first = "0-" + String(repeating: "u", count: 100)
        #expect(try store.view.user(first) == .record(validSince: 1, disabled: false))
        #expect(try await store.user(first).validSince == 1)
        #expect(store.view.age(monotonicNow: 1) == 0)
        _ = try await store.writer.read { db in try db.execute(sql: "PRAGMA max_page_count = 1000000") }
        try await store.revoke(uid, at: 1)
        #expect(try store.view.user(uid) == .record(validSince: 1, disabled: false))
    }

    @Test func `writes that share a transaction fail together`() async throws {
        let (store, _) = try await fullStore()
        let before = store.view.usage.users
        let failures = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<100 {
                group.addTask {
                    let uid = "\(index)+" + String(repeating: "u", count: 120)
                    do throws(StoreError) { try await store.revoke(uid, at: 1) } catch { return error.code == .full }
                    return false
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failures > 0)
        #expect(store.view.usage.users == before + 100 - failures)
        let rows = try await store.writer.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM user") }
        #expect(rows == store.view.usage.users)
    }

    @Test func `a write to a read-only database fails and is not visible`() async throws {
        let store = try SQLiteStore(path: nil, logger: .silent)
        try await store.load()
        _ = try await store.writer.read { db in try db.execute(sql: "PRAGMA query_only = ON") }
        await expectStoreError(.readOnly) { try await store.revoke("ann", at: 1) }
        #expect(try store.view.user("ann") == .none)
    }
}
