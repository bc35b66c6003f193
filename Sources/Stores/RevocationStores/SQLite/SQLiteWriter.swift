import GRDB
import Revocation
import Synchronization

/// Runs what is asked of the database one after the other, away from the caller's thread.
///
/// Writes that wait together share one transaction, and so one flush of the disk. A write is published to the view
/// after that transaction is durable, in the order of the transactions, and only then acknowledged. Cancelling the
/// caller's task changes nothing: what was begun is finished.
final class SQLiteWriter: Sendable {
    /// What a write does after its transaction: with nil, publish and acknowledge; with an error, tell it.
    typealias Ending = @Sendable (StoreError?) -> Void

    /// What more waits than this is refused.
    static let maximumWaiting = 10_000
    private static let maximumBatch = 256

    private struct Write: Sendable {
        /// Throws only what the whole transaction must be rolled back for.
        let run: @Sendable (Database) throws -> Ending
        let fail: @Sendable (StoreError) -> Void
    }

    private let queue: DatabaseQueue
    /// Nil for a database in memory.
    private let identity: SQLiteIdentity?
    /// Why the last write failed for a reason that concerns every write; nil: writes succeed.
    private let lastFault = Mutex<StoreError?>(nil)
    private let writes = Mutex<[Write]>([])
    private let waiting = Atomic<Int>(0)

    /// - Parameter path: the file of the database that `queue` has just opened; nil for one in memory.
    init(_ queue: DatabaseQueue, path: String? = nil) {
        self.queue = queue
        identity = SQLiteIdentity(openedAt: path)
    }

    /// Why writes fail: the file is not in its place, or there is no room; nil: they succeed.
    var fault: StoreError? { lastFault.withLock { $0 } }

    /// Looks whether the file is in its place, and whether there is room again if there was none.
    ///
    /// - Returns: `fault`, as it is now.
    func inspect() async -> StoreError? {
        await withCheckedContinuation { continuation in
            queue.asyncWriteWithoutTransaction { [self] db in
                if fault?.code == .full, isInPlace { record(probe(db)) }
                if !isInPlace { record(.moved()) } else if fault?.code == .moved { record(nil) }
                continuation.resume(returning: fault)
            }
        }
    }

    private var isInPlace: Bool { identity?.isInPlace ?? true }

    private func record(_ error: StoreError?) {
        lastFault.withLock { fault in
            switch error?.code {
            case nil: fault = nil
            case .moved?, .full?: fault = error
            default: break
            }
        }
    }

    /// Writes something larger than a page and removes it.
    private func probe(_ db: Database) -> StoreError? {
        do {
            try db.inTransaction(.immediate) {
                try db.execute(sql: "INSERT OR REPLACE INTO setting (name, value) VALUES ('probe', zeroblob(16384))")
                try db.execute(sql: "DELETE FROM setting WHERE name = 'probe'")
                return .commit
            }
            return nil
        } catch {
            return StoreError(error)
        }
    }

    /// Reads, after what was asked before.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        try enter()
        defer { leave() }
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            queue.asyncWriteWithoutTransaction { db in
                continuation.resume(returning: Result { try body(db) }.mapError(StoreError.init))
            }
        }
        return try result.get()
    }

    /// Writes durably, then publishes.
    ///
    /// - Parameter body: changes the database and returns what to publish. A `StoreError` that it throws is the
    ///   answer to this write alone, and what it changed before is kept; another error fails the transaction.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> SQLiteChange<Value>
    ) async throws(StoreError) -> Value {
        try enter()
        defer { leave() }
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            submit(
                Write { db in
                    let change = try Self.change(body, db)
                    return { failure in
                        if failure == nil { change.publish() }
                        continuation.resume(returning: failure.map(Result.failure) ?? change.answer)
                    }
                } fail: { failure in
                    continuation.resume(returning: .failure(failure))
                })
        }
        return try result.get()
    }

    /// Closes the database after what was asked before.
    func close() async throws(StoreError) {
        let result: Result<Void, StoreError> = await withCheckedContinuation { continuation in
            queue.asyncWriteWithoutTransaction { db in
                let checkpoint = Result { try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
                continuation.resume(returning: checkpoint.mapError(StoreError.init))
            }
        }
        do { try queue.close() } catch { throw StoreError(error) }
        try result.get()
    }

    private static func change<Value>(
        _ body: (Database) throws -> SQLiteChange<Value>, _ db: Database
    ) throws -> SQLiteChange<Value> {
        do { return try body(db) } catch let error as StoreError { return SQLiteChange(.failure(error)) }
    }

    private func enter() throws(StoreError) {
        guard waiting.wrappingAdd(1, ordering: .relaxed).newValue <= Self.maximumWaiting else {
            leave()
            throw StoreError(.overloaded, "\(Self.maximumWaiting) operations wait for the store's disk already")
        }
    }

    private func leave() {
        waiting.wrappingSubtract(1, ordering: .relaxed)
    }

    private func submit(_ write: Write) {
        let isFirst = writes.withLock { writes in
            writes.append(write)
            return writes.count == 1
        }
        if isFirst { queue.asyncWriteWithoutTransaction { [self] db in runBatch(db) } }
    }

    private func runBatch(_ db: Database) {
        let batch = writes.withLock { writes in
            let batch = Array(writes.prefix(Self.maximumBatch))
            writes.removeFirst(batch.count)
            return (batch, isMore: !writes.isEmpty)
        }
        commit(batch.0, db)
        if batch.isMore { queue.asyncWriteWithoutTransaction { [self] db in runBatch(db) } }
    }

    private func commit(_ batch: [Write], _ db: Database) {
        var endings: [Ending] = []
        do {
            guard isInPlace else { throw StoreError.moved() }
            try db.inTransaction(.immediate) {
                for write in batch { endings.append(try write.run(db)) }
                return .commit
            }
            // What was written to a file that is gone must not be acknowledged.
            guard isInPlace else { throw StoreError.moved() }
            record(nil)
            for ending in endings { ending(nil) }
        } catch {
            let failure = StoreError(error)
            record(failure)
            for ending in endings { ending(failure) }
            for write in batch.dropFirst(endings.count) { write.fail(failure) }
        }
    }
}

/// What a write changed, to be told when it is durable.
struct SQLiteChange<Value: Sendable>: Sendable {
    let answer: Result<Value, StoreError>
    let publish: @Sendable () -> Void

    init(_ answer: Result<Value, StoreError>, publish: @escaping @Sendable () -> Void = {}) {
        self.answer = answer
        self.publish = publish
    }
}
