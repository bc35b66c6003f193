import Revocation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

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
