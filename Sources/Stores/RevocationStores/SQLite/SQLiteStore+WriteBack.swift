import Foundation
import GatewayCore
import GRDB
import Logging
package import Revocation

/// The queue of changes to write back, which is part of the transaction of each change. The column `uid` has
/// `WriteBackEntry.name`.
extension SQLiteStore: WriteBackQueue {
    /// Returns due entries. This process is the only user of the file, so it always has the lease.
    package func pollWriteBacks(
        by _: String, lease _: Int64, limit: Int
    ) async throws(StoreError) -> WriteBackPoll {
        try checkOpen()
        let now = clock.now()
        let (poll, invalid) = try await writer.read { db in
            let due = try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT part, CAST(uid AS BLOB), version FROM write_back
                        WHERE due <= ? OR due > ? ORDER BY due LIMIT ?
                        """),
                // A due time that is too late was stored before the clock was set back.
                arguments: [now, now + WriteBackSwitch.longestDelay, limit])
            let oldest = try Int64.fetchOne(db.cachedStatement(sql: "SELECT min(queued) FROM write_back"))
            let poll = WriteBackPoll(
                isHolder: true, entries: due.compactMap { WriteBackEntry($0) },
                count: try SQLiteRows.size(of: "write_back", db), age: oldest.map { max(0, now - $0) },
                parked: try SQLiteRows.size(of: "write_back_parked", db))
            return (poll, due.filter { WriteBackEntry($0) == nil }.compactMap { $0[1] as Data? })
        }
        if !invalid.isEmpty { try await removeWriteBacks(named: invalid) }
        return poll
    }

    /// Removes rows that are no entries. They would be due forever.
    private func removeWriteBacks(named names: [Data]) async throws(StoreError) {
        logger.warning("invalid entries of the write-back queue were removed", metadata: ["count": "\(names.count)"])
        try await writer.write { db in
            for name in names { try db.run("DELETE FROM write_back WHERE uid = CAST(? AS TEXT)", [name]) }
            return SQLiteChange(.success(()))
        }
    }

    /// Removes an entry, unless its version is another one.
    package func removeWriteBack(_ entry: WriteBackEntry) async throws(StoreError) {
        try checkOpen()
        try await writer.write { db in
            try db.run(
                "DELETE FROM write_back WHERE part = ? AND uid = CAST(? AS TEXT) AND version = ?",
                [entry.part.rawValue, entry.name.bytes, entry.version])
            return SQLiteChange(.success(()))
        }
    }

    /// Makes an entry due later, unless its version is another one.
    package func postponeWriteBack(_ entry: WriteBackEntry, by seconds: Int64) async throws(StoreError) {
        try checkOpen()
        let due = UnixTime(clamping: clock.now()).adding(seconds)
        try await writer.write { db in
            try db.run(
                "UPDATE write_back SET due = ? WHERE part = ? AND uid = CAST(? AS TEXT) AND version = ?",
                [due.seconds, entry.part.rawValue, entry.name.bytes, entry.version])
            return SQLiteChange(.success(()))
        }
    }

    /// Moves an entry to the table of parked ones, unless its version is another one.
    package func parkWriteBack(_ entry: WriteBackEntry) async throws(StoreError) {
        try checkOpen()
        let now = UnixTime(clamping: clock.now())
        let isFull = try await writer.write { db in
            guard try SQLiteRows.size(of: "write_back_parked", db) < WriteBackSwitch.parkedLimit else {
                return SQLiteChange(.success(true))
            }
            try db.run(
                "DELETE FROM write_back WHERE part = ? AND uid = CAST(? AS TEXT) AND version = ?",
                [entry.part.rawValue, entry.name.bytes, entry.version])
            guard db.changesCount > 0 else { return SQLiteChange(.success(false)) }
            try db.run(
                """
                INSERT INTO write_back_parked (part, uid, project, parked) VALUES (?, CAST(? AS TEXT), ?, ?)
                ON CONFLICT DO NOTHING
                """,
                [entry.part.rawValue, entry.name.bytes, entry.target.project, now.seconds])
            return SQLiteChange(.success(false))
        }
        if isFull { try await postponeWriteBack(entry, by: WriteBackSwitch.longestDelay) }
    }

    /// Moves parked entries of these parts and projects back.
    @discardableResult
    package func returnWriteBacks(
        _ parts: [WriteBackPart], of projects: [String]
    ) async throws(StoreError) -> Int {
        try checkOpen()
        let now = UnixTime(clamping: clock.now())
        return try await writer.write { db in
            guard try SQLiteRows.size(of: "write_back_parked", db) > 0 else { return SQLiteChange(.success(0)) }
            var count = 0
            for part in parts {
                for project in projects {
                    let limit = WriteBackSwitch.returnLimit - count
                    count += try SQLiteRows.returnWriteBacks(part, of: project, limit: limit, now: now, db)
                }
            }
            return SQLiteChange(.success(count))
        }
    }

    /// The lease ends with the process.
    package func releaseWriteBacks(of _: String) async throws(StoreError) {}
}

extension SQLiteRows {
    /// Returns the number of rows of a queue, which triggers count.
    fileprivate static func size(of queue: String, _ db: Database) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(sql: "SELECT size FROM queue_size WHERE queue = ?"), arguments: [queue]) ?? 0
    }

    /// Moves parked entries of a project back into the queue, and returns their number.
    fileprivate static func returnWriteBacks(
        _ part: WriteBackPart, of project: String, limit: Int, now: UnixTime, _ db: Database
    ) throws -> Int {
        let part = part.rawValue
        let names = try Data.fetchAll(
            db.cachedStatement(
                sql: "SELECT CAST(uid AS BLOB) FROM write_back_parked WHERE project = ? AND part = ? LIMIT ?"),
            arguments: [project, part, limit])
        for name in names {
            try db.run("DELETE FROM write_back_parked WHERE part = ? AND uid = CAST(? AS TEXT)", [part, name])
            try db.run(
                """
                INSERT INTO write_back (part, uid, version, queued, due) VALUES (?, CAST(? AS TEXT), ?, ?, ?)
                ON CONFLICT DO NOTHING
                """,
                [part, name, Int64.random(in: 1 ... .max), now.seconds, now.seconds])
        }
        return names.count
    }

    /// Queues the entries of a change, in the transaction of the change. Returns their outcomes.
    static func queueWriteBack(
        _ request: WriteBackSwitch.Request, now: UnixTime, _ db: Database
    ) throws -> [WriteBackOutcome] {
        try request.entries.map { try queueWriteBack($0, limit: request.limit, now: now, db) }
    }

    private static func queueWriteBack(
        _ entry: WriteBackEntry, limit: Int, now: UnixTime, _ db: Database
    ) throws -> WriteBackOutcome {
        // A version is never used again, also not by a row that is inserted after a removal.
        let version = Int64.random(in: 1 ... .max)
        let (part, name) = (entry.part.rawValue, entry.name.bytes)
        let statement = try db.cachedStatement(
            sql: "UPDATE write_back SET version = ?, due = ? WHERE part = ? AND uid = CAST(? AS TEXT)")
        try statement.execute(arguments: [version, now.seconds, part, name])
        guard db.changesCount == 0 else { return .queued }
        guard try size(of: "write_back", db) < limit else { return .full }
        try db.run(
            "INSERT INTO write_back (part, uid, version, queued, due) VALUES (?, CAST(? AS TEXT), ?, ?, ?)",
            [part, name, version, now.seconds, now.seconds])
        return .queued
    }
}

extension WriteBackEntry {
    /// `nil` for an invalid row.
    fileprivate init?(_ row: Row) {
        guard let name = row[1] as Data?, let part = WriteBackPart(rawValue: row[0]) else { return nil }
        self.init(name: String(decoding: name, as: UTF8.self), part: part, version: row[2])
    }
}
