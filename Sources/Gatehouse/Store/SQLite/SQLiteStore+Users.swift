import GRDB

extension SQLiteStore {
    /// Moves `valid_since` forward to `time`, if it is not there yet.
    ///
    /// - Throws: `.faultyRecord` if what is stored is no time: whether it would go back cannot be told.
    @discardableResult
    public func revoke(_ uid: String, at time: Int64) async throws(StoreError) -> UserRecord {
        try StoreBounds.check(time: time)
        return try await changeUser(uid) { user, db in
            guard let old = user.validSince.value else {
                throw StoreError.faultyRecord(repair: "unrevoke the user first, which forgets valid_since")
            }
            if let old, old >= time { return }
            try SQLiteRows.setValidSince(time, of: uid, db)
            user.validSince = .valid(time)
        }
    }

    /// Forgets `valid_since`, valid or not.
    @discardableResult
    public func unrevoke(_ uid: String) async throws(StoreError) -> UserRecord {
        try await changeUser(uid) { user, db in
            if user.validSince == .valid(nil) { return }
            try SQLiteRows.setValidSince(nil, of: uid, db)
            user.validSince = .valid(nil)
        }
    }

    /// Sets `disabled`, whatever it was. What is asked is stored even if the record is still faulty for its
    /// `valid_since`, and `.faultyRecord` tells so; the same holds for `unrevoke` and a faulty `disabled`.
    @discardableResult
    public func setDisabled(_ uid: String, _ disabled: Bool) async throws(StoreError) -> UserRecord {
        try await changeUser(uid) { user, db in
            if user.disabled == .valid(disabled) { return }
            try SQLiteRows.setDisabled(disabled, of: uid, db)
            user.disabled = .valid(disabled)
        }
    }

    /// The user's row, read from the file.
    public func user(_ uid: String) async throws(StoreError) -> UserRecord {
        try checkOpen()
        try StoreBounds.check(uid: uid)
        return try await writer.read { db in
            let user = try SQLiteRows.user(uid, db) ?? StoredUser()
            return try user.record ?? { throw Self.faultyUser(user) }()
        }
    }

    /// Reads the user's row, lets `change` write to it, and publishes what it then is.
    private func changeUser(
        _ uid: String, _ change: @escaping @Sendable (inout StoredUser, Database) throws -> Void
    ) async throws(StoreError) -> UserRecord {
        try checkOpen()
        try StoreBounds.check(uid: uid)
        return try await writer.write { [view] db in
            let key = try StoreKeyMaker().key(user: uid)
            var user = try SQLiteRows.user(uid, db) ?? StoredUser()
            try change(&user, db)
            if user == StoredUser() { try SQLiteRows.removeUser(uid, db) }
            let word = user.word
            return SQLiteChange(user.record.map { .success($0) } ?? .failure(Self.faultyUser(user))) {
                view.setUser(key, to: word)
            }
        }
    }

    private static func faultyUser(_ user: StoredUser) -> StoreError {
        let field = user.validSince == .faulty ? "valid_since" : "disabled"
        let repair = user.validSince == .faulty ? "unrevoke the user" : "disable or enable the user"
        return .faultyRecord(repair: "\(field) is not what it should be; \(repair) to set it anew")
    }
}
