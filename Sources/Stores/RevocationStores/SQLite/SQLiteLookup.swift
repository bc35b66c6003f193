import GRDB
package import Revocation

/// A read-only diagnosis of an embedded store's file from outside a gateway. The file is closed at once.
package enum SQLiteLookup {
    /// Returns the records of a user and one session in the file, as the view would contain them.
    ///
    /// - Returns: `nil` if there is no such file; a gateway then starts without records.
    /// - Throws: `.inUse` while a gateway uses the file, or the reason that it cannot be read.
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

    /// Returns the named settings of the file.
    ///
    /// - Returns: `nil` if there is no such file.
    /// - Throws: As ``records(path:of:session:)``.
    package static func settings(path: String, _ names: [String]) throws(StoreError) -> [String: [UInt8]]? {
        try read(from: path) { db, version in
            guard version >= SQLiteSchema.versionOfAccounts else { return [:] }
            return try names.reduce(into: [:]) { settings, name in
                settings[name] = try SQLiteAccounts.setting(name, db)
            }
        }
    }

    /// Returns the account of an identity's user. It contains only the user if the file has no other data.
    ///
    /// - Returns: `nil` if there is no such file or the identity is not linked.
    /// - Throws: As ``records(path:of:session:)``.
    package static func owner(path: String, of link: IdentityLink) throws(StoreError) -> AccountRecord? {
        try read(from: path) { db, version in
            guard version >= SQLiteSchema.versionOfAccounts, let user = try SQLiteAccounts.owner(of: link, db)
            else { return nil }
            return try SQLiteAccounts.account(
                user, db, knowsUnlinked: version >= SQLiteSchema.versionOfUnlinked,
                knowsEvidence: version >= SQLiteSchema.versionOfEvidence,
                knowsProfile: version >= SQLiteSchema.versionOfProfiles)
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
