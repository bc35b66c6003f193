import GRDB

/// A look into the file of an embedded store from outside, for diagnosis: nothing is written, and the file is let go at once.
enum SQLiteLook {
    /// What the file says of a user and one of their sessions, if there is one, as the view would keep it.
    ///
    /// - Returns: nil where there is no such file: a gateway that starts on it knows nothing.
    /// - Throws: `.inUse` while a gateway runs on the file, else what kept it from being read.
    static func records(
        path: String, uid: String, session: String?
    ) throws(StoreError) -> (user: RecordWord, session: RecordWord)? {
        guard SQLiteFile.exists(path) else { return nil }
        do {
            var configuration = GRDB.Configuration()
            configuration.readonly = true
            configuration.busyMode = .immediateError
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            return try queue.read { db in try read(uid, session, db) }
        } catch {
            throw StoreError(opening: path, error)
        }
    }

    private static func read(
        _ uid: String, _ session: String?, _ db: Database
    ) throws -> (user: RecordWord, session: RecordWord) {
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        try SQLiteSchema.check(db, version: version)
        guard version > 0 else { return (.none, .none) }
        let user = try SQLiteRows.user(uid, db)?.word ?? .none
        guard let session else { return (user, .none) }
        return (user, try SQLiteRows.session(uid, session, db)?.word ?? .none)
    }
}
