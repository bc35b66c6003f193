import GRDB
package import GatewayCore
package import Revocation

/// Each operation is one transaction, so the file never contains a partial change.
extension SQLiteStore: AccountStore {
    /// Returns the user of an identity, read from the file.
    package func owner(of link: IdentityLink) async throws(StoreError) -> UserKey? {
        try checkOpen()
        try StoreBounds.check(link)
        return try await writer.read { db in try SQLiteAccounts.owner(of: link, db) }
    }

    /// Returns the account of a user, read from the file.
    package func account(_ uid: UserKey) async throws(StoreError) -> AccountRecord? {
        try checkOpen()
        try StoreBounds.check(user: uid)
        let account = try await writer.read { db in try SQLiteAccounts.account(uid, db) }
        return account.saysAnything ? account : nil
    }

    /// Returns the user of an address, read from the file.
    package func uid(ofEmail email: String) async throws(StoreError) -> UserKey? {
        try checkOpen()
        try StoreBounds.check(email: email)
        return try await writer.read { db in try SQLiteAccounts.uid(ofEmail: email, db) }
    }

    /// Creates an account, its link and its address.
    ///
    /// - Throws: `.invalidAccount` for an invalid record or a uid that is in use.
    package func createAccount(
        _ account: AccountRecord, claimsEmail: Bool
    ) async throws(StoreError) -> AccountCreation {
        try checkOpen()
        let link = try StoreBounds.check(creating: account)
        return try await writer.write { [linkGenerations] db in
            if let owner = try SQLiteAccounts.owner(of: link, db) {
                return SQLiteChange(.success(owner == account.user ? .created : .linkTaken(uid: owner)))
            }
            let email = claimsEmail ? account.email : nil
            if let email, let owner = try SQLiteAccounts.uid(ofEmail: email, db) {
                return SQLiteChange(.success(.emailTaken(uid: owner)))
            }
            guard try !SQLiteAccounts.account(account.user, db).saysAnything,
                try !SQLiteAccounts.isDeleted(account.user, db)
            else {
                throw StoreError.invalidAccount("the uid of the new account belongs to another account")
            }
            try SQLiteAccounts.put(account, db)
            if let email { try SQLiteAccounts.put(email: email, of: account.user, db) }
            try SQLiteAccounts.put(link, of: account.user, db)
            return SQLiteChange(.success(.created)) { linkGenerations.changed(link.name) }
        }
    }

    /// Links an identity to a user.
    package func claim(
        _ link: IdentityLink, for uid: UserKey, unlessUnlinked: Bool, evidence: FirebaseEvidence?
    ) async throws(StoreError) -> LinkClaim {
        try checkOpen()
        try StoreBounds.check(link)
        try StoreBounds.check(user: uid)
        return try await writer.write { [linkGenerations] db in
            var account = try SQLiteAccounts.account(uid, db)
            if let owner = try SQLiteAccounts.owner(of: link, db) {
                return SQLiteChange(.success(owner == uid ? .alreadyLinked(account) : .taken(uid: owner)))
            }
            if try SQLiteAccounts.isDeleted(uid, db) { return SQLiteChange(.success(.deleted)) }
            guard account.links[link.provider] == nil else { return SQLiteChange(.success(.providerTaken)) }
            if unlessUnlinked, account.unlinked.mayContain(link) { return SQLiteChange(.success(.unlinked)) }
            guard account.links.count < StoreBounds.maximumLinks else { throw StoreError.tooManyLinks() }
            try SQLiteAccounts.put(link, of: uid, evidence: evidence, db)
            try SQLiteAccounts.forget(link, of: uid, db)
            account.links[link.provider] = link.subject
            account.evidence[link.provider] = evidence
            account.unlinked.links.remove(link)
            return SQLiteChange(.success(.linked(account))) { linkGenerations.changed(link.name) }
        }
    }

    /// Unlinks a provider from a user.
    package func release(
        provider: String, of uid: UserKey, keeping start: UnixTime?
    ) async throws(StoreError) -> LinkRelease {
        try await release(provider: provider, of: uid, only: nil, keeping: start)
    }

    /// Unlinks an identity like `release`, if the link has this evidence.
    package func evict(
        _ link: IdentityLink, of uid: UserKey, evidence: FirebaseEvidence
    ) async throws(StoreError) -> Bool {
        try StoreBounds.check(link)
        if case .released = try await release(provider: link.provider, of: uid, only: (link, evidence)) { return true }
        return false
    }

    private func release(
        provider: String, of uid: UserKey, only: (link: IdentityLink, evidence: FirebaseEvidence)?,
        keeping start: UnixTime? = nil
    ) async throws(StoreError) -> LinkRelease {
        try checkOpen()
        try StoreBounds.check(provider: provider)
        try StoreBounds.check(user: uid)
        let now = UnixTime(clamping: clock.now())
        return try await writer.write { [linkGenerations, view, outbox] db in
            let account = try SQLiteAccounts.account(uid, db)
            guard let subject = account.links[provider] else { return SQLiteChange(.success(.absent)) }
            let link = IdentityLink(provider: provider, subject: subject)
            if let only {
                guard link == only.link, account.evidence[provider] == only.evidence else {
                    return SQLiteChange(.success(.absent))
                }
            } else if account.created != nil, account.links.count == 1 {
                return SQLiteChange(.success(.last))
            }
            var messages = SQLiteOutbox(outbox, of: uid, at: now)
            try messages.addRevocations(of: link, db)
            try messages.addEvent("account.unlinked", [link], db)
            var ended = [try Self.endSessions(of: UserKey(link), at: now, db)]
            try SQLiteAccounts.remove(link, of: uid, db)
            let email = try SQLiteAccounts.removeEmail(of: uid, from: provider, db)
            let released = try SQLiteAccounts.remember(link, of: uid, db)
            var lost: LostAddress?
            if let email = email ?? released {
                ended.append(try Self.endSessions(of: uid, keeping: start, at: now, db))
                lost = LostAddress(email: email, restarted: ended[1]?.restarted)
            }
            let left = try SQLiteAccounts.account(uid, db)
            return SQLiteChange(.success(.released(link, left, dropped: messages.dropped, lost: lost))) {
                [ended, messages] in
                outbox.record(added: messages.added, dropped: messages.dropped)
                for end in ended { end?.publish(in: view, linkGenerations) }
                linkGenerations.changed(link.name)
            }
        }
    }

