import Foundation
import GRDB
import GatewayCore
import Revocation
import Testing

@testable import RevocationStores
@testable import StoreFixtures

/// What was acknowledged is on the disk.
@Suite struct SQLiteDurabilityTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("gatehouse.db")
    }

    func open(_ path: String? = nil, now: Int64 = 1000) throws -> SQLiteStore {
        try SQLiteStore(path: path ?? self.path, clock: .standing(at: now), logger: .silent)
    }

    @Test func recordsSurviveClosing() async throws {
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

    /// What a process that dies at this moment would leave, with all that was handed to the operating system.
    @Test func aCopyOfTheFilesAtTheAcknowledgementHasTheRecord() async throws {
        let store = try open()
        try await store.load()
        for turn in 1...5 {
            try await store.revoke("ann", at: Int64(turn))
            let copy = folder.path("copy\(turn).db")
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            try FileManager.default.copyItem(atPath: path + "-wal", toPath: copy + "-wal")
            let other = try open(copy)
            try await other.load()
            #expect(try other.view.user("ann") == .record(validSince: UnixTime(clamping: Int64(turn)), disabled: false))
        }
    }

    @Test func theFileIsWrittenAheadAndFlushedFully() async throws {
        let store = try open()
        let pragmas = try await store.writer.read { db in
            try ["journal_mode", "synchronous", "locking_mode"].map { name in
                try String.fetchOne(db, sql: "PRAGMA \(name)")
            }
        }
        #expect(pragmas == ["wal", "2", "exclusive"])
    }

    @Test func sessionsThatExpiredMeanwhileAreRemovedOnLoad() async throws {
        let first = try open(now: 1000)
        try await first.load()
        try await first.recordSignIn("ann", "1", at: 900, expires: 2000)
        try await first.close()

        let second = try open(now: 2000)
        #expect(try await second.load() == LoadReport(expired: 1))
        #expect(try second.view.session("ann", "1") == .none)
    }

    @Test func expiredSessionsThatCannotBeRemovedAreNotLoaded() async throws {
        let first = try open(now: 1000)
        try await first.recordSignIn("ann", "1", at: 900, expires: 2000)
        try await first.recordSignIn("ann", "2", at: 900, expires: 2001)
        try await first.close()

        let second = try open(now: 2000)
        _ = try await second.writer.read { db in try db.execute(sql: "PRAGMA query_only = ON") }
        #expect(try await second.load() == LoadReport(sessions: 1, expired: 1))
        #expect(try second.view.session("ann", "1") == .none)
    }

    @Test func aWriteIsDoneOrRefusedWhenTheStoreCloses() async throws {
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

    private static func revokeOrHearClosed(_ uid: String, _ store: SQLiteStore) async -> String? {
        do throws(StoreError) { try await store.revoke(uid, at: 1) } catch {
            #expect(error.code == .closed)
            return nil
        }
        return uid
    }

    @Test func theViewIsInfinitelyOldBeforeTheFirstLoad() async throws {
        let store = try open()
        #expect(store.state == .opened)
        #expect(store.view.age(monotonicNow: 1) == nil)
        try await store.load()
        #expect(store.view.age(monotonicNow: 1) == 0)
    }

    @Test func aWriteBeforeTheLoadIsKept() async throws {
        let store = try open()
        try await store.revoke("ann", at: 100)
        #expect(try await store.load() == LoadReport(users: 1))
        #expect(try store.view.user("ann") == .record(validSince: 100, disabled: false))
    }

    @Test func aUserOfWhomNothingIsKnownTakesNoRow() async throws {
        let store = try open()
        try await store.revoke("ann", at: 100)
        try await store.unrevoke("ann")
        #expect(try await store.load() == LoadReport())
    }

    @Test func everyChangeIsNoted() async throws {
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

    @Test func onlyTheLastMillionChangesAreKept() async throws {
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
