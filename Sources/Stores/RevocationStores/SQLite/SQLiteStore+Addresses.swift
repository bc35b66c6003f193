import GRDB
package import GatewayCore
import JOSE
package import Revocation

/// The addresses of accounts. Each change is one transaction.
extension SQLiteStore {
    /// Opens a change of an address.
    package func openEmailChange(
        _ ticket: EmailTicket, of uid: UserKey
    ) async throws(StoreError) -> EmailTicketResult {
        try checkOpen()
        try StoreBounds.check(ticket)
        try StoreBounds.check(user: uid)
        guard let event = try? JSONDocument(Array(ticket.event.utf8), limits: .event) else {
            throw .invalidAccount("the event of a change of an address is a JSON object")
        }
        let now = UnixTime(clamping: clock.now())
        return try await writer.write { [outbox] db in
            guard let account = try SQLiteAccounts.changeable(uid, db) else { return SQLiteChange(.success(.refused)) }
            guard account.hasAddress(ticket.previous) else { return SQLiteChange(.success(.stale)) }
            var messages = SQLiteOutbox(outbox, of: uid, at: now)
            try messages.addEvent(event.root, db)
            if messages.added > 0 { try SQLiteAccounts.setTicket(ticket.name, of: uid, db) }
            return SQLiteChange(.success(messages.added > 0 ? .open : .full)) { [messages] in
                outbox.record(added: messages.added, dropped: messages.dropped)
            }
        }
    }

    /// Changes the address of an account.
    package func changeEmail(
        _ change: EmailChange, of uid: UserKey, claimsEmail: Bool, keeping start: UnixTime?
    ) async throws(StoreError) -> EmailChangeResult {
        try checkOpen()
        try StoreBounds.check(change)
        try StoreBounds.check(user: uid)
        let event = try JSONDocument(addressEventOf: change)
        let now = UnixTime(clamping: clock.now())
        return try await writer.write { [outbox, view, linkGenerations] db in
            guard var account = try SQLiteAccounts.changeable(uid, db) else { return SQLiteChange(.success(.refused)) }
            guard account.hasAddress(change.previous), try SQLiteAccounts.proves(change, account, db) else {
                return SQLiteChange(.success(.stale))
            }
            if claimsEmail, let owner = try SQLiteAccounts.uid(ofEmail: change.email, db), owner != uid {
                return SQLiteChange(.success(.taken(uid: owner)))
            }
            if let old = change.previous, !old.isExactly(change.email) {
                try SQLiteAccounts.remove(email: old, of: uid, db)
            }
            if claimsEmail { try SQLiteAccounts.put(email: change.email, of: uid, db) }
            account.email = change.email
            account.emailVerified = true
            account.emailFrom = change.link?.provider ?? EmailChange.linkSource
            account.chosen.insert(.email)
            try SQLiteAccounts.put(account, db)
            var messages = SQLiteOutbox(outbox, of: uid, at: now)
            if let event { try messages.addEvent(event.root, db) }
            let ended = try Self.endSessions(of: uid, keeping: start, at: now, db)
            let result = EmailChangeResult.changed(dropped: messages.dropped, restarted: ended?.restarted)
            return SQLiteChange(.success(result)) { [messages] in
                outbox.record(added: messages.added, dropped: messages.dropped)
                ended?.publish(in: view, linkGenerations)
            }
        }
    }

    /// Sets the address of an account and releases its previous address.
    package func setEmail(
        _ email: String, verified: Bool, from link: IdentityLink, of uid: UserKey, claimsEmail: Bool
    ) async throws(StoreError) -> Bool {
        try checkOpen()
        try StoreBounds.check(email: email)
        try StoreBounds.check(link)
        try StoreBounds.check(user: uid)
        let now = UnixTime(clamping: clock.now())
        return try await writer.write { [view, linkGenerations] db in
            if claimsEmail, let owner = try SQLiteAccounts.uid(ofEmail: email, db), owner != uid {
                return SQLiteChange(.success(false))
            }
            var account = try SQLiteAccounts.account(uid, db)
            guard try SQLiteAccounts.owner(of: link, db) == uid, !account.unlinked.hasMore else {
                return SQLiteChange(.success(false))
            }
            var ended: EndedSessions?
            if let old = account.email, !old.isExactly(email) {
                try SQLiteAccounts.remove(email: old, of: uid, db)
                ended = try Self.endSessions(of: uid, at: now, db)
            }
            if claimsEmail { try SQLiteAccounts.put(email: email, of: uid, db) }
            account.email = email
            account.emailVerified = verified
            account.emailFrom = link.provider
            account.chosen.remove(.email)
            try SQLiteAccounts.put(account, db)
            return SQLiteChange(.success(true)) { [ended] in ended?.publish(in: view, linkGenerations) }
        }
    }

    /// Removes an address from an account.
    package func removeEmail(_ email: String, of uid: UserKey) async throws(StoreError) {
        try checkOpen()
        try StoreBounds.check(email: email)
        try StoreBounds.check(user: uid)
        let now = UnixTime(clamping: clock.now())
        try await writer.write { [view, linkGenerations] db in
            var ended: EndedSessions?
            if try SQLiteAccounts.account(uid, db).email?.isExactly(email) == true {
                _ = try SQLiteAccounts.removeEmail(of: uid, from: nil, db)
                ended = try Self.endSessions(of: uid, at: now, db)
            }
            try SQLiteAccounts.remove(email: email, of: uid, db)
            return SQLiteChange(.success(())) { [ended] in ended?.publish(in: view, linkGenerations) }
        }
    }
}

extension SQLiteAccounts {
    /// Returns an account whose user may change the address. `nil` for any other.
    fileprivate static func changeable(_ uid: UserKey, _ db: Database) throws -> AccountRecord? {
        guard try !isDeleted(uid, db) else { return nil }
        let account = try account(uid, db)
        return account.created != nil && !account.unlinked.hasMore ? account : nil
    }

    /// Returns whether the account has the identity or the open change that proves an address.
    fileprivate static func proves(_ change: EmailChange, _ account: AccountRecord, _ db: Database) throws -> Bool {
        switch change.proof {
        case .identity(let link): account.links[link.provider]?.isExactly(link.subject) == true
        case .ticket(let name):
            try Int.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT 1 FROM account WHERE uid = CAST(? AS TEXT) AND email_ticket = CAST(? AS TEXT)
                        """), arguments: [account.user.name.bytes, name.bytes]) == 1
        }
    }

    fileprivate static func setTicket(_ name: String, of uid: UserKey, _ db: Database) throws {
        try db.run(
            "UPDATE account SET email_ticket = CAST(? AS TEXT) WHERE uid = CAST(? AS TEXT)",
            [name.bytes, uid.name.bytes])
    }
}

extension AccountRecord {
    fileprivate func hasAddress(_ address: String?) -> Bool {
        switch (email, address) {
        case (nil, nil): true
        case (let email?, let address?): email.isExactly(address)
        default: false
        }
    }
}

extension JSONDocument {
    /// Creates the event of a change of an address. `nil` if the address stays the same and is only verified.
    fileprivate init?(addressEventOf change: EmailChange) throws(StoreError) {
        guard let event = change.event else { return nil }
        guard let document = try? JSONDocument(event, limits: .event) else {
            throw .invalidAccount("an address is not valid")
        }
        self = document
    }
}

extension JSONLimits {
    fileprivate static let event = JSONLimits(size: StoreBounds.maximumEventSize, depth: 4, members: 64)
}
