import GRDB

extension SQLiteStore {
    /// Revokes the session, and so mends a faulty record of it.
    @discardableResult
    public func revokeSession(
        _ uid: String, _ session: String, expires: Int64?
    ) async throws(StoreError) -> SessionRecord {
        try await changeSession(uid, session, expires: expires) { stored in
            // Revoked is final, so it also mends a faulty record.
            SessionRecord(revoked: true, signedInAt: stored.signedInAt.value ?? nil)
        }
    }

    /// Moves `signed_in_at` forward to `time`, if it is not there yet.
    @discardableResult
    public func recordSignIn(
        _ uid: String, _ session: String, at time: Int64, expires: Int64?
    ) async throws(StoreError) -> SessionRecord {
        try StoreBounds.check(time: time)
        return try await changeSession(uid, session, expires: expires) { stored in
            guard var record = stored.record else { throw Self.faultySession() }
            record.signedInAt = max(record.signedInAt ?? time, time)
            return record
        }
    }

    /// The session's row, read from the file.
    public func session(_ uid: String, _ session: String) async throws(StoreError) -> SessionRecord {
        try check(uid, session)
        return try await writer.read { db in
            let stored = try SQLiteRows.session(uid, session, db) ?? StoredSession()
            return try stored.record ?? { throw Self.faultySession() }()
        }
    }

    /// Reads the session's row, writes what `change` makes of it, and publishes that.
    private func changeSession(
        _ uid: String, _ session: String, expires: Int64?,
        _ change: @escaping @Sendable (StoredSession) throws -> SessionRecord
    ) async throws(StoreError) -> SessionRecord {
        try check(uid, session)
        if let expires { try StoreBounds.check(time: expires) }
        return try await writer.write { [view] db in
            let key = try StoreKeyMaker().key(user: uid, session: session)
            let stored = try SQLiteRows.session(uid, session, db)
            let record = try change(stored ?? StoredSession())
            let expires = (stored ?? StoredSession()).expiry(extendedTo: expires)
            if stored?.record != record || stored?.expires != .valid(expires) {
                try SQLiteRows.setSession(uid, session, to: record, expires: expires, db)
            }
            return SQLiteChange(.success(record)) { view.setSession(key, to: RecordWord(record)) }
        }
    }

    private func check(_ uid: String, _ session: String) throws(StoreError) {
        try checkOpen()
        try StoreBounds.check(uid: uid)
        try StoreBounds.check(session: session)
    }

    private static func faultySession() -> StoreError {
        .faultyRecord(repair: "revoke the session; its user signs in anew")
    }
}
