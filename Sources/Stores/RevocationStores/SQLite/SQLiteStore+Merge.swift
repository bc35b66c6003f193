import GRDB
import GatewayCore
package import Revocation

/// Merges of accounts: each is one transaction and therefore complete.
extension SQLiteStore {
    /// Merges an account into another one.
    package func merge(_ source: UserKey, into target: UserKey) async throws(StoreError) -> AccountMerge {
        try checkOpen()
        try StoreBounds.check(merging: source, into: target)
        let now = UnixTime(clamping: clock.now())
        return try await writer.write { [linkGenerations, view, outbox] db in
            if try SQLiteAccounts.mergeTarget(of: source, db) == target { return SQLiteChange(.success(.merged([]))) }
            if let refusal = try Self.refusal(of: source, into: target, db) { return SQLiteChange(.success(refusal)) }
            let user = try SQLiteRows.user(source, db) ?? StoredUser()
            guard let record = user.record else {
                throw StoreError.faultyRecord(repair: "unrevoke and enable the user")
            }
            guard !record.disabled else { return SQLiteChange(.success(.sourceDisabled)) }
            let from = try SQLiteAccounts.account(source, db)
            var into = try SQLiteAccounts.account(target, db)
            guard from.evidence.isEmpty, into.evidence.isEmpty else { return SQLiteChange(.success(.firebase)) }
            if let provider = from.links.keys.sorted().first(where: { into.links[$0] != nil }) {
                return SQLiteChange(.success(.providerTaken(provider)))
            }
            guard from.links.count + into.links.count <= StoreBounds.maximumLinks else {
                throw StoreError.tooManyLinks()
            }
            // The owner of an address that is not verified could take over the identities of the source.
            var ended: EndedSessions?
            if !into.emailVerified, try SQLiteAccounts.removeEmail(of: target, from: nil, db) != nil {
                into = try SQLiteAccounts.account(target, db)
                ended = try Self.endSessions(of: target, at: now, db)
            }
            let links = from.links.sorted { $0.key < $1.key }.map { IdentityLink(provider: $0.key, subject: $0.value) }
            var records = try Self.keepRevocation(record, of: source, links, db)
            try SQLiteAccounts.moveLinks(of: source, to: target, db)
            for link in links { try SQLiteAccounts.forget(link, of: target, db) }
            let isRemembered = try Self.moveUnlinked(from, to: into, db)
            if isRemembered, let email = into.takeEmail(of: from),
                try SQLiteAccounts.uid(ofEmail: email, db) == source
            {
                try SQLiteAccounts.put(email: email, of: target, db)
            }
            into.takeProfile(of: from)
            try SQLiteAccounts.put(into, db)
            var messages = SQLiteOutbox(outbox, of: source, at: now, isDeletion: true)
            try messages.addEvent("account.merged", links, mergedInto: target, db)
            try SQLiteAccounts.deleteData(of: source, at: now, db)
            try SQLiteAccounts.setMergeTarget(target, of: source, db)
            records.append(try Self.disable(source, user, at: now, db))
            return SQLiteChange(.success(.merged(links, dropped: messages.dropped))) { [records, messages, ended] in
                outbox.record(added: messages.added, dropped: messages.dropped)
                ended?.publish(in: view, linkGenerations)
                for record in records { view.setUser(record.key, to: record.word) }
                for link in links { linkGenerations.changed(link.name) }
            }
        }
    }

    /// Returns the account that a user's account was merged into, read from the file.
    package func mergeTarget(of uid: UserKey) async throws(StoreError) -> UserKey? {
        try checkOpen()
        try StoreBounds.check(user: uid)
        return try await writer.read { db in try SQLiteAccounts.mergeTarget(of: uid, db) }
    }

    /// Returns the reason if one of the accounts does not exist.
    private static func refusal(of source: UserKey, into target: UserKey, _ db: Database) throws -> AccountMerge? {
        let (from, into) = (try SQLiteAccounts.creation(of: source, db), try SQLiteAccounts.creation(of: target, db))
        guard from.isMade, from.deleted == nil else { return .sourceAbsent }
        return into.isMade && into.deleted == nil ? nil : .targetAbsent
    }

    /// Revokes the credentials of the source's identities that are revoked with the source's user. They would be valid
    /// for the target otherwise. Returns the records to publish.
    private static func keepRevocation(
        _ record: UserRecord, of source: UserKey, _ links: [IdentityLink], _ db: Database
    ) throws -> [(key: StoreKey, word: RecordWord)] {
        let revokedAt = try SQLiteRows.order(source, db).revokedAt
        guard let since = UserRecord(validSince: record.validSince, revokedAt: revokedAt).credentialsSince else {
            return []
        }
        return try links.compactMap { try revokeCredentials(of: $0, before: since, db) }
    }

    /// Adds the identities that were unlinked from the source to the list of the target, up to its limit.
    ///
    /// - Returns: Whether all are remembered.
    private static func moveUnlinked(_ source: AccountRecord, to target: AccountRecord, _ db: Database) throws -> Bool {
        let links = source.links.merging(target.links) { one, _ in one }
        func isLinked(_ link: IdentityLink) -> Bool { links[link.provider]?.isExactly(link.subject) == true }
        let kept = target.unlinked.links.filter { !isLinked($0) }
        let moved = source.unlinked.links.filter { !isLinked($0) && !kept.contains($0) }.sorted { $0.name < $1.name }
        let room = max(0, StoreBounds.maximumUnlinked - kept.count)
        for link in moved.prefix(room) { try SQLiteAccounts.remember(link, of: target.user, db) }
        return moved.count <= room && !source.unlinked.hasMore
    }
}

extension AccountRecord {
    /// Takes the parts of another account's profile that this account lacks, unless its user chose to have none.
    fileprivate mutating func takeProfile(of source: AccountRecord) {
        if name == nil, !chosen.contains(.name), let other = source.name {
            name = other
            chosen.formUnion(source.chosen.intersection(.name))
        }
        if picture == nil, !chosen.contains(.picture), let other = source.picture {
            picture = other
            chosen.formUnion(source.chosen.intersection(.picture))
        }
    }

    /// Takes the verified address of another account if this account has none: an address that the user chose, or that
    /// a linked identity supplied. Returns the address.
    fileprivate mutating func takeEmail(of source: AccountRecord) -> String? {
        let isKnown = source.chosen.contains(.email) || source.emailFrom.map { source.links[$0] != nil } ?? false
        guard email == nil, !unlinked.hasMore, isKnown, source.emailVerified, let other = source.email else {
            return nil
        }
        (email, emailVerified, emailFrom) = (other, true, source.emailFrom)
        chosen.formUnion(source.chosen.intersection(.email))
        return other
    }
}
