package import GatewayCore
import GRDB
package import Logging
package import Revocation
import Synchronization

/// The embedded store: one SQLite file, one process, and nothing acknowledged is ever lost.
///
/// Write-ahead log, `synchronous=FULL`: a write returns after SQLite flushed it to the disk and the view shows it. The
/// file is locked from opening to closing, so that this process is its only writer and the view is never behind; a
/// second gateway on the same file fails when it opens it.
package final class SQLiteStore: Store {
    /// What requests read; never behind the file.
    package let view = StoreView()
    /// True: nobody else can write to the file.
    package let viewIsAuthoritative = true
    /// What changed of links, after it is in the file.
    package let linkGenerations = LinkGenerations()

    let writer: SQLiteWriter
    let clock: GatewayClock
    let logger: Logger
    private let lifecycle = Mutex(StoreState.opened)

    /// Where the store is in its life.
    package var state: StoreState { lifecycle.withLock { $0 } }

    /// Opens the file, makes it where there is none, and locks it.
    ///
    /// - Parameters:
    ///   - path: the file; nil for a store in memory, which ends with the process.
    ///   - maximumSize: the size, in bytes, that the file may not exceed; unbounded if nil.
    ///   - clock: tells which sessions have expired when the records are loaded.
    /// - Throws: `.inUse` if someone else has the file, and what its message tells otherwise.
    package init(
        path: String?, maximumSize: Int? = nil, clock: GatewayClock = .system, logger: Logger
    ) throws(StoreError) {
        writer = SQLiteWriter(try SQLiteFile.connect(path: path, maximumSize: maximumSize), path: path)
        self.clock = clock
        self.logger = logger
    }

    /// Reads all records into the view. Writes that are asked for meanwhile wait.
    ///
    /// Expired sessions are removed first; where the disk does not let them be, they are left out of the view.
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

    /// Why writes fail; nil: they succeed.
    package var trouble: String? { writer.fault?.message }

    /// Whether writes succeed.
    package var isWritable: Bool { writer.fault == nil }

    /// Looks whether the file is in its place and has room. While it is not in its place the view grows older: what is revoked now cannot be kept.
    package func inspect() async {
        let before = writer.fault
        let fault = await writer.inspect()
        if let fault, fault != before {
            logger.error("the store takes no writes", metadata: ["error": "\(fault)"])
        } else if fault == nil, before != nil {
            logger.notice("the store takes writes again")
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

    /// Finishes what was asked before, and releases the file with all of it in one piece.
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
