import GRDB
import GatewayCore
package import Revocation

extension SQLiteStore: SessionListStore {
    package func list(_ session: ListedSession, of uid: UserKey, now: Int64) async throws(StoreError) -> Bool {
        try checkOpen()
        try StoreBounds.check(session, of: uid)
        return try await writer.write { db in
            SQLiteChange(.success(try SQLiteSessionLists.put(session, of: uid, now: now, db)))
        }
    }

    package func replace(
        _ old: (session: String, id: String, expires: Int64?), with session: ListedSession?, of uid: UserKey
    ) async throws(StoreError) -> SessionRecord {
        try checkOpen()
        try StoreBounds.check(user: uid, session: old.session)
        if let session { try StoreBounds.check(session, of: uid) }
        let expires = try old.expires.map(StoreBounds.time)
        return try await writer.write { [view] db in
            let key = try StoreKeyMaker().key(of: uid, session: old.session)
            let stored = try SQLiteRows.session(uid, old.session, db) ?? StoredSession()
            guard let before = stored.record else { throw StoreError.faultySession() }
            guard !before.revoked else { return SQLiteChange(.success(before)) }
            var after = before
            after.revoked = true
            try SQLiteRows.setSession(uid, old.session, to: after, expires: stored.expiry(extendedTo: expires), db)
            try SQLiteSessionLists.remove(old.id, of: uid, db)
            if let session { try SQLiteSessionLists.insert(session, of: uid, db) }
            return SQLiteChange(.success(before)) { [after] in view.setSession(key, to: RecordWord(after)) }
        }
    }

    package func listedSessions(of uid: UserKey, now: Int64) async throws(StoreError) -> [ListedSession] {
        try checkOpen()
        try StoreBounds.check(user: uid)
        return try await writer.read { db in try SQLiteSessionLists.all(of: uid, now: now, db) }
    }

    package func unlist(_ id: String, of uid: UserKey) async throws(StoreError) {
        try checkOpen()
        try StoreBounds.check(user: uid)
        try await writer.write { db in
            SQLiteChange(.success(try SQLiteSessionLists.remove(id, of: uid, db)))
        }
    }

    package func recordUses(_ uses: [SessionUse], at time: Int64) async throws(StoreError) {
        try checkOpen()
        let time = try StoreBounds.time(time).seconds
        let uses = Array(uses.prefix(StoreBounds.maximumRecordedUses))
        try await writer.write { db in
            for use in uses {
                try db.run(
                    """
                    UPDATE session_list SET last_used = ?3
                    WHERE uid = CAST(?1 AS TEXT) AND id = ?2 AND last_used < ?3
                    """, [use.user.name.bytes, use.id, time])
            }
            return SQLiteChange(.success(()))
        }
    }
}

/// The statements for the lists of sessions.
enum SQLiteSessionLists {
    /// Adds or replaces an entry. Returns `false` if the list is full.
    static func put(_ session: ListedSession, of uid: UserKey, now: Int64, _ db: Database) throws -> Bool {
        try db.run("DELETE FROM session_list WHERE uid = CAST(? AS TEXT) AND ends <= ?", [uid.name.bytes, now])
        let statement = try db.cachedStatement(
            sql: "SELECT count(*) FROM session_list WHERE uid = CAST(? AS TEXT) AND id <> ?")
        let others = try Int.fetchOne(statement, arguments: [uid.name.bytes, session.id]) ?? 0
        guard others < StoreBounds.maximumListedSessions else { return false }
        try insert(session, of: uid, db)
        return true
    }

    static func insert(_ session: ListedSession, of uid: UserKey, _ db: Database) throws {
        try db.run(
            """
            INSERT OR REPLACE INTO session_list (uid, id, session, began, last_used, ends, facts)
            VALUES (CAST(? AS TEXT), ?, ?, ?, ?, ?, ?)
            """,
            [
                uid.name.bytes, session.id, session.session, session.began.seconds, session.lastUsed.seconds,
                session.ends.seconds, session.facts,
            ])
    }

    static func remove(_ id: String, of uid: UserKey, _ db: Database) throws {
        try db.run("DELETE FROM session_list WHERE uid = CAST(? AS TEXT) AND id = ?", [uid.name.bytes, id])
    }

    static func removeAll(of uid: UserKey, _ db: Database) throws {
        try db.run("DELETE FROM session_list WHERE uid = CAST(? AS TEXT)", [uid.name.bytes])
    }

    static func all(of uid: UserKey, now: Int64, _ db: Database) throws -> [ListedSession] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT id, session, began, last_used, ends, facts FROM session_list
                WHERE uid = CAST(? AS TEXT) AND ends > ? LIMIT \(StoreBounds.maximumListedSessions)
                """)
        return try Row.fetchAll(statement, arguments: [uid.name.bytes, now]).compactMap { row in
            guard let id = String.fromDatabaseValue(row[0]), let session = String.fromDatabaseValue(row[1]),
                let began = time(row[2]), let lastUsed = time(row[3]), let ends = time(row[4]),
                let facts = String.fromDatabaseValue(row[5])
            else { return nil }
            return ListedSession(id: id, session: session, began: began, lastUsed: lastUsed, ends: ends, facts: facts)
        }
    }

    private static func time(_ value: DatabaseValue) -> UnixTime? {
        StoredField<UnixTime?>(time: value).value ?? nil
    }

    /// Removes entries of sessions that ended at or before `now`.
    ///
    /// - Returns: The number of removed entries, at most `limit`.
    static func removeExpired(now: Int64, limit: Int, _ db: Database) throws -> Int {
        try db.run(
            """
            DELETE FROM session_list WHERE (uid, id) IN (
                SELECT uid, id FROM session_list WHERE ends <= ? LIMIT \(limit))
            """, [now])
        return db.changesCount
    }
}
