import Foundation
import GRDB
import GatewayCore
import Revocation
import Testing

@testable import RevocationStores
@testable import StoreFixtures

/// A moved file and a full disk accept no writes.
@Suite struct SQLiteMovedFileTests {
    private let path: String
    private let away: String
    private let file: SQLiteFile

    init() throws {
        file = try SQLiteFile()
        (path, away) = (file.path, file.folder.path("away"))
    }

    private func loadedStore() async throws -> SQLiteStore {
        let store = try file.open()
        try await store.load()
        return store
    }

    private func move(_ from: String, _ to: String) throws {
        try FileManager.default.moveItem(atPath: from, toPath: to)
    }

    @Test(arguments: ["", "-wal"])
    func `a write to a file that was renamed is rejected until the file is back`(_ suffix: String) async throws {
        let store = try await loadedStore()
        try await store.revoke("ann", at: 1)
        try move(path + suffix, away)
        await expectStoreError(.moved) { try await store.revoke("bob", at: 1) }
        #expect(!store.isWritable)
        #expect(store.trouble?.contains("moved") == true)
        await store.inspect()
        // Acknowledged records stay in the view, which is no longer fresh.
        #expect(try store.view.user("ann") == .record(validSince: 1, disabled: false))
        #expect(try #require(store.view.age(monotonicNow: .max)) > 0)
        try move(away, path + suffix)
        try await store.revoke("bob", at: 1)
        await store.inspect()
        #expect(store.isWritable)
        #expect(store.view.age(monotonicNow: .max) == 0)
        try await store.close()
        #expect(try await loadedStore().user("bob").validSince == 1)
    }

    @Test func `a replaced file is detected without a write`() async throws {
        let store = try await loadedStore()
        try move(path, away)
        try Data().write(to: URL(fileURLWithPath: path))
        await store.inspect()
        #expect(!store.isWritable)
        await expectStoreError(.moved) { try await store.setDisabled("ann", true) }
    }

    @Test func `a deleted file is detected without a write`() async throws {
        let store = try await loadedStore()
        try FileManager.default.removeItem(atPath: path)
        await store.inspect()
        #expect(store.trouble != nil)
    }

    @Test func `a full disk is reported, and the store recovers automatically`() async throws {
        let store = try SQLiteStore(path: path, maximumSize: 64 << 10, logger: .silent)
        try await store.load()
        for index in 0..<10_000 where store.isWritable {
            _ = try? await store.revoke("\(index)-" + String(repeating: "u", count: 100), at: 1)
        }
        #expect(store.trouble?.contains("no space for the store's file") == true)
        await store.inspect()
        #expect(!store.isWritable)
        // The acknowledged records are still fresh.
        #expect(store.view.age(monotonicNow: .max) == 0)
        _ = try await store.writer.read { db in try db.execute(sql: "PRAGMA max_page_count = 1000000") }
        await store.inspect()
        #expect(store.isWritable)
        #expect(store.trouble == nil)
    }
}
