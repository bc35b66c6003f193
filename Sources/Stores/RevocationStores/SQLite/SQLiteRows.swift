import Foundation
import GatewayCore
import GRDB
import Revocation

/// The statements of the embedded store.
///
/// Names are bound and read as bytes, and SQLite converts them to text. A bound string would end at a NUL, so that
/// `a\0b` would name `a`.
enum SQLiteRows {
    /// The number of changes that are kept.
    static let maximumChanges: Int64 = 1_000_000

    static func user(_ uid: UserKey, _ db: Database) throws -> StoredUser? {
        let statement = try db.cachedStatement(
            sql: "SELECT valid_since, disabled FROM user WHERE uid = CAST(? AS TEXT)")
        guard let row = try Row.fetchOne(statement, arguments: [uid.name.bytes]) else { return nil }
        return StoredUser(validSince: .init(time: row[0]), disabled: .init(flag: row[1]))
    }

    /// Reads the row of a session.
    ///
    /// - Parameter hasProofs: Whether the file's version records authentications.
    static func session(
        _ uid: UserKey, _ session: String, _ db: Database, hasProofs: Bool = true
    ) throws -> StoredSession? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT revoked, signed_in_at, expires, \(hasProofs ? "authenticated_at" : "NULL") FROM session
                WHERE uid = CAST(? AS TEXT) AND session = CAST(? AS TEXT)
                """)
        guard let row = try Row.fetchOne(statement, arguments: [uid.name.bytes, session.bytes]) else { return nil }
        return StoredSession(
            revoked: .init(flag: row[0]), signedInAt: .init(time: row[1]), authenticatedAt: .init(time: row[3]),
            expires: .init(time: row[2]))
    }

    /// Returns the order of a user's sessions and revocations.
    static func order(_ uid: UserKey, _ db: Database) throws -> SQLiteOrder {
        let statement = try db.cachedStatement(
            sql: """
                SELECT last_session, revoked_at, restarted, restarted_from FROM user WHERE uid = CAST(? AS TEXT)
                """)
        guard let row = try Row.fetchOne(statement, arguments: [uid.name.bytes]) else { return SQLiteOrder() }
        func time(_ index: Int) -> UnixTime? { StoredField<UnixTime?>(time: row[index]).value ?? nil }
        return SQLiteOrder(lastSession: time(0), revokedAt: time(1), restarted: time(2), restartedFrom: time(3))
    }

    /// Stores the start of a session, unless a later one is stored.
    ///
    /// - Parameter earlier: The earlier start of a session that began again. If it began again then too, the first
    ///   start stays.
    static func setLastSession(
        _ time: UnixTime, restartedFrom earlier: UnixTime? = nil, of uid: UserKey, _ db: Database
    ) throws {
        try db.run(
            """
            INSERT INTO user (uid, last_session) VALUES (CAST(? AS TEXT), ?)
            ON CONFLICT DO UPDATE SET
                last_session = max(coalesce(last_session, 0), excluded.last_session), expires = NULL
            """, [uid.name.bytes, time.seconds])
        guard let earlier else { return }
        try db.run(
            """
            UPDATE user SET restarted = ?1,
                restarted_from = CASE WHEN restarted = ?2 THEN coalesce(restarted_from, ?2) ELSE ?2 END
            WHERE uid = CAST(?3 AS TEXT)
            """, [time.seconds, earlier.seconds, uid.name.bytes])
    }

    /// Stores a revocation.
    ///
    /// - Parameter revokedAt: The time of the revocation, if `time` is later.
    static func setValidSince(_ time: UnixTime?, revokedAt: UnixTime? = nil, of uid: UserKey, _ db: Database) throws {
        try db.run(
            """
            INSERT INTO user (uid, valid_since, revoked_at) VALUES (CAST(? AS TEXT), ?, ?)
            ON CONFLICT DO UPDATE SET
                valid_since = excluded.valid_since, revoked_at = excluded.revoked_at, expires = NULL
            """, [uid.name.bytes, time?.seconds, revokedAt?.seconds])
        try change(uid, "valid_since", db)
    }

    static func setDisabled(_ disabled: Bool, of uid: UserKey, _ db: Database) throws {
        try db.run(
            """
            INSERT INTO user (uid, disabled) VALUES (CAST(? AS TEXT), ?)
            ON CONFLICT DO UPDATE SET disabled = excluded.disabled, expires = NULL
            """, [uid.name.bytes, disabled ? 1 : 0])
        try change(uid, "disabled", db)
    }

    /// Removes the row of a user without a record, unless it has the start of a session.
    static func removeUser(_ uid: UserKey, _ db: Database) throws {
        try db.run("DELETE FROM user WHERE uid = CAST(? AS TEXT) AND last_session IS NULL", [uid.name.bytes])
    }

    static func setSession(
        _ uid: UserKey, _ session: String, to record: SessionRecord, expires: UnixTime?, _ db: Database
    ) throws {
        try db.run(
            """
            INSERT INTO session (uid, session, revoked, signed_in_at, authenticated_at, expires)
            VALUES (CAST(? AS TEXT), CAST(? AS TEXT), ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET
                revoked = excluded.revoked, signed_in_at = excluded.signed_in_at,
                authenticated_at = excluded.authenticated_at, expires = excluded.expires
            """,
            [
                uid.name.bytes, session.bytes, record.revoked ? 1 : 0, record.signedInAt?.seconds,
                record.isAuthenticated ? record.signedInAt?.seconds : nil, expires?.seconds,
            ])
        try change(uid, "session", db)
    }

    /// The maximum number of sessions that one transaction removes.
    static let purgeBatch = 1000

    /// Removes sessions that expired at or before `now`.
    ///
    /// - Returns: Their keys, at most `purgeBatch`.
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
                    try row.withName(1) { try keys.key(userName: uid, session: $0) }
                })
        }
        return removed
    }

    static func change(_ uid: UserKey, _ what: String, _ db: Database) throws {
        try db.run("INSERT INTO changes (uid, what) VALUES (CAST(? AS TEXT), ?)", [uid.name.bytes, what])
        try db.run("DELETE FROM changes WHERE id <= ?", [db.lastInsertedRowID - maximumChanges])
    }
}

/// The order of a user's sessions and revocations.
struct SQLiteOrder {
    /// The start of the latest session.
    var lastSession: UnixTime?
    /// The time of the last revocation.
    var revokedAt: UnixTime?
    /// The start of the session that began again.
    var restarted: UnixTime?
    /// Its first start.
    var restartedFrom: UnixTime?

    /// Returns the start of the session that began again, if a revocation of `time` covers its first start only.
    func restart(after time: UnixTime) -> UnixTime? {
        guard let restarted, let restartedFrom, restartedFrom <= time, time < restarted else { return nil }
        return restarted
    }
}

extension Database {
    func run(_ sql: String, _ arguments: StatementArguments) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }
}

extension String {
    var bytes: Data { Data(utf8) }
}

extension StoredField<UnixTime?> {
    /// A time in seconds, or NULL.
    init(time value: DatabaseValue) {
        switch value.storage {
        case .null: self = .valid(nil)
        case .int64(let seconds): self = UnixTime(seconds).map { .valid($0) } ?? .faulty
        default: self = .faulty
        }
    }
}

extension StoredField<Bool> {
    /// 0 or 1.
    init(flag value: DatabaseValue) {
        switch value.storage {
        case .int64(0): self = .valid(false)
        case .int64(1): self = .valid(true)
        default: self = .faulty
        }
    }
}
