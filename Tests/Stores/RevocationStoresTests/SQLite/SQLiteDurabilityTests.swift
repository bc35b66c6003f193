import GRDB
import GatewayCore
import Revocation
import Testing

@testable import RevocationStores
@testable import StoreFixtures

/// Acknowledged writes are on the disk.
@Suite struct SQLiteDurabilityTests {
    private let file: SQLiteFile

    init() throws {
        file = try SQLiteFile()
    }

    private func open(_ path: String? = nil, now: Int64 = 1000) throws -> SQLiteStore {
        try file.open(path, clock: .facts(at: now))
    }

    @Test func `records survive closing`() async throws {
        let first = try open()
        try await first.load()
        try await first.revoke("ann", at: 100)
        try await first.setDisabled("bob", true)
        try await first.recordSignIn("ann", "1", at: 200, expires: 5000)
        try await first.revokeSession("ann", "2")
        try await first.close()

        let second = try open()
        #expect(try await second.load() == LoadReport(users: 2, sessions: 2))
        #expect(try second.view.user("ann") == .record(validSince: 100, disabled: false))
        #expect(try second.view.user("bob") == .record(validSince: nil, disabled: true))
        #expect(try second.view.session("ann", "1") == .record(revoked: false, signedInAt: 200))
        #expect(try second.view.session("ann", "2") == .record(revoked: true, signedInAt: nil))
    }

    /// The copy has the state that a process leaves if it is killed at this moment.
    @Test func `a copy of the files has every acknowledged record`() async throws {
        let store = try open()
        try await store.load()
        for turn in 1...5 {
            try await store.revoke("ann", at: Int64(turn))
            let other = try open(try file.copy("copy\(turn).db"))
            try await other.load()
            #expect(try other.view.user("ann") == .record(validSince: UnixTime(clamping: Int64(turn)), disabled: false))
        }
    }

    @Test func `the file has a write-ahead log and is flushed fully`() async throws {
        let store = try open()
        let pragmas = try await store.writer.read { db in
            try ["journal_mode", "synchronous", "locking_mode"].map { name in
                try String.fetchOne(db, sql: "PRAGMA \(name)")
            }
        }
        #expect(pragmas == ["wal", "2", "exclusive"])
    }

    @Test(arguments: [false, true])
    func `sessions that expired meanwhile are not loaded, even if they cannot be removed`(isReadOnly: Bool) async throws
    {
        let first = try open(now: 1000)
        try await first.recordSignIn("ann", "1", at: 900, expires: 2000)
        try await first.recordSignIn("ann", "2", at: 900, expires: 2001)
        try await first.close()

        let second = try open(now: 2000)
        if isReadOnly { _ = try await second.writer.read { db in try db.execute(sql: "PRAGMA query_only = ON") } }
        #expect(try await second.load() == LoadReport(sessions: 1, expired: 1))
        #expect(try second.view.session("ann", "1") == .none)
    }

    @Test func `a write is stored or refused when the store closes`() async throws {
        let store = try open()
        try await store.load()
        let done = await withTaskGroup(of: String?.self) { group in
            for index in 0..<500 { group.addTask { await Self.revokeOrHearClosed("\(index)", store) } }
            group.addTask {
                _ = try? await store.close()
                return nil
            }
            return await group.reduce(into: Set<String>()) { if let uid = $1 { $0.insert(uid) } }
        }
        let again = try open()
        #expect(try await again.load() == LoadReport(users: done.count))
        for uid in done { #expect(try await again.user(uid).validSince == 1) }
    }

    @Test func `a write that is queued behind the close is rejected as closed`() async throws {
        let store = try open()
        try await store.load()
        try await store.writer.close()
        await expectStoreError(.closed) { try await store.revoke("ann", at: 100) }
        #expect(store.writer.fault == nil)
    }

    private static func revokeOrHearClosed(_ uid: String, _ store: SQLiteStore) async -> String? {
        do throws(StoreError) { try await store.revoke(uid, at: 1) } catch {
            #expect(error.code == .closed)
            return nil
        }
        return uid
    }

    @Test func `the view is infinitely old before the first load, which keeps earlier writes`() async throws {
        let store = try open()
        #expect(store.state == .opened)
        #expect(store.view.age(monotonicNow: 1) == nil)
        try await store.revoke("ann", at: 100)
        #expect(try await store.load() == LoadReport(users: 1))
        #expect(store.view.age(monotonicNow: 1) == 0)
        #expect(try store.view.user("ann") == .record(validSince: 100, disabled: false))
    }

    @Test func `a user without a record has no row`() async throws {
        let store = try open()
        try await store.revoke("ann", at: 100)
        try await store.unrevoke("ann")
        #expect(try await store.load() == LoadReport())
    }

    @Test func `every change has an entry`() async throws {
        let store = try open()
        try await store.revoke("ann", at: 100)
        try await store.revoke("ann", at: 50)
        try await store.setDisabled("ann", true)
        try await store.revokeSession("bob", "1")
        let changes = try await store.writer.read { db in
            try String.fetchAll(db, sql: "SELECT uid || ' ' || what FROM changes ORDER BY id")
        }
        #expect(changes == ["ann valid_since", "ann disabled", "bob session"])
    }

    @Test func `only the last million changes are kept`() async throws {
        let store = try open()
        try await store.revoke("ann", at: 1)
        _ = try await store.writer.read { db in
            try db.execute(sql: "INSERT INTO changes (id, uid, what) VALUES (1000000, 'bob', 'disabled')")
        }
        try await store.revoke("ann", at: 2)
        let ids = try await store.writer.read { db in try Int64.fetchAll(db, sql: "SELECT id FROM changes") }
        #expect(ids == [1_000_000, 1_000_001])
    }
}
