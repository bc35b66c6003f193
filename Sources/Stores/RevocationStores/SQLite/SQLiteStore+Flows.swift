import Foundation
import GRDB
import GatewayCore
package import JOSE
package import Revocation

extension SQLiteStore: FlowStore {
    package func putFlow(
        _ name: SHA256Digest, of holder: SHA256Digest, value: String, lifetime: Int64, now: Int64
    ) async throws(StoreError) {
        try checkOpen()
        try StoreBounds.check(flow: value, lifetime: lifetime)
        let expires = try StoreBounds.time(now).adding(lifetime).seconds
        try await writer.write { db in
            try SQLiteFlows.put(name, of: holder, value, now: now, expires: expires, db)
            return SQLiteChange(.success(()))
        }
    }

    /// Takes a value. Only the transaction that removes it finds it.
    package func takeFlow(
        _ name: SHA256Digest, of holder: SHA256Digest, now: Int64
    ) async throws(StoreError) -> String? {
        try checkOpen()
        return try await writer.write { db in
            SQLiteChange(.success(try SQLiteFlows.take(name, of: holder, now: now, db)))
        }
    }
}

/// The statements for open sign-in flows.
enum SQLiteFlows {
    static func put(
        _ name: SHA256Digest, of holder: SHA256Digest, _ value: String, now: Int64, expires: Int64, _ db: Database
    ) throws {
        let (name, holder) = (Data(name.bytes), Data(holder.bytes))
        // Each write removes more than it adds, so that expired values of other holders do not accumulate.
        _ = try removeExpired(now: now, limit: 8, db)
        try db.run("DELETE FROM flow WHERE holder = ? AND (expires <= ? OR name = ?)", [holder, now, name])
        // Removes the oldest values, so that the new one is within the limit.
        try db.run(
            """
            DELETE FROM flow WHERE holder = ? AND name IN (
                SELECT name FROM flow WHERE holder = ? ORDER BY expires DESC, name
                LIMIT -1 OFFSET \(StoreBounds.maximumFlowsPerHolder - 1))
            """, [holder, holder])
        try db.run(
            "INSERT INTO flow (holder, name, value, expires) VALUES (?, ?, ?, ?)", [holder, name, value, expires])
    }

    static func take(_ name: SHA256Digest, of holder: SHA256Digest, now: Int64, _ db: Database) throws -> String? {
        let statement = try db.cachedStatement(
            sql: "DELETE FROM flow WHERE holder = ? AND name = ? AND expires > ? RETURNING CAST(value AS TEXT)")
        return try String.fetchAll(
            statement, arguments: [Data(holder.bytes), Data(name.bytes), now]
        ).first
    }

    /// Removes values that expired at or before `now`.
    ///
    /// - Returns: The number of removed values, at most `limit`.
    static func removeExpired(now: Int64, limit: Int, _ db: Database) throws -> Int {
        try db.run(
            """
            DELETE FROM flow WHERE (holder, name) IN (
                SELECT holder, name FROM flow WHERE expires <= ? LIMIT \(limit))
            """, [now])
        return db.changesCount
    }
}
