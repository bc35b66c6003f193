import GRDB
import Revocation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Opens the file of an embedded store: durable, ours alone, and at the newest schema.
enum SQLiteFile {
    /// - Parameters:
    ///   - path: the file, made when absent, readable by its owner only; nil for a database in memory.
    ///   - maximumSize: the size, in bytes, that the file may not exceed.
    static func connect(path: String?, maximumSize: Int?) throws(StoreError) -> DatabaseQueue {
        do {
            if let path { try create(path) }
            var configuration = GRDB.Configuration()
            configuration.label = "gatehouse.store"
            configuration.busyMode = .immediateError
            configuration.prepareDatabase { db in try prepare(db) }
            let queue =
                try path.map { try DatabaseQueue(path: $0, configuration: configuration) }
                ?? DatabaseQueue(configuration: configuration)
            try queue.writeWithoutTransaction { db in try setUp(db, inMemory: path == nil, maximumSize: maximumSize) }
            return queue
        } catch {
            throw StoreError(opening: path ?? ":memory:", error)
        }
    }

    static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    /// The file may come to hold secrets, and SQLite gives its companions the same mode. Where it cannot be made, opening
    /// it tells why.
    ///
    /// SQLite would open a file that it may only read, and then tell of a failed lock.
    private static func create(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
        guard exists(path), access(path, W_OK) != 0 else { return }
        throw .readOnly()
    }

    /// What must be said before the file is first touched.
    ///
    /// The exclusive locking mode holds SQLite's lock from the first read on until the file is closed or the process
    /// ends, however it ends. Nobody else can then write records that the view would not have.
    private static func prepare(_ db: Database) throws {
        try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
        try db.execute(sql: "PRAGMA synchronous = FULL")
        try db.execute(sql: "PRAGMA fullfsync = ON")
        try db.execute(sql: "PRAGMA checkpoint_fullfsync = ON")
    }

    private static func setUp(_ db: Database, inMemory: Bool, maximumSize: Int?) throws {
        let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode = \(inMemory ? "MEMORY" : "WAL")")
        guard mode == (inMemory ? "memory" : "wal"), try Int.fetchOne(db, sql: "PRAGMA synchronous") == 2 else {
            throw StoreError(.cannotOpen, "SQLite refused its write-ahead log; use a local file system")
        }
        try db.execute(sql: "PRAGMA journal_size_limit = \(64 << 20)")
        try SQLiteSchema.migrate(db)
        if let maximumSize {
            let pageSize = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 4096
            try db.execute(sql: "PRAGMA max_page_count = \(max(1, maximumSize / pageSize))")
        }
    }
}

/// Which files an open database is: SQLite goes on with a file that was renamed or deleted, and what it writes there is lost at the next start.
struct SQLiteIdentity: Sendable {
    private struct File: Equatable {
        let device: UInt64
        let node: UInt64

        /// Nil where there is no such file.
        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            device = UInt64(status.st_dev)
            node = UInt64(status.st_ino)
        }
    }

    private let path: String
    private let file: File?
    /// Of the write-ahead log, which holds what was written last.
    private let log: File?

    /// The files of a database that was just opened; nil for one in memory.
    init?(openedAt path: String?) {
        guard let path else { return nil }
        self.path = path
        file = File(path)
        log = File(path + "-wal")
    }

    /// Whether the path still names these files.
    var isInPlace: Bool {
        file != nil && File(path) == file && (log == nil || File(path + "-wal") == log)
    }
}

extension StoreError {
    static func moved() -> StoreError {
        StoreError(
            .moved,
            "the store's file was moved, replaced or deleted while the gateway runs; put it back, or start the gateway again"
        )
    }
}
