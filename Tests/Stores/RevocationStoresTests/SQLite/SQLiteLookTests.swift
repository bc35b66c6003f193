import Foundation
import GatewayCore
import Revocation
import RevocationStores
import Testing

@testable import StoreFixtures

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
        #expect(try SQLiteLook.records(path: path, of: "ann", session: "1") == nil)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func aRunningGatewaysFileIsInUse() throws {
        let store = try open()
        let error = #expect(throws: StoreError.self) {
            try SQLiteLook.records(path: path, of: "ann", session: "1")
        }
        #expect(error?.code == .inUse)
        #expect(store.state == .opened)
    }

    @Test func recordsAreSeenAsTheViewWouldKeepThem() async throws {
        let store = try open()
        try await store.revoke("ann", at: 5)
        try await store.revokeSession("ann", "1")
        try await store.close()
        let records = try SQLiteLook.records(path: path, of: "ann", session: "1")
        #expect(records?.user.user == .record(validSince: 5, disabled: false))
        #expect(records?.session.session == .record(revoked: true, signedInAt: nil))
    }

    @Test func withoutASessionNoneIsLookedFor() async throws {
        let store = try open()
        try await store.revoke("ann", at: 5)
        try await store.revokeSession("ann", "none")
        try await store.close()
        let records = try SQLiteLook.records(path: path, of: "ann", session: nil)
        #expect(records?.user.user == .record(validSince: 5, disabled: false))
        #expect(records?.session == RecordWord.none)
    }

    @Test func aLookAtWhatAKilledGatewayLeftDoesNotKeepTheNextOut() async throws {
        let store = try open()
        try await store.revoke("ann", at: 5)
        let copy = folder.path("copy.db")
        for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix) }

        let records = try SQLiteLook.records(path: copy, of: "ann", session: "1")
        #expect(records?.user.user == .record(validSince: 5, disabled: false))
        #expect(try await open(copy).user("ann").validSince == 5)
    }

    @Test func settingsAreSeenWhereTheyWereMade() async throws {
        #expect(try SQLiteLook.settings(path: path, ["issuer"]) == nil)
        let store = try open()
        _ = try await store.setting("issuer", initial: Array("https://a.example".utf8))
        #expect(throws: StoreError.self) { try SQLiteLook.settings(path: path, ["issuer"]) }
        try await store.close()
        let settings = try SQLiteLook.settings(path: path, ["issuer", "session_key"])
        #expect(settings == ["issuer": Array("https://a.example".utf8)])
    }

    @Test func theOwnerOfAnIdentityIsSeenWithTheAccount() async throws {
        let link = IdentityLink(provider: "google.com", subject: "g-1")
        #expect(try SQLiteLook.owner(path: path, of: link) == nil)
        let store = try open()
        let account = AccountRecord(uid: "ann", email: "a@b.example", created: 5, links: ["google.com": "g-1"])
        _ = try await store.createAccount(account, claimsEmail: true)
        _ = try await store.claim(IdentityLink(provider: "apple.com", subject: "a-1"), for: "firebase-user")
        try await store.close()
        #expect(try SQLiteLook.owner(path: path, of: link) == account)
        #expect(
            try SQLiteLook.owner(path: path, of: IdentityLink(provider: "apple.com", subject: "a-1"))?.uid
                == "firebase-user")
        #expect(try SQLiteLook.owner(path: path, of: IdentityLink(provider: "apple.com", subject: "g-1")) == nil)
    }
}
