import GRDB
import Revocation
import Synchronization

/// Runs database operations one after another, off the caller's thread.
///
/// Pending writes share one transaction, and so one flush of the disk. After the transaction is durable, each write is
/// published to the view in order, and then acknowledged. Cancelling the caller's task has no effect on an operation.
final class SQLiteWriter: Sendable {
    /// Ends a write after its transaction: publishes and acknowledges it, or reports the error.
    typealias Completion = @Sendable (StoreError?) -> Void

    /// The maximum number of pending operations. Further operations fail.
    static let maximumWaiting = 10_000
    private static let maximumBatch = 256

    private struct Write: Sendable {
        /// Throws only errors that require a rollback of the whole transaction.
        let run: @Sendable (Database) throws -> Completion
        let fail: @Sendable (StoreError) -> Void
    }

    private let queue: DatabaseQueue
    /// `nil` for a database in memory.
    private let identity: SQLiteIdentity?
    /// The reason that all writes fail. `nil` if they succeed.
    private let lastFault = Mutex<StoreError?>(nil)
    private let writes = Mutex<[Write]>([])
    private let waiting = Atomic<Int>(0)
    /// Whether `close` has removed the write-ahead log, or is about to.
    private let isClosed = Atomic(false)

    /// Creates a writer.
    ///
    /// - Parameter path: The file of the newly opened database. `nil` for one in memory.
    init(_ queue: DatabaseQueue, path: String? = nil) {
        self.queue = queue
        identity = SQLiteIdentity(openedAt: path)
    }

    /// The reason that writes fail: the file is not in place, or there is no space. `nil` if they succeed.
    var fault: StoreError? { lastFault.withLock { $0 } }

    /// Checks whether the file is in place, and after a lack of space, whether there is space again.
    ///
    /// - Returns: The new value of `fault`.
    func inspect() async -> StoreError? {
        await withCheckedContinuation { continuation in
            queue.asyncWriteWithoutTransaction { [self] db in
                if fault?.code == .full, isInPlace { record(probe(db)) }
                if !isInPlace { record(notInPlace()) } else if fault?.code == .moved { record(nil) }
                continuation.resume(returning: fault)
            }
        }
    }

    private var isInPlace: Bool { identity?.isInPlace ?? true }

    /// The error of a write whose file is not in place: closing removes the write-ahead log.
    private func notInPlace() -> StoreError { isClosed.load(ordering: .acquiring) ? .closed() : .moved() }

    private func record(_ error: StoreError?) {
        lastFault.withLock { fault in
            switch error?.code {
            case nil: fault = nil
            case .moved?, .full?: fault = error
            default: break
            }
        }
    }

    /// Writes and removes a value that is larger than a page.
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

    /// Reads after all earlier operations.
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
    /// - Parameter body: Changes the database and returns what to publish. If it throws a `StoreError`, this write
    ///   fails with it but its changes are kept; any other error fails the transaction.
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
                        continuation.resume(returning: failure.map(Result.failure) ?? change.result)
                    }
                } fail: { failure in
                    continuation.resume(returning: .failure(failure))
                })
        }
        return try result.get()
    }

    /// Closes the database after all earlier operations.
    func close() async throws(StoreError) {
        let result: Result<Void, StoreError> = await withCheckedContinuation { continuation in
            queue.asyncWriteWithoutTransaction { db in
                let checkpoint = Result { try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
                continuation.resume(returning: checkpoint.mapError(StoreError.init))
            }
        }
        isClosed.store(true, ordering: .releasing)
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
            throw StoreError(.overloaded, "\(Self.maximumWaiting) operations are already waiting for the store's disk")
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
        var completions: [Completion] = []
        do {
            guard isInPlace else { throw notInPlace() }
            try db.inTransaction(.immediate) {
                for write in batch { completions.append(try write.run(db)) }
                return .commit
            }
            // A write to a file that is no longer in place must not be acknowledged.
            guard isInPlace else { throw notInPlace() }
            record(nil)
            for complete in completions { complete(nil) }
        } catch {
            let failure = StoreError(error)
            record(failure)
            for complete in completions { complete(failure) }
            for write in batch.dropFirst(completions.count) { write.fail(failure) }
        }
    }
}

/// The result of a write, and its publication after it is durable.
struct SQLiteChange<Value: Sendable>: Sendable {
    let result: Result<Value, StoreError>
    let publish: @Sendable () -> Void

    init(_ result: Result<Value, StoreError>, publish: @escaping @Sendable () -> Void = {}) {
        self.result = result
        self.publish = publish
    }
}
