import Foundation
import GRDB
import GatewayCore
import Logging
import RevocationStores

@testable import StoreFixtures

/// The file of a store, in a temporary folder.
struct SQLiteFile {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("gatehouse.db")
    }

    /// Opens a store with the file, or with another file.
    func open(
        _ other: String? = nil, clock: GatewayClock = .system, logger: Logger = .silent
    ) throws -> SQLiteStore {
        try SQLiteStore(path: other ?? path, clock: clock, logger: logger)
    }

    /// Copies the file with its log, and returns the path of the copy.
    func copy(_ name: String) throws -> String {
        let copy = folder.path(name)
        for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix) }
        return copy
    }

    /// Runs SQL on the file while no store has it open.
    func execute(_ sql: String) async throws {
        let queue = try DatabaseQueue(path: path)
        try await queue.write { db in try db.execute(sql: sql) }
        try queue.close()
    }

    /// Reverts the schema to an earlier version.
    func downgrade(to version: Int) async throws {
        var statements = [
            "ALTER TABLE user DROP COLUMN restarted", "ALTER TABLE user DROP COLUMN restarted_from",
            "ALTER TABLE account DROP COLUMN merged_into",
            "ALTER TABLE account DROP COLUMN picture", "ALTER TABLE account DROP COLUMN chosen",
            "ALTER TABLE account DROP COLUMN email_ticket", "DROP TABLE session_list",
            "DROP TABLE removal", "ALTER TABLE link DROP COLUMN newer_token",
            "ALTER TABLE link DROP COLUMN firebase",
            "DROP TABLE unknown_user", "DROP TABLE transmitter", "ALTER TABLE user DROP COLUMN blocked_by",
            "ALTER TABLE user DROP COLUMN expires", "DROP TABLE write_back_parked", "DROP TABLE write_back",
            "DROP TABLE queue_size", "DROP TABLE outbox", "ALTER TABLE link DROP COLUMN token",
            "PRAGMA user_version = \(version)",
        ]
        if version < 6 { statements.append("ALTER TABLE account DROP COLUMN deleted") }
        if version < 5 { statements.append("DROP TABLE flow") }
        guard version < 4 else { return try await execute(statements.joined(separator: ";")) }
        statements += [
            "ALTER TABLE user DROP COLUMN last_session", "ALTER TABLE user DROP COLUMN revoked_at",
            "ALTER TABLE session DROP COLUMN authenticated_at", "DROP TABLE unlinked",
        ]
        if version == 3 {
            statements += ["email_from", "unlinked_more"].map { "ALTER TABLE account DROP COLUMN \($0)" }
        } else {
            statements += ["account", "link", "email", "setting"].map { "DROP TABLE \($0)" }
            statements +=
                version == 2 ? ["ALTER TABLE nonce DROP COLUMN purpose"] : ["DROP TABLE nonce", "DROP TABLE seen"]
        }
        try await execute(statements.joined(separator: ";"))
    }
}
