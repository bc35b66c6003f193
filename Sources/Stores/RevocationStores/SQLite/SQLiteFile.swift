import GRDB
import Revocation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Opens the file of an embedded store with durable writes and an exclusive lock, and migrates it to the current
/// schema.
enum SQLiteFile {
    /// Opens a database.
    ///
    /// - Parameters:
    ///   - path: The file, which is created with mode 0600 if it is absent. `nil` for a database in memory.
    ///   - maximumSize: The maximum size of the file in bytes. `nil` for no limit.
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

    /// Checks whether a gateway could open an existing file for writing.
    static func checkWritable(_ path: String) throws(StoreError) {
        guard access(path, W_OK) == 0 else {
            throw StoreError(opening: path, StoreError.readOnly())
        }
        try checkWritable(folderOf: path)
    }

    /// Checks whether a gateway could create files in the folder of `path`: the file itself and its write-ahead log.
    static func checkWritable(folderOf path: String) throws(StoreError) {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard access(folder, W_OK | X_OK) == 0 else {
            throw StoreError(
                .cannotOpen, "\(path): its folder \(folder) is absent or not writable; create it, or change its owner")
        }
    }

    /// Creates the file with mode 0600, since it can contain secrets; SQLite gives its companion files the same mode.
    /// If the file cannot be created, opening it reports the reason.
    ///
    /// A read-only file throws here, because SQLite would open it and then report a failed lock.
    private static func create(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
        guard exists(path), access(path, W_OK) != 0 else { return }
        throw .readOnly()
    }

    /// Sets the options that must precede the first access.
    ///
    /// In exclusive locking mode, SQLite holds its lock from the first read until the file is closed or the process
    /// ends. No other process can then write records that the view lacks.
    private static func prepare(_ db: Database) throws {
        try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
        try db.execute(sql: "PRAGMA synchronous = FULL")
        try db.execute(sql: "PRAGMA fullfsync = ON")
        try db.execute(sql: "PRAGMA checkpoint_fullfsync = ON")
        // The data of a deleted account is overwritten.
        try db.execute(sql: "PRAGMA secure_delete = ON")
    }

    private static func setUp(_ db: Database, inMemory: Bool, maximumSize: Int?) throws {
        let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode = \(inMemory ? "MEMORY" : "WAL")")
        guard mode == (inMemory ? "memory" : "wal"), try Int.fetchOne(db, sql: "PRAGMA synchronous") == 2 else {
            throw StoreError(.cannotOpen, "SQLite could not enable its write-ahead log; use a local file system")
        }
        try db.execute(sql: "PRAGMA journal_size_limit = \(64 << 20)")
        try SQLiteSchema.migrate(db)
        if let maximumSize {
            let pageSize = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 4096
            try db.execute(sql: "PRAGMA max_page_count = \(max(1, maximumSize / pageSize))")
        }
    }
}

/// The identity of the files of an open database. SQLite continues with a renamed or deleted file, and those writes
/// are lost at the next start.
struct SQLiteIdentity: Sendable {
    private struct File: Equatable {
        let device: UInt64
        let node: UInt64

        /// `nil` if there is no such file.
        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            device = UInt64(status.st_dev)
            node = UInt64(status.st_ino)
        }
    }

    private let path: String
    private let file: File?
    /// The write-ahead log, which contains the latest writes.
    private let log: File?

    /// Records the files of a newly opened database. `nil` for a database in memory.
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
            "the store's file was moved, replaced or deleted while the gateway is running; restore it, or restart the gateway"
        )
    }
}
