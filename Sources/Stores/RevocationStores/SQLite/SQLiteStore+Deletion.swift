import GRDB
package import GatewayCore
package import Revocation

/// Deletions of accounts: each is one transaction and therefore complete.
extension SQLiteStore {
    /// Deletes an account.
    package func deleteAccount(
        _ uid: UserKey, unlessChangedFrom expected: UserRecord?
    ) async throws(StoreError) -> AccountDeletion {
        try checkOpen()
        try StoreBounds.check(user: uid)
        return try await writer.write { [linkGenerations, view, clock, outbox] db in
            let now = UnixTime(clamping: clock.now())
            let creation = try SQLiteAccounts.creation(of: uid, db)
            if creation.deleted != nil { return SQLiteChange(.success(.deleted([]))) }
            guard creation.isMade else { return SQLiteChange(.success(.absent)) }
            let user = try SQLiteRows.user(uid, db) ?? StoredUser()
            if let expected, user.record.map({ $0.disabled || $0.validSince != expected.validSince }) ?? true {
                return SQLiteChange(.success(.changed))
            }
            let links = try SQLiteAccounts.links(of: uid, db).map { IdentityLink(provider: $0.key, subject: $0.value) }
            var records: [(key: StoreKey, word: RecordWord)] = []
            var messages = SQLiteOutbox(outbox, of: uid, at: now, isDeletion: true)
            try messages.addEvent("account.deleted", links, db)
            for link in links {
                try messages.addRevocations(of: link, db)
                let record = try Self.revokeCredentials(of: link, before: now.adding(1), db)
                if let record { records.append(record) }
                try SQLiteAccounts.remove(link, of: uid, db)
            }
            try SQLiteAccounts.deleteData(of: uid, at: now, db)
            records.append(try Self.disable(uid, user, at: now, db))
            return SQLiteChange(.success(.deleted(links, dropped: messages.dropped))) { [records, messages] in
                outbox.record(added: messages.added, dropped: messages.dropped)
                for record in records { view.setUser(record.key, to: record.word) }
                for link in links { linkGenerations.changed(link.name) }
            }
        }
    }

    /// Returns whether the account is deleted. No deletion is incomplete.
    package func completeDeletion(of uid: UserKey, holding _: IdentityLink) async throws(StoreError) -> Bool {
        try await deletionTime(of: uid) != nil
    }

    /// Returns the time of the deletion, read from the file.
    package func deletionTime(of uid: UserKey) async throws(StoreError) -> UnixTime? {
        try checkOpen()
        try StoreBounds.check(user: uid)
        return try await writer.read { db in try SQLiteAccounts.creation(of: uid, db).deleted }
    }

    /// Disables a user and revokes all credentials, also if the record is faulty.
    static func disable(
        _ uid: UserKey, _ user: StoredUser, at now: UnixTime, _ db: Database
    ) throws -> (key: StoreKey, word: RecordWord) {
        let last = try SQLiteRows.order(uid, db).lastSession ?? now
        let validSince = max(now, last, (user.validSince.value ?? nil) ?? now)
        try SQLiteRows.setValidSince(validSince, of: uid, db)
        try SQLiteRows.setDisabled(true, of: uid, db)
        let disabled = StoredUser(validSince: .valid(validSince), disabled: .valid(true))
        return (try StoreKeyMaker().key(of: uid), disabled.word)
    }

    /// Revokes all credentials of an identity from before a time. The user's record ends the sessions of the account.
    ///
    /// - Returns: The identity's record to publish. `nil` if it did not change.
    static func revokeCredentials(
        of link: IdentityLink, before since: UnixTime, _ db: Database
    ) throws -> (key: StoreKey, word: RecordWord)? {
        // A longer name is not a valid user, so it has no sessions.
        guard (try? StoreBounds.check(user: UserKey(link))) != nil else { return nil }
        var user = try SQLiteRows.user(UserKey(link), db) ?? StoredUser()
        // A user with a faulty record is denied in any case.
        guard user.validSince != .faulty else { return nil }
        try SQLiteRows.revoke(UserKey(link), &user, to: since, at: since, db)
        return (try StoreKeyMaker().key(of: UserKey(link)), user.word)
    }
}
