package import GatewayCore
import GRDB
package import Revocation

extension SQLiteStore {
    /// Moves `valid_since` forward to `time`, or to the start of the latest session if that is later.
    ///
    /// - Throws: `.faultyRecord` if the stored value is not a time, since it cannot be compared.
    @discardableResult
    package func revoke(
        _ uid: UserKey, at time: Int64, _ scope: RevocationScope, by author: ChangeAuthor
    ) async throws(StoreError) -> UserRecord {
        let time = try StoreBounds.time(time)
        return try await changeUser(uid, by: author, queueing: .validSince) { user, db in
            let order = try SQLiteRows.order(uid, db)
            let last = scope == .everything ? order.lastSession : order.restart(after: time)
            try SQLiteRows.revoke(uid, &user, to: max(time, last ?? time), at: time, db)
        }
    }

    /// Begins a session after all revocations of the row.
    package func beginSession(
        _ uid: UserKey, at time: Int64, restartedFrom earlier: UnixTime?
    ) async throws(StoreError) -> SessionStart {
        try checkOpen()
        try StoreBounds.check(user: uid)
        let time = try StoreBounds.time(time)
        return try await writer.write { db in
            let user = try SQLiteRows.user(uid, db) ?? StoredUser()
            guard var record = user.record else { throw Self.faultyUser(user) }
            record.revokedAt = try SQLiteRows.order(uid, db).revokedAt
            let started = record.validSince.map { max(time, $0.adding(1)) } ?? time
            // No session can begin after a revocation at the latest time.
            guard record.validSince != .latest else { throw StoreError.invalidTime(started.seconds) }
            try SQLiteRows.setLastSession(started, restartedFrom: started == time ? earlier : nil, of: uid, db)
            return SQLiteChange(.success(SessionStart(started: started, record: record)))
        }
    }

    /// Removes `valid_since`, also if it is faulty. The revocation of a deleted account's user stays.
    @discardableResult
    package func unrevoke(_ uid: UserKey) async throws(StoreError) -> UserRecord {
        try await changeUser(uid) { user, db in
            if try user.validSince == .valid(nil) || SQLiteAccounts.isDeleted(uid, db) { return }
            try SQLiteRows.setValidSince(nil, of: uid, db)
            user.validSince = .valid(nil)
        }
    }

    /// Sets `disabled`, also if it was faulty. If `valid_since` is faulty, the value is stored and `.faultyRecord` is
    /// thrown. `unrevoke` behaves likewise with a faulty `disabled`. The user of a deleted account stays disabled.
    @discardableResult
    package func setDisabled(
        _ uid: UserKey, _ disabled: Bool, by author: ChangeAuthor
    ) async throws(StoreError) -> UserRecord {
        try await changeUser(uid, by: author, queueing: .disabled) { user, db in
            if try !disabled && SQLiteAccounts.isDeleted(uid, db) { return }
            // A transmitter lifts only its own block, of which a faulty record has none.
            if !disabled, author.transmitter != nil, user.disabled == .faulty { return }
            let stored = try SQLiteRows.blocks(of: uid, db)
            var blocks = UserBlocks(isDisabled: user.disabled == .valid(true), stored)
            blocks.set(disabled, by: author)
            if user.disabled != .valid(!blocks.isEmpty) {
                try SQLiteRows.setDisabled(!blocks.isEmpty, of: uid, db)
                user.disabled = .valid(!blocks.isEmpty)
            }
            if blocks.text != stored { try SQLiteRows.setBlocks(blocks.text, of: uid, db) }
        }
    }

    /// Returns the user's record, read from the file.
    package func user(_ uid: UserKey) async throws(StoreError) -> UserRecord {
        try checkOpen()
        try StoreBounds.check(user: uid)
        return try await writer.read { db in
            let user = try SQLiteRows.user(uid, db) ?? StoredUser()
            guard var record = user.record else { throw Self.faultyUser(user) }
            record.revokedAt = try SQLiteRows.order(uid, db).revokedAt
            return record
        }
    }

