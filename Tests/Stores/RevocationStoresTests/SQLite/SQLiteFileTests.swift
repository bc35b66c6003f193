import Foundation
import GatewayCore
import Revocation
import Testing

@testable import RevocationStores
@testable import StoreFixtures
@testable import SystemFixtures

/// The files that a store opens, and the errors for other files.
@Suite struct SQLiteFileTests {
    private let file: SQLiteFile
    private let path: String

    init() throws {
        file = try SQLiteFile()
        path = file.path
    }

    private func expectRefusal(
        _ code: StoreError.Code, _ hint: String, sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation) { try file.open() }
        #expect(error?.code == code, sourceLocation: sourceLocation)
        #expect(error?.message.contains(hint) == true, "\(error.debugDescription)", sourceLocation: sourceLocation)
        #expect(error?.message.contains(path) == true, sourceLocation: sourceLocation)
    }

    @Test func `a second store on the same file is rejected`() async throws {
        let first = try file.open()
        expectRefusal(.inUse, "stop it")
        // The failed attempt does not remove the lock.
        expectRefusal(.inUse, "stop it")
        try await first.revoke("ann", at: 1)
        try await first.close()
        let second = try file.open()
        #expect(try await second.user("ann").validSince == 1)
    }

    @Test func `a second store through a link is rejected`() throws {
        let first = try file.open()
        let link = file.folder.path("link.db")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        let error = #expect(throws: StoreError.self) { try file.open(link) }
        #expect(error?.code == .inUse)
        #expect(first.state == .opened)
    }

    @Test func `another process cannot write`() async throws {
        let store = try file.open()
        try await store.load()
        let shell = try SpawnedProcess("/usr/bin/env", ["sqlite3", path, "DELETE FROM user"])
        #expect(shell.wait() != 0)
    }

    @Test func `the file is for its owner only`() throws {
        let store = try file.open()
        for name in [path, path + "-wal"] {
            let mode = try FileManager.default.attributesOfItem(atPath: name)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
        #expect(store.state == .opened)
    }

    @Test func `a file in a missing folder is rejected`() throws {
        #expect(throws: StoreError.self) { try file.open(file.folder.path("no/such.db")) }
    }

    @Test func `a file that is not a database is rejected and not changed`() throws {
        try Data(repeating: 0x61, count: 5000).write(to: URL(fileURLWithPath: path))
        expectRefusal(.incompatible, "not a SQLite database; configure another file")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(repeating: 0x61, count: 5000))
    }

    @Test func `the database of another program is rejected`() async throws {
        try await file.execute("CREATE TABLE theirs (a)")
        expectRefusal(.incompatible, "another program")
    }

    @Test func `a newer version is rejected`() async throws {
        try await file.open().close()
        try await file.execute("PRAGMA user_version = 1000")
        expectRefusal(.incompatible, "newer")
    }

    @Test(.enabled(if: geteuid() != 0, "root may write to any file"))
    func `a read-only file is rejected`() async throws {
        try await file.open().close()
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path)
        expectRefusal(.readOnly, "writable")
    }
}
