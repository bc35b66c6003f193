import Foundation
package import GatewayCore
import GRDB
package import Revocation

/// Records of users unknown to the store. The table has the places of each transmitter.
extension SQLiteStore {
    /// Reserves a place.
    package func reserve(
        _ user: UserKey, for transmitter: String, until expires: UnixTime?, limit: Int
    ) async throws(StoreError) -> RecordReservation {
        try checkOpen()
        try StoreBounds.check(user: user)
        let end = (expires ?? .latest).seconds
        return try await writer.write { db in
            if try SQLiteRows.user(user, db) != nil, try SQLiteRows.end(of: user, db) == nil {
                return SQLiteChange(.success(.known))
            }
            return SQLiteChange(
                .success(try SQLiteUnknownUsers.reserve(user, for: transmitter, until: end, limit: limit, db)))
        }
    }

    /// Removes records that ended, and frees their places.
    ///
    /// - Returns: The number of freed places.
    func removeEndedUsers(now: Int64) async throws(StoreError) -> Int {
        try await inBatches { [view] db in
            let ended = try SQLiteUnknownUsers.free(now: now, limit: SQLiteRows.purgeBatch, db)
            var removed: [StoreKey] = []
            for name in ended {
                guard try SQLiteRows.removeEndedUser(name, now: now, db) else { continue }
                removed.append(try name.withUnsafeBytes { try StoreKeyMaker().key(userName: $0) })
            }
            return SQLiteChange(.success(ended.count)) { [removed] in
                for key in removed { view.setUser(key, to: .none) }
            }
        }
    }
}

/// The statements for the places of transmitters. A counter for each saves counting its rows.
enum SQLiteUnknownUsers {
    static func reserve(
        _ user: UserKey, for transmitter: String, until end: Int64, limit: Int, _ db: Database
    ) throws -> RecordReservation {
        let (transmitter, name) = (transmitter.bytes, user.name.bytes)
        try db.run(
            """
            UPDATE unknown_user SET expires = max(expires, ?)
            WHERE transmitter = CAST(? AS TEXT) AND uid = CAST(? AS TEXT)
            """, [end, transmitter, name])
        if db.changesCount > 0 { return .reserved }
        let statement = try db.cachedStatement(
            sql: "SELECT unknown_users FROM transmitter WHERE name = CAST(? AS TEXT)")
        guard try Int.fetchOne(statement, arguments: [transmitter]) ?? 0 < limit else { return .full }
        try db.run(
            "INSERT INTO unknown_user (transmitter, uid, expires) VALUES (CAST(? AS TEXT), CAST(? AS TEXT), ?)",
            [transmitter, name, end])
        try db.run(
            """
            INSERT INTO transmitter (name, unknown_users) VALUES (CAST(? AS TEXT), 1)
            ON CONFLICT DO UPDATE SET unknown_users = unknown_users + 1
            """, [transmitter])
        return .reserved
    }

    /// Frees places that ended at or before `now`.
    ///
    /// - Returns: The names of their users, at most `limit`.
    static func free(now: Int64, limit: Int, _ db: Database) throws -> [Data] {
        let statement = try db.cachedStatement(
            sql: """
                DELETE FROM unknown_user WHERE (transmitter, uid) IN (
                    SELECT transmitter, uid FROM unknown_user WHERE expires <= ? LIMIT ?
                ) RETURNING CAST(transmitter AS BLOB), CAST(uid AS BLOB)
                """)
        let rows = try Row.fetchAll(statement, arguments: [now, limit])
        var names: [Data] = []
        for row in rows {
            guard let transmitter = row[0] as Data?, let name = row[1] as Data? else { continue }
            try db.run(
                "UPDATE transmitter SET unknown_users = max(0, unknown_users - 1) WHERE name = CAST(? AS TEXT)",
                [transmitter])
            names.append(name)
        }
        return names
    }
}

extension SQLiteRows {
    /// Returns the stored blocks of a user.
    static func blocks(of uid: UserKey, _ db: Database) throws -> String? {
        let statement = try db.cachedStatement(
            sql: "SELECT CAST(blocked_by AS BLOB) FROM user WHERE uid = CAST(? AS TEXT)")
        let blocks = try Row.fetchOne(statement, arguments: [uid.name.bytes]).flatMap { $0[0] as Data? }
        return blocks.map { String(decoding: $0, as: UTF8.self) }
    }

    static func setBlocks(_ text: String?, of uid: UserKey, _ db: Database) throws {
        try db.run(
            "UPDATE user SET blocked_by = CAST(? AS TEXT) WHERE uid = CAST(? AS TEXT)", [text?.bytes, uid.name.bytes])
    }

    /// Returns the end of a user's record. `nil` for a record that does not end.
    static func end(of uid: UserKey, _ db: Database) throws -> Int64? {
        let statement = try db.cachedStatement(sql: "SELECT expires FROM user WHERE uid = CAST(? AS TEXT)")
        return try Row.fetchOne(statement, arguments: [uid.name.bytes]).flatMap { $0[0] as Int64? }
    }

    /// Sets the end of a user's record after a change. A record without an end does not get one, unless it is new.
    static func setEnd(
        from old: Int64?, to end: UnixTime?, isNew: Bool, of uid: UserKey, _ db: Database
    ) throws {
        guard old != nil || end != nil && isNew else { return }
        let new = end.map { max($0.seconds, old ?? 0) }
        try db.run("UPDATE user SET expires = ? WHERE uid = CAST(? AS TEXT)", [new, uid.name.bytes])
    }

    /// Removes a user's record that ended at or before `now`. Returns whether it did.
    static func removeEndedUser(_ name: Data, now: Int64, _ db: Database) throws -> Bool {
        try db.run("DELETE FROM user WHERE uid = CAST(? AS TEXT) AND expires <= ?", [name, now])
        return db.changesCount > 0
    }
}
