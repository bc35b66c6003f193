import GRDB
package import Revocation

extension SQLiteStore {
    /// Removes what has expired, a bounded number in each transaction.
    @discardableResult
    package func purge(now: Int64) async throws(StoreError) -> Int {
        try checkOpen()
        let sessions = try await inBatches { [view] db in
            let removed = try SQLiteRows.removeExpired(now: now, keys: StoreKeyMaker(), db)
            return SQLiteChange(.success(removed.count)) {
                for key in removed { view.setSession(key, to: .none) }
            }
        }
        let usedOnce = try await inBatches { db in
            SQLiteChange(.success(try SQLiteNonces.removeExpired(now: now, limit: SQLiteRows.purgeBatch, db)))
        }
        return sessions + usedOnce
    }

    /// Repeats `remove`, each time in a transaction of its own, until it finds less than a batch; returns how many it removed.
    private func inBatches(
        _ remove: @escaping @Sendable (Database) throws -> SQLiteChange<Int>
    ) async throws(StoreError) -> Int {
        var removed = 0
        while true {
            let count = try await writer.write(remove)
            removed += count
            if count < SQLiteRows.purgeBatch { return removed }
        }
    }
}
