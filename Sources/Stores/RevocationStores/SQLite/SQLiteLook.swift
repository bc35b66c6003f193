import GRDB
package import Revocation

/// A look into the file of an embedded store from outside, for diagnosis: nothing is written, and the file is let go at once.
package enum SQLiteLook {
    /// What the file says of a user and one of their sessions, if there is one, as the view would keep it.
    ///
    /// - Returns: nil where there is no such file: a gateway that starts on it knows nothing.
    /// - Throws: `.inUse` while a gateway runs on the file, else what kept it from being read.
    package static func records(
        path: String, of user: UserKey, session: String?
    ) throws(StoreError) -> (user: RecordWord, session: RecordWord)? {
        try read(from: path) { db, version in
            guard version > 0 else { return (.none, .none) }
            let record = try SQLiteRows.user(user, db)?.word ?? .none
            guard let session else { return (record, .none) }
            let hasProofs = version >= SQLiteSchema.versionOfProofs
            return (record, try SQLiteRows.session(user, session, db, hasProofs: hasProofs)?.word ?? .none)
        }
    }

    /// What the file has of settings, by their names.
    ///
    /// - Returns: nil where there is no such file.
    /// - Throws: as ``records(path:of:session:)``.
    package static func settings(path: String, _ names: [String]) throws(StoreError) -> [String: [UInt8]]? {
        try read(from: path) { db, version in
            guard version >= SQLiteSchema.versionOfAccounts else { return [:] }
            return try names.reduce(into: [:]) { settings, name in
                settings[name] = try SQLiteAccounts.setting(name, db)
            }
        }
    }

    /// Whose an identity is, with what is kept of that account; with the uid alone where nothing else is.
    ///
    /// - Returns: nil where there is no such file, or it is nobody's.
    /// - Throws: as ``records(path:of:session:)``.
    package static func owner(path: String, of link: IdentityLink) throws(StoreError) -> AccountRecord? {
        try read(from: path) { db, version in
            guard version >= SQLiteSchema.versionOfAccounts, let user = try SQLiteAccounts.owner(of: link, db)
            else { return nil }
            return try SQLiteAccounts.account(
                user, db, knowsUnlinked: version >= SQLiteSchema.versionOfUnlinked)
        } ?? nil
    }

    private static func read<Found>(
        from path: String, _ body: (Database, _ version: Int) throws -> Found
    ) throws(StoreError) -> Found? {
        guard SQLiteFile.exists(path) else { return nil }
        do {
            var configuration = GRDB.Configuration()
            configuration.readonly = true
            configuration.busyMode = .immediateError
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            return try queue.read { db in
                let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
                try SQLiteSchema.check(db, version: version)
                return try body(db, version)
            }
        } catch {
            throw StoreError(opening: path, error)
        }
    }
}
