import Foundation
import Testing

@testable import Gatehouse

/// A look into a store's file from outside.
@Suite struct SQLiteLookTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("gatehouse.db")
    }

    func open(_ path: String? = nil) throws -> SQLiteStore {
        try SQLiteStore(path: path ?? self.path, logger: .silent)
    }

    @Test func aFileThatIsNotThereIsNotMade() throws {
        #expect(try SQLiteLook.records(path: path, uid: "ann", session: "1") == nil)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func aRunningGatewaysFileIsInUse() throws {
        let store = try open()
        let error = #expect(throws: StoreError.self) {
            try SQLiteLook.records(path: path, uid: "ann", session: "1")
        }
        #expect(error?.code == .inUse)
        #expect(store.state == .opened)
    }

    @Test func recordsAreSeenAsTheViewWouldKeepThem() async throws {
        let store = try open()
        try await store.revoke("ann", at: 5)
        try await store.revokeSession("ann", "1")
        try await store.close()
        let records = try SQLiteLook.records(path: path, uid: "ann", session: "1")
        #expect(records?.user.user == .record(validSince: 5, disabled: false))
        #expect(records?.session.session == .record(revoked: true, signedInAt: nil))
    }

    @Test func withoutASessionNoneIsLookedFor() async throws {
        let store = try open()
        try await store.revoke("ann", at: 5)
        try await store.revokeSession("ann", "none")
        try await store.close()
        let records = try SQLiteLook.records(path: path, uid: "ann", session: nil)
        #expect(records?.user.user == .record(validSince: 5, disabled: false))
        #expect(records?.session == RecordWord.none)
    }

    @Test func aLookAtWhatAKilledGatewayLeftDoesNotKeepTheNextOut() async throws {
        let store = try open()
        try await store.revoke("ann", at: 5)
        let copy = folder.path("copy.db")
        for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix) }

        let records = try SQLiteLook.records(path: copy, uid: "ann", session: "1")
        #expect(records?.user.user == .record(validSince: 5, disabled: false))
        #expect(try await open(copy).user("ann").validSince == 5)
    }
}
