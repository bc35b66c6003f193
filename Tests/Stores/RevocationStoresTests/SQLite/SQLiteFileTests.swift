import Foundation
import GRDB
import GatewayCore
import Revocation
import Testing

@testable import RevocationStores
@testable import StoreFixtures

/// Which files a store opens, and what it says of the others.
@Suite struct SQLiteFileTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("gatehouse.db")
    }

    func open() throws -> SQLiteStore {
        try SQLiteStore(path: path, logger: .silent)
    }

    func expectRefusal(
        _ code: StoreError.Code, _ hint: String, sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation) { try open() }
        #expect(error?.code == code, sourceLocation: sourceLocation)
        #expect(error?.message.contains(hint) == true, "\(error.debugDescription)", sourceLocation: sourceLocation)
        #expect(error?.message.contains(path) == true, sourceLocation: sourceLocation)
    }

    @Test func aSecondStoreOnTheSameFileIsRefused() async throws {
        let first = try open()
        expectRefusal(.inUse, "stop it")
        // Nor does the attempt take the lock away.
        expectRefusal(.inUse, "stop it")
        try await first.revoke("ann", at: 1)
        try await first.close()
        let second = try open()
        #expect(try await second.user("ann").validSince == 1)
    }

    @Test func aSecondStoreThroughALinkIsRefused() throws {
        let first = try open()
        try FileManager.default.createSymbolicLink(atPath: folder.path("link.db"), withDestinationPath: path)
        let error = #expect(throws: StoreError.self) {
            try SQLiteStore(path: folder.path("link.db"), logger: .silent)
        }
        #expect(error?.code == .inUse)
        #expect(first.state == .opened)
    }

    @Test func anotherProcessCannotWrite() async throws {
        let store = try open()
        try await store.load()
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        shell.arguments = ["sqlite3", path, "DELETE FROM user"]
        shell.standardError = FileHandle.nullDevice
        try shell.run()
        shell.waitUntilExit()
        #expect(shell.terminationStatus != 0)
    }

    @Test func theFileIsForItsOwnerOnly() throws {
        let store = try open()
        for name in [path, path + "-wal"] {
            let mode = try FileManager.default.attributesOfItem(atPath: name)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
        #expect(store.state == .opened)
    }

    @Test func aFileInAMissingFolderIsRefused() throws {
        #expect(throws: StoreError.self) { try SQLiteStore(path: folder.path("no/such.db"), logger: .silent) }
    }

    @Test func aFileThatIsNoDatabaseIsRefused() throws {
        try Data(repeating: 0x61, count: 5000).write(to: URL(fileURLWithPath: path))
        expectRefusal(.incompatible, "name another file")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(repeating: 0x61, count: 5000))
    }

    @Test func anotherProgramsDatabaseIsRefused() throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in try db.execute(sql: "CREATE TABLE theirs (a)") }
        try queue.close()
        expectRefusal(.incompatible, "another program")
    }

    @Test func aNewerVersionIsRefused() async throws {
        let store = try open()
        _ = try await store.writer.read { db in try db.execute(sql: "PRAGMA user_version = 1000") }
        try await store.close()
        expectRefusal(.incompatible, "newer")
    }

    @Test(.enabled(if: geteuid() != 0, "root may write to any file"))
    func aReadOnlyFileIsRefused() async throws {
        try await open().close()
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path)
        expectRefusal(.readOnly, "writable")
    }
}
