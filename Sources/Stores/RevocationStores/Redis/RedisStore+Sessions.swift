import Redis
package import Revocation

extension RedisStore {
    /// Revokes the session, and so mends a faulty record of it, whatever is wrong with it.
    @discardableResult
    package func revokeSession(
        _ uid: UserKey, _ session: String, expires: Int64?
    ) async throws(StoreError) -> SessionRecord {
        try await changeSession(uid, session, .revokeSession, [], expires: expires)
    }

    /// Moves `signed_in_at` forward to `time`, if it is not there yet.
    @discardableResult
    package func recordSignIn(
        _ uid: UserKey, _ session: String, at time: Int64, isAuthenticated: Bool, expires: Int64?
    ) async throws(StoreError) -> SessionRecord {
        let time = try StoreBounds.time(time)
        return try await changeSession(
            uid, session, .recordSignIn, ["\(time)"], expires: expires, [isAuthenticated ? "1" : "0"])
    }

    /// The session's record, read from Redis.
    package func session(_ uid: UserKey, _ session: String) async throws(StoreError) -> SessionRecord {
        try check(uid, session)
        let key = RedisKeys.session(uid, session)
        return try StoredSession(fieldsOf: try await ask(.hmget(key, StoredSession.redisFields), faulty: Self.faulty()))
            .valid(Self.faulty())
    }

    private func changeSession(
        _ uid: UserKey, _ session: String, _ script: RedisScript, _ arguments: [String], expires: Int64?,
        _ more: [String] = []
    ) async throws(StoreError) -> SessionRecord {
        try check(uid, session)
        let expires = try expires.map(StoreBounds.time)
        let command = script.command(
            RedisKeys.session(uid, session), arguments + [expires.map { "\($0)" } ?? ""] + more)
        return try await write(
            command, telling: .session(uid: uid, session), faulty: Self.faulty()
        ) { reply throws(StoreError) in
            try StoredSession(fieldsOf: [reply]).valid(Self.faulty())
        }
    }

    private func check(_ uid: UserKey, _ session: String) throws(StoreError) {
        try checkOpen()
        try StoreBounds.check(user: uid)
        try StoreBounds.check(session: session)
    }

    private static func faulty() -> StoreError {
        .faultyRecord(repair: "revoke the session; its user signs in anew")
    }
}

extension StoredSession {
    /// The session that the only reply tells of.
    init(fieldsOf replies: [RedisValue]) throws(StoreError) {
        let fields = try replies.fields(Self.redisFields.count)
        self.init(
            revoked: .init(flag: fields[0]), signedInAt: .init(time: fields[1]),
            authenticatedAt: .init(time: fields[2]))
    }

    fileprivate func valid(_ faulty: StoreError) throws(StoreError) -> SessionRecord {
        guard let record else { throw faulty }
        return record
    }
}
