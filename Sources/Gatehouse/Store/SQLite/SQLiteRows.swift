import Foundation
import GRDB

/// The statements of the embedded store.
///
/// Names are bound as bytes and made text by SQLite, and read as bytes: bound as strings they would end at a NUL, and
/// what is written for `a\0b` would count for `a`.
enum SQLiteRows {
    /// How many changes are kept.
    static let maximumChanges: Int64 = 1_000_000

    static func user(_ uid: String, _ db: Database) throws -> StoredUser? {
        let statement = try db.cachedStatement(
            sql: "SELECT valid_since, disabled FROM user WHERE uid = CAST(? AS TEXT)")
        guard let row = try Row.fetchOne(statement, arguments: [uid.bytes]) else { return nil }
        return StoredUser(validSince: .init(time: row[0]), disabled: .init(flag: row[1]))
    }

    static func session(_ uid: String, _ session: String, _ db: Database) throws -> StoredSession? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT revoked, signed_in_at, expires FROM session
                WHERE uid = CAST(? AS TEXT) AND session = CAST(? AS TEXT)
                """)
        guard let row = try Row.fetchOne(statement, arguments: [uid.bytes, session.bytes]) else { return nil }
        return StoredSession(
            revoked: .init(flag: row[0]), signedInAt: .init(time: row[1]), expires: .init(time: row[2]))
    }

    static func setValidSince(_ time: Int64?, of uid: String, _ db: Database) throws {
        try run(
            """
            INSERT INTO user (uid, valid_since) VALUES (CAST(? AS TEXT), ?)
            ON CONFLICT DO UPDATE SET valid_since = excluded.valid_since
            """, [uid.bytes, time], db)
        try change(uid, "valid_since", db)
    }

    static func setDisabled(_ disabled: Bool, of uid: String, _ db: Database) throws {
        try run(
            """
            INSERT INTO user (uid, disabled) VALUES (CAST(? AS TEXT), ?)
            ON CONFLICT DO UPDATE SET disabled = excluded.disabled
            """, [uid.bytes, disabled ? 1 : 0], db)
        try change(uid, "disabled", db)
    }

    /// Removes a row that says no more than its absence.
    static func removeUser(_ uid: String, _ db: Database) throws {
        try run("DELETE FROM user WHERE uid = CAST(? AS TEXT)", [uid.bytes], db)
    }

    static func setSession(
        _ uid: String, _ session: String, to record: SessionRecord, expires: Int64?, _ db: Database
    ) throws {
        try run(
            """
            INSERT INTO session (uid, session, revoked, signed_in_at, expires)
            VALUES (CAST(? AS TEXT), CAST(? AS TEXT), ?, ?, ?)
            ON CONFLICT DO UPDATE SET
                revoked = excluded.revoked, signed_in_at = excluded.signed_in_at, expires = excluded.expires
            """, [uid.bytes, session.bytes, record.revoked ? 1 : 0, record.signedInAt, expires], db)
        try change(uid, "session", db)
    }

    /// How many sessions one transaction removes at most.
    static let purgeBatch = 1000

    /// Removes sessions that expired at or before `now`.
    ///
    /// - Returns: their keys, at most `purgeBatch`.
    static func removeExpired(now: Int64, keys: StoreKeyMaker, _ db: Database) throws -> [StoreKey] {
        let statement = try db.cachedStatement(
            sql: """
                DELETE FROM session WHERE (uid, session) IN (
                    SELECT uid, session FROM session
                    WHERE typeof(expires) = 'integer' AND expires BETWEEN 0 AND ? LIMIT \(purgeBatch)
                ) RETURNING CAST(uid AS BLOB), CAST(session AS BLOB)
                """)
        let rows = try Row.fetchCursor(statement, arguments: [now])
        var removed: [StoreKey] = []
        while let row = try rows.next() {
            removed.append(
                try row.withName(0) { uid in
                    try row.withName(1) { try keys.key(user: uid, session: $0) }
                })
        }
        return removed
    }

    static func change(_ uid: String, _ what: String, _ db: Database) throws {
        try run("INSERT INTO changes (uid, what) VALUES (CAST(? AS TEXT), ?)", [uid.bytes, what], db)
        try run("DELETE FROM changes WHERE id <= ?", [db.lastInsertedRowID - maximumChanges], db)
    }

    private static func run(_ sql: String, _ arguments: StatementArguments, _ db: Database) throws {
        try db.cachedStatement(sql: sql).execute(arguments: arguments)
    }
}

extension String {
    var bytes: Data { Data(utf8) }
}
