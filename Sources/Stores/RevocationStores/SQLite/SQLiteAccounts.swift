import Foundation
import GRDB
import GatewayCore
import Revocation

/// The statements for accounts and their links. Names are bound and read as bytes, as in `SQLiteRows`.
enum SQLiteAccounts {
    /// Returns the account of a user. It is empty if there is neither a row nor a link.
    ///
    /// - Parameters:
    ///   - knowsUnlinked: Whether the file's version has unlinked identities.
    ///   - knowsEvidence: Whether the file's version has the evidence of links from Firebase.
    ///   - knowsProfile: Whether the file's version has the parts of profiles that users choose.
    static func account(
        _ uid: UserKey, _ db: Database, knowsUnlinked: Bool = true, knowsEvidence: Bool = true,
        knowsProfile: Bool = true
    ) throws -> AccountRecord {
        let links = try links(of: uid, db)
        let evidence = knowsEvidence ? try evidence(of: uid, db) : [:]
        var unlinked = UnlinkedIdentities(knowsUnlinked ? try self.unlinked(from: uid, db) : [])
        let statement = try db.cachedStatement(
            sql: """
                SELECT CAST(email AS BLOB), email_verified, CAST(name AS BLOB), created,
                    \(knowsUnlinked ? "CAST(email_from AS BLOB), unlinked_more" : "NULL, 0"),
                    \(knowsProfile ? "CAST(picture AS BLOB), chosen" : "NULL, 0") FROM account
                WHERE uid = CAST(? AS TEXT)
                """)
        guard let row = try Row.fetchOne(statement, arguments: [uid.name.bytes]) else {
            return AccountRecord(user: uid, links: links, unlinked: unlinked, evidence: evidence)
        }
        unlinked.hasMore = row[5] != 0
        let verified = StoredField<Bool>(flag: row[1])
        let created = StoredField<UnixTime?>(time: row[3])
        guard let verified = verified.value, let created = created.value,
            case .int64(let chosen) = (row[7] as DatabaseValue).storage,
            let parts = UInt8(exactly: chosen), parts <= ProfileParts.all.rawValue
        else { throw faulty() }
        return AccountRecord(
            user: uid, email: try row.text(0), emailVerified: verified, emailFrom: try row.text(4),
            name: try row.text(2), picture: try row.text(6), chosen: ProfileParts(rawValue: parts), created: created,
            links: links, unlinked: unlinked, evidence: evidence)
    }

    private static func unlinked(from uid: UserKey, _ db: Database) throws -> Set<IdentityLink> {
        let statement = try db.cachedStatement(
            sql: "SELECT CAST(provider AS BLOB), CAST(subject AS BLOB) FROM unlinked WHERE uid = CAST(? AS TEXT)")
        var unlinked: Set<IdentityLink> = []
        for row in try Row.fetchAll(statement, arguments: [uid.name.bytes]) {
            guard let provider = try row.text(0), let subject = try row.text(1) else { throw faulty() }
            unlinked.insert(IdentityLink(provider: provider, subject: subject))
        }
        return unlinked
    }

    static func links(of uid: UserKey, _ db: Database) throws -> [String: String] {
        let statement = try db.cachedStatement(
            sql: "SELECT CAST(provider AS BLOB), CAST(subject AS BLOB) FROM link WHERE uid = CAST(? AS TEXT)")
        var links: [String: String] = [:]
        for row in try Row.fetchAll(statement, arguments: [uid.name.bytes]) {
            guard let provider = try row.text(0), let subject = try row.text(1) else { throw faulty() }
            links[provider] = subject
        }
        return links
    }