    /// Reads the user's row, applies `change`, and publishes the result.
    ///
    /// - Parameter queued: The change that is written back. `nil` for one that is not.
    private func changeUser(
        _ uid: UserKey, by author: ChangeAuthor = .gateway, queueing queued: WriteBackChange? = nil,
        _ change: @escaping @Sendable (inout StoredUser, Database) throws -> Void
    ) async throws(StoreError) -> UserRecord {
        try checkOpen()
        try StoreBounds.check(user: uid)
        let request = author.isWrittenBack ? queued.flatMap { writeBack.request($0, of: uid) } : nil
        let now = UnixTime(clamping: clock.now())
        return try await writer.write { [view, writeBack] db in
            let key = try StoreKeyMaker().key(of: uid)
            let stored = try SQLiteRows.user(uid, db)
            let end = try SQLiteRows.end(of: uid, db)
            var user = stored ?? StoredUser()
            try change(&user, db)
            try SQLiteRows.setEnd(from: end, to: author.expires, isNew: stored == nil, of: uid, db)
            if user == StoredUser() { try SQLiteRows.removeUser(uid, db) }
            let outcomes = try request.map { try SQLiteRows.queueWriteBack($0, now: now, db) } ?? []
            let word = user.word
            var record = user.record
            record?.setWriteBack(outcomes, of: request?.entries ?? [])
            return SQLiteChange(record.map { .success($0) } ?? .failure(Self.faultyUser(user))) {
                view.setUser(key, to: word)
                writeBack.record(outcomes)
            }
        }
    }

    private static func faultyUser(_ user: StoredUser) -> StoreError {
        let field = user.validSince == .faulty ? "valid_since" : "disabled"
        let repair = user.validSince == .faulty ? "unrevoke the user" : "disable or enable the user"
        return .faultyRecord(repair: "\(field) is invalid; \(repair) to reset it")
    }
}

extension SQLiteRows {
    /// Moves `valid_since` forward to `time`, and the time for credentials to `now`. Neither decreases.
    ///
    /// - Parameter now: The time of the revocation.
    static func revoke(_ uid: UserKey, _ user: inout StoredUser, to time: UnixTime, at now: UnixTime, _ db: Database)
        throws
    {
        guard let old = user.validSince.value else {
            throw StoreError.faultyRecord(repair: "unrevoke the user first, which removes valid_since")
        }
        let revokedAt = try order(uid, db).revokedAt
        let now = max(now, UserRecord(validSince: old, revokedAt: revokedAt).credentialsSince ?? now)
        if let old, old >= time {
            guard let revokedAt, revokedAt < now else { return }
            return try setValidSince(old, revokedAt: now < old ? now : nil, of: uid, db)
        }
        try setValidSince(time, revokedAt: now < time ? now : nil, of: uid, db)
        user.validSince = .valid(time)
    }
}

extension SQLiteStore {
    /// Revokes the session and repairs a faulty record.
    @discardableResult
    package func revokeSession(
        _ uid: UserKey, _ session: String, expires: Int64?
    ) async throws(StoreError) -> SessionRecord {
        try await changeSession(uid, session, expires: expires) { stored in
            // Revocation is permanent, so it can replace a faulty record.
            let signedInAt = stored.signedInAt.value ?? nil
            return SessionRecord(
                revoked: true, signedInAt: signedInAt,
                isAuthenticated: signedInAt != nil && stored.authenticatedAt == .valid(signedInAt))
        }
    }

    /// Moves `signed_in_at` forward to `time`.
    @discardableResult
    package func recordSignIn(
        _ uid: UserKey, _ session: String, at time: Int64, isAuthenticated: Bool, expires: Int64?
    ) async throws(StoreError) -> SessionRecord {
        let time = try StoreBounds.time(time)
        return try await changeSession(uid, session, expires: expires) { stored in
            guard var record = stored.record else { throw StoreError.faultySession() }
            guard record.signedInAt.map({ $0 <= time }) ?? true else { return record }
            record.isAuthenticated = isAuthenticated || record.isAuthenticated && record.signedInAt == time
            record.signedInAt = time
            return record
        }
    }

    /// Returns the session's record, read from the file.
    package func session(_ uid: UserKey, _ session: String) async throws(StoreError) -> SessionRecord {
        try checkOpen()
        try StoreBounds.check(user: uid, session: session)
        return try await writer.read { db in
            let stored = try SQLiteRows.session(uid, session, db) ?? StoredSession()
            return try stored.record ?? { throw StoreError.faultySession() }()
        }
    }

    /// Reads the session's row, writes the result of `change`, and publishes it.
    private func changeSession(
        _ uid: UserKey, _ session: String, expires: Int64?,
        _ change: @escaping @Sendable (StoredSession) throws -> SessionRecord
    ) async throws(StoreError) -> SessionRecord {
        try checkOpen()
        try StoreBounds.check(user: uid, session: session)
        let expires = try expires.map(StoreBounds.time)
        return try await writer.write { [view] db in
            let key = try StoreKeyMaker().key(of: uid, session: session)
            let stored = try SQLiteRows.session(uid, session, db)
            let record = try change(stored ?? StoredSession())
            let expires = (stored ?? StoredSession()).expiry(extendedTo: expires)
            if stored?.record != record || stored?.expires != .valid(expires) {
                try SQLiteRows.setSession(uid, session, to: record, expires: expires, db)
            }
            return SQLiteChange(.success(record)) { view.setSession(key, to: RecordWord(record)) }
        }
    }
}
