import Foundation
import GatewayCore
import Revocation
import RevocationStores
import Testing

@testable import StoreFixtures

/// Reads of a store file by another process.
@Suite struct SQLiteLookTests {
    private let file: SQLiteFile
    private let path: String

    init() throws {
        file = try SQLiteFile()
        path = file.path
    }

    @Test func `a missing file is not created`() throws {
        #expect(try SQLiteLookup.records(path: path, of: "ann", session: "1") == nil)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `the file of a running gateway is in use`() throws {
        let store = try file.open()
        let error = #expect(throws: StoreError.self) {
            try SQLiteLookup.records(path: path, of: "ann", session: "1")
        }
        #expect(error?.code == .inUse)
        #expect(store.state == .opened)
    }

    @Test(arguments: ["1", nil])
    func `records are returned as in the view`(session: String?) async throws {
        let store = try file.open()
        try await store.revoke("ann", at: 5)
        for name in ["1", "none"] { try await store.revokeSession("ann", name) }
        try await store.close()
        let records = try SQLiteLookup.records(path: path, of: "ann", session: session)
        #expect(records?.user.user == .record(validSince: 5, disabled: false))
        let word = session == nil ? RecordWord.none : RecordWord(SessionRecord(revoked: true))
        #expect(records?.session == word)
    }

    @Test func `reading the file of a killed gateway does not lock it`() async throws {
        let store = try file.open()
        try await store.revoke("ann", at: 5)
        let copy = try file.copy("copy.db")
        let records = try SQLiteLookup.records(path: copy, of: "ann", session: "1")
        #expect(records?.user.user == .record(validSince: 5, disabled: false))
        #expect(try await file.open(copy).user("ann").validSince == 5)
    }

    @Test func `stored settings are returned`() async throws {
        #expect(try SQLiteLookup.settings(path: path, ["issuer"]) == nil)
        let store = try file.open()
        _ = try await store.setting("issuer", initial: Array("https://a.example".utf8))
        #expect(throws: StoreError.self) { try SQLiteLookup.settings(path: path, ["issuer"]) }
        try await store.close()
        let settings = try SQLiteLookup.settings(path: path, ["issuer", "session_key"])
        #expect(settings == ["issuer": Array("https://a.example".utf8)])
    }

    @Test func `the owner of an identity is returned with the account`() async throws {
        let link = IdentityLink.google("g-1")
        #expect(try SQLiteLookup.owner(path: path, of: link) == nil)
        let store = try file.open()
        let account = AccountRecord(uid: "ann", email: "a@b.example", created: 5, links: ["google.com": "g-1"])
        _ = try await store.createAccount(account, claimsEmail: true)
        _ = try await store.claim(.apple("a-1"), for: "firebase-user")
        try await store.close()
        #expect(try SQLiteLookup.owner(path: path, of: link) == account)
        #expect(
            try SQLiteLookup.owner(path: path, of: .apple("a-1"))?.uid
                == "firebase-user")
        #expect(try SQLiteLookup.owner(path: path, of: .apple("g-1")) == nil)
    }
}
