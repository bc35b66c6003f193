import GRDB
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
    private let writes = Mutex<[Write]>([])
    private let waiting = Atomic<Int>(0)

    init(_ queue: DatabaseQueue) {
        self.queue = queue
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
            try db.inTransaction(.immediate) {
                for write in batch { endings.append(try write.run(db)) }
                return .commit
            }
            for ending in endings { ending(nil) }
        } catch {
            let failure = StoreError(error)
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
