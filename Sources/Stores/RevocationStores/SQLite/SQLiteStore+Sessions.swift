import GRDB
package import Revocation

extension SQLiteStore {
    /// Revokes the session, and so mends a faulty record of it.
    @discardableResult
    package func revokeSession(
        _ uid: UserKey, _ session: String, expires: Int64?
    ) async throws(StoreError) -> SessionRecord {
        try await changeSession(uid, session, expires: expires) { stored in
            // Revoked is final, so it also mends a faulty record.
            let signedInAt = stored.signedInAt.value ?? nil
            return SessionRecord(
                revoked: true, signedInAt: signedInAt,
                isAuthenticated: signedInAt != nil && stored.authenticatedAt == .valid(signedInAt))
        }
    }

    /// Moves `signed_in_at` forward to `time`, if it is not there yet.
    @discardableResult
    package func recordSignIn(
        _ uid: UserKey, _ session: String, at time: Int64, isAuthenticated: Bool, expires: Int64?
    ) async throws(StoreError) -> SessionRecord {
        let time = try StoreBounds.time(time)
        return try await changeSession(uid, session, expires: expires) { stored in
            guard var record = stored.record else { throw Self.faultySession() }
            guard record.signedInAt.map({ $0 <= time }) ?? true else { return record }
            record.isAuthenticated = isAuthenticated || record.isAuthenticated && record.signedInAt == time
            record.signedInAt = time
            return record
        }
    }

    /// The session's row, read from the file.
    package func session(_ uid: UserKey, _ session: String) async throws(StoreError) -> SessionRecord {
        try check(uid, session)
        return try await writer.read { db in
            let stored = try SQLiteRows.session(uid, session, db) ?? StoredSession()
            return try stored.record ?? { throw Self.faultySession() }()
        }
    }

    /// Reads the session's row, writes what `change` makes of it, and publishes that.
    private func changeSession(
        _ uid: UserKey, _ session: String, expires: Int64?,
        _ change: @escaping @Sendable (StoredSession) throws -> SessionRecord
    ) async throws(StoreError) -> SessionRecord {
        try check(uid, session)
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

    private func check(_ uid: UserKey, _ session: String) throws(StoreError) {
        try checkOpen()
        try StoreBounds.check(user: uid)
        try StoreBounds.check(session: session)
    }

    private static func faultySession() -> StoreError {
        .faultyRecord(repair: "revoke the session; its user signs in anew")
    }
}