    /// Unlinks all identities of an account, even if other records are faulty.
    @discardableResult
    package func releaseAll(
        of uid: UserKey, for successor: IdentityLink?
    ) async throws(StoreError) -> [IdentityLink] {
        try checkOpen()
        try StoreBounds.check(user: uid)
        let now = UnixTime(clamping: clock.now())
        return try await writer.write { [linkGenerations, view, outbox] db in
            let all = try SQLiteAccounts.links(of: uid, db).map { IdentityLink(provider: $0.key, subject: $0.value) }
            let links = all.filter { $0 != successor }
            var ended: [EndedSessions?] = []
            var messages = SQLiteOutbox(outbox, of: uid, at: now)
            var lost = successor == nil ? try SQLiteAccounts.removeEmail(of: uid, from: nil, db) : nil
            try SQLiteAccounts.removeChosenProfile(of: uid, db)
            for link in links {
                try messages.addRevocations(of: link, db)
                try messages.addEvent("account.unlinked", [link], db)
                ended.append(try Self.endSessions(of: UserKey(link), at: now, db))
                try SQLiteAccounts.remove(link, of: uid, db)
                let released = try SQLiteAccounts.remember(link, of: uid, db)
                lost = lost ?? released
            }
            if lost != nil { ended.append(try Self.endSessions(of: uid, at: now, db)) }
            return SQLiteChange(.success(links)) { [ended, messages] in
                outbox.record(added: messages.added, dropped: messages.dropped)
                for end in ended { end?.publish(in: view, linkGenerations) }
                for link in links { linkGenerations.changed(link.name) }
            }
        }
    }

    /// Ends the sessions of a user, or those that an identity began. Earlier credentials remain valid for sign-ins, but
    /// not as bearer tokens, since the view has one time for both.
    ///
    /// - Parameter start: The start of a session that continues, unless it has ended or the user is disabled.
    /// - Returns: `nil` if nothing changed.
    static func endSessions(
        of uid: UserKey, keeping start: UnixTime? = nil, at now: UnixTime, _ db: Database
    ) throws -> EndedSessions? {
        // The name of an identity can be too long for a user, who then has no sessions.
        guard (try? StoreBounds.check(user: uid)) != nil else { return nil }
        let order = try SQLiteRows.order(uid, db)
        var user = try SQLiteRows.user(uid, db) ?? StoredUser()
        // A user with a faulty record is denied in any case.
        guard let old = user.validSince.value else { return nil }
        let credentialsSince = UserRecord(validSince: old, revokedAt: order.revokedAt).credentialsSince
        let end = max(now, order.lastSession ?? now, old ?? now)
        try SQLiteRows.revoke(uid, &user, to: end, at: credentialsSince ?? 0, db)
        var restarted: UnixTime?
        if let start, user.disabled == .valid(false), old.map({ start > $0 }) ?? true, end != .latest {
            restarted = end.adding(1)
            try SQLiteRows.setLastSession(end.adding(1), restartedFrom: start, of: uid, db)
        }
        let links = try SQLiteAccounts.links(of: uid, db).map { IdentityLink(provider: $0.key, subject: $0.value).name }
        return EndedSessions(
            key: try StoreKeyMaker().key(of: uid), word: user.word, links: links, restarted: restarted)
    }
}

/// The record of a user whose sessions ended, to publish.
struct EndedSessions {
    fileprivate let key: StoreKey
    fileprivate let word: RecordWord
    /// The names of the account's links, for each of which workers cache the account, with its address.
    fileprivate let links: [String]
    /// The new start of the session that continues. `nil` if none does.
    let restarted: UnixTime?

    func publish(in view: StoreView, _ generations: LinkGenerations) {
        view.setUser(key, to: word)
        for link in links { generations.changed(link) }
    }
}

extension SQLiteStore {
    /// Changes the chosen parts of the profile.
    package func setProfile(_ change: ProfileChange, of uid: UserKey) async throws(StoreError) -> Bool {
        try checkOpen()
        try StoreBounds.check(change)
        try StoreBounds.check(user: uid)
        return try await writer.write { db in
            SQLiteChange(.success(try SQLiteAccounts.setProfile(change, of: uid, db)))
        }
    }

    /// Sets the display name, unless the account has one, its user chose to have none, or it is deleted.
    package func setNameIfAbsent(_ name: String, of uid: UserKey) async throws(StoreError) {
        try checkOpen()
        try StoreBounds.check(name: name)
        try StoreBounds.check(user: uid)
        try await writer.write { db in
            try SQLiteAccounts.setNameIfAbsent(name, of: uid, db)
            return SQLiteChange(.success(()))
        }
    }

    /// Returns the setting. If it is absent, stores and returns `initial`.
    package func setting(_ name: String, initial: [UInt8]) async throws(StoreError) -> [UInt8] {
        try checkOpen()
        try StoreBounds.check(setting: name, initial)
        return try await writer.write { db in
            SQLiteChange(.success(try SQLiteAccounts.setting(name, initial: initial, db)))
        }
    }
}