    private static func evidence(of uid: UserKey, _ db: Database) throws -> [String: FirebaseEvidence] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT CAST(provider AS BLOB), CAST(firebase AS BLOB) FROM link
                WHERE uid = CAST(? AS TEXT) AND firebase IS NOT NULL
                """)
        var evidence: [String: FirebaseEvidence] = [:]
        for row in try Row.fetchAll(statement, arguments: [uid.name.bytes]) {
            guard let provider = try row.text(0), let found = try row.text(1).flatMap(FirebaseEvidence.init(text:))
            else { throw faulty() }
            evidence[provider] = found
        }
        return evidence
    }

    static func owner(of link: IdentityLink, _ db: Database) throws -> UserKey? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT CAST(uid AS BLOB) FROM link WHERE provider = CAST(? AS TEXT) AND subject = CAST(? AS TEXT)
                """)
        return try Row.fetchOne(statement, arguments: [link.provider.bytes, link.subject.bytes])?.text(0).map(
            UserKey.init(name:))
    }

    static func uid(ofEmail email: String, _ db: Database) throws -> UserKey? {
        let statement = try db.cachedStatement(
            sql: "SELECT CAST(uid AS BLOB) FROM email WHERE email = CAST(? AS TEXT)")
        return try Row.fetchOne(statement, arguments: [email.bytes])?.text(0).map(UserKey.init(name:))
    }

    /// Inserts or replaces the row of an account, without an open change of its address. Links have separate rows.
    static func put(_ account: AccountRecord, _ db: Database) throws {
        try db.run(
            """
            INSERT OR REPLACE INTO account (uid, email, email_verified, email_from, name, created, unlinked_more, picture,
                chosen)
            VALUES (CAST(? AS TEXT), CAST(? AS TEXT), ?, CAST(? AS TEXT), CAST(? AS TEXT), ?, ?, CAST(? AS TEXT), ?)
            """,
            [
                account.user.name.bytes, account.email?.bytes, account.emailVerified ? 1 : 0,
                account.email == nil ? nil : account.emailFrom?.bytes, account.name?.bytes,
                account.created?.seconds, account.unlinked.hasMore ? 1 : 0, account.picture?.bytes,
                Int64(account.chosen.rawValue),
            ])
    }

    static func put(
        _ link: IdentityLink, of uid: UserKey, evidence: FirebaseEvidence? = nil, _ db: Database
    ) throws {
        try db.run(
            """
            INSERT INTO link (provider, subject, uid, firebase)
            VALUES (CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT))
            """, [link.provider.bytes, link.subject.bytes, uid.name.bytes, evidence?.text.bytes])
        try SQLiteRows.change(uid, "link", db)
    }

    static func remove(_ link: IdentityLink, of uid: UserKey, _ db: Database) throws {
        try db.run(
            "DELETE FROM link WHERE provider = CAST(? AS TEXT) AND subject = CAST(? AS TEXT)",
            [link.provider.bytes, link.subject.bytes])
        try SQLiteRows.change(uid, "link", db)
    }

    /// Remembers an identity as unlinked. If there are too many, the account loses its address instead and cannot get
    /// another.
    ///
    /// - Returns: The lost address. `nil` if the account loses none.
    @discardableResult
    static func remember(_ link: IdentityLink, of uid: UserKey, _ db: Database) throws -> String? {
        let row: StatementArguments = [uid.name.bytes, link.provider.bytes, link.subject.bytes]
        try db.run(
            """
            INSERT OR IGNORE INTO unlinked (uid, provider, subject)
            VALUES (CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT))
            """, row)
        let statement = try db.cachedStatement(sql: "SELECT count(*) FROM unlinked WHERE uid = CAST(? AS TEXT)")
        let count = try Int.fetchOne(statement, arguments: [uid.name.bytes]) ?? 0
        guard count > StoreBounds.maximumUnlinked else { return nil }
        try forget(link, of: uid, db)
        try db.run(
            """
            INSERT INTO account (uid, unlinked_more) VALUES (CAST(? AS TEXT), 1)
            ON CONFLICT DO UPDATE SET unlinked_more = 1
            """, [uid.name.bytes])
        return try removeEmail(of: uid, from: nil, db)
    }

    /// Forgets that an identity was unlinked.
    static func forget(_ link: IdentityLink, of uid: UserKey, _ db: Database) throws {
        try db.run(
            """
            DELETE FROM unlinked
            WHERE uid = CAST(? AS TEXT) AND provider = CAST(? AS TEXT) AND subject = CAST(? AS TEXT)
            """, [uid.name.bytes, link.provider.bytes, link.subject.bytes])
    }

    /// Removes an address that a provider supplied, or whose source is unknown. It reads no other field, so it
    /// succeeds for a faulty row.
    ///
    /// - Parameter provider: The provider. `nil` to remove the address in any case.
    /// - Returns: The removed address. `nil` if none was removed.
    static func removeEmail(of uid: UserKey, from provider: String?, _ db: Database) throws -> String? {
        let condition = "uid = CAST(?1 AS TEXT) AND (?2 IS NULL OR email_from IS NULL OR email_from = CAST(?2 AS TEXT))"
        let arguments: StatementArguments = [uid.name.bytes, provider?.bytes]
        let statement = try db.cachedStatement(
            sql: "SELECT CAST(email AS BLOB) FROM account WHERE email IS NOT NULL AND \(condition)")
        guard let row = try Row.fetchOne(statement, arguments: arguments) else { return nil }
        let email = try row.withName(0) { String(decoding: $0, as: UTF8.self) }
        try db.run(
            """
            DELETE FROM email WHERE uid = CAST(?1 AS TEXT)
                AND email = (SELECT email FROM account WHERE \(condition))
            """, arguments)
        try db.run(
            """
            UPDATE account SET email = NULL, email_verified = 0, email_from = NULL, email_ticket = NULL,
                chosen = chosen & \(ProfileParts.all.subtracting(.email).rawValue)
            WHERE email IS NOT NULL AND \(condition)
            """, arguments)
        return email
    }

    static func put(email: String, of uid: UserKey, _ db: Database) throws {
        try db.run(
            "INSERT OR REPLACE INTO email (email, uid) VALUES (CAST(? AS TEXT), CAST(? AS TEXT))",
            [email.bytes, uid.name.bytes])
    }

    static func remove(email: String, of uid: UserKey, _ db: Database) throws {
        try db.run(
            "DELETE FROM email WHERE email = CAST(? AS TEXT) AND uid = CAST(? AS TEXT)", [email.bytes, uid.name.bytes])
    }

    static func setNameIfAbsent(_ name: String, of uid: UserKey, _ db: Database) throws {
        try db.run(
            """
            INSERT INTO account (uid, name) VALUES (CAST(? AS TEXT), CAST(? AS TEXT))
            ON CONFLICT DO UPDATE SET name = excluded.name
            WHERE name IS NULL AND deleted IS NULL AND chosen & \(ProfileParts.name.rawValue) = 0
            """, [uid.name.bytes, name.bytes])
    }

    /// Changes the chosen parts of the profile of an account that the gateway created. Returns whether there is one.
    static func setProfile(_ change: ProfileChange, of uid: UserKey, _ db: Database) throws -> Bool {
        try db.run(
            """
            UPDATE account SET name = CASE ?2 WHEN 0 THEN name ELSE CAST(?3 AS TEXT) END,
                picture = CASE ?4 WHEN 0 THEN picture ELSE CAST(?5 AS TEXT) END, chosen = chosen | ?2 | ?4
            WHERE uid = CAST(?1 AS TEXT) AND created IS NOT NULL AND deleted IS NULL
            """,
            [
                uid.name.bytes, change.name == .kept ? 0 : Int64(ProfileParts.name.rawValue), change.name.text?.bytes,
                change.picture == .kept ? 0 : Int64(ProfileParts.picture.rawValue), change.picture.text?.bytes,
            ])
        return db.changesCount > 0
    }

    /// Removes the name and the picture that the user of an account chose.
    static func removeChosenProfile(of uid: UserKey, _ db: Database) throws {
        try db.run(
            """
            UPDATE account SET name = CASE WHEN chosen & \(ProfileParts.name.rawValue) = 0 THEN name END,
                picture = NULL, chosen = chosen & \(ProfileParts.email.rawValue)
            WHERE uid = CAST(? AS TEXT) AND chosen & \(ProfileParts.all.subtracting(.email).rawValue) <> 0
            """, [uid.name.bytes])
    }

    /// Whether the gateway created an account, and when it was deleted. It reads no other field, so it succeeds for a
    /// faulty row.
    static func creation(of uid: UserKey, _ db: Database) throws -> (isMade: Bool, deleted: UnixTime?) {
        let statement = try db.cachedStatement(
            sql: "SELECT created IS NOT NULL, deleted FROM account WHERE uid = CAST(? AS TEXT)")
        guard let row = try Row.fetchOne(statement, arguments: [uid.name.bytes]) else { return (false, nil) }
        // An account with an invalid time is deleted, too.
        let deleted = StoredField<UnixTime?>(time: row[1])
        return (row[0] != 0, deleted.value ?? 0)
    }

    static func isDeleted(_ uid: UserKey, _ db: Database) throws -> Bool { try creation(of: uid, db).deleted != nil }

    /// Removes all data of an account whose links were removed, and stores the time of the deletion.
    static func deleteData(of uid: UserKey, at now: UnixTime, _ db: Database) throws {
        for table in ["email", "unlinked", "session_list"] {
            try db.run("DELETE FROM \(table) WHERE uid = CAST(? AS TEXT)", [uid.name.bytes])
        }
        try db.run(
            """
            UPDATE account SET email = NULL, email_verified = 0, email_from = NULL, name = NULL, created = NULL,
                unlinked_more = 0, picture = NULL, chosen = 0, email_ticket = NULL, deleted = ?
            WHERE uid = CAST(? AS TEXT)
            """, [now.seconds, uid.name.bytes])
    }

    /// Returns the user that an account was merged into. `nil` if it was not merged.
    static func mergeTarget(of uid: UserKey, _ db: Database) throws -> UserKey? {
        let statement = try db.cachedStatement(
            sql: "SELECT CAST(merged_into AS BLOB) FROM account WHERE uid = CAST(? AS TEXT)")
        return try Row.fetchOne(statement, arguments: [uid.name.bytes])?.text(0).map(UserKey.init(name:))
    }

    /// Moves all links of an account, with the kept tokens.
    static func moveLinks(of source: UserKey, to target: UserKey, _ db: Database) throws {
        try db.run(
            "UPDATE link SET uid = CAST(? AS TEXT) WHERE uid = CAST(? AS TEXT)",
            [target.name.bytes, source.name.bytes])
        for user in [source, target] { try SQLiteRows.change(user, "link", db) }
    }

    static func setMergeTarget(_ target: UserKey, of uid: UserKey, _ db: Database) throws {
        try db.run(
            "UPDATE account SET merged_into = CAST(? AS TEXT) WHERE uid = CAST(? AS TEXT)",
            [target.name.bytes, uid.name.bytes])
    }

    static func setting(_ name: String, initial: [UInt8], _ db: Database) throws -> [UInt8] {
        try db.run("INSERT OR IGNORE INTO setting (name, value) VALUES (?, ?)", [name, Data(initial)])
        guard let value = try setting(name, db) else { throw faulty() }
        return value
    }

    /// `nil` if the setting is absent.
    static func setting(_ name: String, _ db: Database) throws -> [UInt8]? {
        let statement = try db.cachedStatement(sql: "SELECT value FROM setting WHERE name = ?")
        guard let row = try Row.fetchOne(statement, arguments: [name]) else { return nil }
        guard case .blob(let value) = (row[0] as DatabaseValue).storage, !value.isEmpty else {
            throw StoreError.faultyRecord(
                repair: "the value of the setting \(name) is invalid; remove its row to create it again")
        }
        return Array(value)
    }

    static func faulty() -> StoreError {
        .faultyRecord(repair: "the account's row or one of its links is invalid; correct it in the file")
    }
}

extension Row {
    /// Returns a text that was read as bytes. `nil` for NULL.
    fileprivate func text(_ index: Int) throws -> String? {
        if hasNull(atIndex: index) { return nil }
        guard let text = try withName(index, { String(validating: $0, as: UTF8.self) }) else {
            throw SQLiteAccounts.faulty()
        }
        return text
    }
}
