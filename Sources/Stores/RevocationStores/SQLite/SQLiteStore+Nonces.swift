import Foundation
import GRDB
import GatewayCore
package import JOSE
package import Revocation

extension SQLiteStore: NonceStore {
    /// Stores a nonce for `lifetime` seconds of the store's clock.
    package func putNonce(_ nonce: SHA256Digest, purpose: String, lifetime: Int64) async throws(StoreError) {
        try checkOpen()
        try StoreBounds.check(purpose: purpose)
        try StoreBounds.check(lifetime: lifetime)
        let expires = clock.now() + lifetime
        try await writer.write { db in
            try SQLiteNonces.put(nonce, purpose: purpose, expires: expires, db)
            return SQLiteChange(.success(()))
        }
    }

    /// Consumes a nonce. Only the transaction that removes it finds it.
    package func takeNonce(_ nonce: SHA256Digest) async throws(StoreError) -> String? {
        try checkOpen()
        let now = clock.now()
        return try await writer.write { db in SQLiteChange(.success(try SQLiteNonces.take(nonce, now: now, db))) }
    }

    /// Marks a credential, unless it is marked.
    package func markSeen(_ credential: SHA256Digest, lifetime: Int64) async throws(StoreError) -> Bool {
        try checkOpen()
        try StoreBounds.check(lifetime: lifetime)
        let now = clock.now()
        return try await writer.write { db in
            SQLiteChange(.success(try SQLiteNonces.mark(credential, now: now, expires: now + lifetime, db)))
        }
    }

    /// Returns whether a credential is marked.
    package func isSeen(_ credential: SHA256Digest) async throws(StoreError) -> Bool {
        try checkOpen()
        let now = clock.now()
        return try await writer.read { db in try SQLiteNonces.isMarked(credential, now: now, db) }
    }
}

/// The statements for single-use values.
enum SQLiteNonces {
    private static let tables = ["nonce", "seen"]

    static func put(_ nonce: SHA256Digest, purpose: String, expires: Int64, _ db: Database) throws {
        try db.run(
            "INSERT OR REPLACE INTO nonce (hash, purpose, expires) VALUES (?, ?, ?)", [nonce.data, purpose, expires])
    }

    /// - Returns: The purpose. `nil` if there is no such nonce.
    static func take(_ nonce: SHA256Digest, now: Int64, _ db: Database) throws -> String? {
        let statement = try db.cachedStatement(
            sql: "DELETE FROM nonce WHERE hash = ? AND expires > ? RETURNING CAST(purpose AS TEXT)")
        return try String.fetchAll(statement, arguments: [nonce.data, now]).first
    }

    /// Marks a credential. An expired mark does not count.
    static func mark(_ credential: SHA256Digest, now: Int64, expires: Int64, _ db: Database) throws -> Bool {
        try db.run(
            """
            INSERT INTO seen (hash, expires) VALUES (?, ?)
            ON CONFLICT DO UPDATE SET expires = excluded.expires WHERE expires <= ?
            """, [credential.data, expires, now])
        return db.changesCount == 1
    }

    static func isMarked(_ credential: SHA256Digest, now: Int64, _ db: Database) throws -> Bool {
        let statement = try db.cachedStatement(sql: "SELECT 1 FROM seen WHERE hash = ? AND expires > ?")
        return try Int.fetchOne(statement, arguments: [credential.data, now]) != nil
    }

    /// Removes values that expired at or before `now`.
    ///
    /// - Returns: The number of removed values, at most `limit` of each kind.
    static func removeExpired(now: Int64, limit: Int, _ db: Database) throws -> Int {
        try tables.reduce(0) { count, table in
            try db.run(
                "DELETE FROM \(table) WHERE hash IN (SELECT hash FROM \(table) WHERE expires <= ? LIMIT \(limit))",
                [now])
            return count + db.changesCount
        }
    }
}

extension SHA256Digest {
    fileprivate var data: Data { Data(bytes) }
}
