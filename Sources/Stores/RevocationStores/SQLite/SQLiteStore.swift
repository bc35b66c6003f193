package import GatewayCore
import GRDB
package import Logging
package import Revocation
import Synchronization

/// The embedded store: one SQLite file for one process. An acknowledged write is never lost.
///
/// With a write-ahead log and `synchronous=FULL`, a write returns after it was flushed to the disk and the view
/// contains it. The file stays locked while it is open, so this process is its only writer and the view never lags. A
/// second gateway on the same file fails to open it.
package final class SQLiteStore: Store {
    /// The view that requests read. It never lags the file.
    package let view = StoreView()
    /// `true`: no other process can write to the file.
    package let viewIsAuthoritative = true
    /// The generations of links, which change after the file does.
    package let linkGenerations = LinkGenerations()
    /// The policy of changes that are written back.
    package let writeBack = WriteBackSwitch()
    /// The policy of messages about changes of accounts.
    package let outbox = OutboxSwitch()

    let writer: SQLiteWriter
    let clock: GatewayClock
    let logger: Logger
    private let lifecycle = Mutex(StoreState.opened)

    /// The state of the store.
    package var state: StoreState { lifecycle.withLock { $0 } }

    /// Opens and locks the file. An absent file is created.
    ///
    /// - Parameters:
    ///   - path: The file. `nil` for a store in memory, which ends with the process.
    ///   - maximumSize: The maximum size of the file in bytes. `nil` for no limit.
    ///   - clock: The clock for the expiry of sessions and nonces.
    /// - Throws: `.inUse` if another process uses the file, or another error that opening it causes.
    package init(
        path: String?, maximumSize: Int? = nil, clock: GatewayClock = .system, logger: Logger
    ) throws(StoreError) {
        writer = SQLiteWriter(try SQLiteFile.connect(path: path, maximumSize: maximumSize), path: path)
        self.clock = clock
        self.logger = logger
    }

    /// Reads all records into the view. Concurrent writes wait.
    ///
    /// Expired sessions are removed first. If the disk prevents that, they are only omitted from the view.
    @discardableResult
    package func load() async throws(StoreError) -> LoadReport {
        try checkOpen()
        let now = clock.now()
        let purged = await purgeIfPossible(now: now)
        var report = try await writer.read { [view, logger] db in
            try SQLiteLoader(view: view, keys: StoreKeyMaker(), now: now, logger: logger).load(db)
        }
        report.expired += purged
        lifecycle.withLock { state in
            guard state != .closed else { return }
            state = .ready
            view.setAlwaysFresh()
        }
        return report
    }

    /// The reason that writes fail. `nil` if they succeed.
    package var trouble: String? { writer.fault?.message }

    /// Whether writes succeed.
    package var isWritable: Bool { writer.fault == nil }

    /// Checks that the file is in place and that there is space. While the file is not in place, the view's age
    /// grows, since a new revocation cannot be stored.
    package func inspect() async {
        let before = writer.fault
        let fault = await writer.inspect()
        if let fault, fault != before {
            logger.error("the store rejects writes", metadata: ["error": "\(fault)"])
        } else if fault == nil, before != nil {
            logger.notice("the store accepts writes again")
        }
        lifecycle.withLock { state in
            guard state == .ready else { return }
            if fault?.code != .moved {
                view.setAlwaysFresh()
            } else if view.isAlwaysFresh {
                view.confirm(at: clock.monotonic())
            }
        }
    }

    /// Completes pending operations, merges the write-ahead log and releases the file.
    package func close() async throws(StoreError) {
        let isFirst = lifecycle.withLock { state in
            defer { state = .closed }
            return state != .closed
        }
        guard isFirst else { return }
        view.setStale()
        try await writer.close()
    }

    private func purgeIfPossible(now: Int64) async -> Int {
        do { return try await purge(now: now) } catch {
            logger.warning("expired sessions could not be removed", metadata: ["error": "\(error)"])
            return 0
        }
    }

    func checkOpen() throws(StoreError) {
        guard state != .closed else { throw .closed() }
    }
}

extension SQLiteStore {
    /// Removes expired records, a bounded number in each transaction.
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
        let flows = try await inBatches { db in
            SQLiteChange(.success(try SQLiteFlows.removeExpired(now: now, limit: SQLiteRows.purgeBatch, db)))
        }
        let listed = try await inBatches { db in
            SQLiteChange(.success(try SQLiteSessionLists.removeExpired(now: now, limit: SQLiteRows.purgeBatch, db)))
        }
        return try await sessions + usedOnce + flows + listed + removeEndedUsers(now: now)
    }

    /// Repeats `remove`, each time in a new transaction, until it removes less than a batch. Returns the total.
    func inBatches(
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
