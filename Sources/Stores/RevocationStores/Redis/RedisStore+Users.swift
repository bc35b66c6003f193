import GatewayCore
import Redis
package import Revocation

extension RedisStore {
    /// Moves `valid_since` forward to `time`, or to the start of the latest session, if it is not there yet.
    ///
    /// - Throws: `.faultyRecord` if what is stored is no time: whether it would go back cannot be told.
    @discardableResult
    package func revoke(
        _ uid: UserKey, at time: Int64, _ scope: RevocationScope
    ) async throws(StoreError) -> UserRecord {
        let time = try StoreBounds.time(time)
        let arguments = ["\(time)", scope == .everything ? "everything" : ""]
        return try await changeUser(uid, .revoke, arguments, .validSince(uid: uid, time))
    }

    /// Begins a session after everything that the record revokes. Gateways need not know of it.
    package func beginSession(_ uid: UserKey, at time: Int64) async throws(StoreError) -> SessionStart {
        try checkOpen()
        try StoreBounds.check(user: uid)
        let time = try StoreBounds.time(time)
        let command = RedisScript.beginSession.command(RedisKeys.user(uid), ["\(time)"])
        let fields = try await ask(command, faulty: Self.wrongType()).fields(1 + StoredUser.orderedFields.count)
        let record = try StoredUser.ordered(fields.dropFirst())
        guard let started = StoredField<UnixTime?>(time: fields[0]).value ?? nil else {
            throw .invalidTime(time.seconds)
        }
        return SessionStart(started: started, record: record)
    }

    /// Revokes the sessions that an identity began, and shows that in the view.
    func endSessions(of link: IdentityLink) async throws(StoreError) {
        // A longer name is no user's, and began no session.
        guard (try? StoreBounds.check(user: UserKey(link))) != nil else { return }
        let now = clock.now()
        let command = RedisScript.revoke.command(RedisKeys.user(UserKey(link)), ["\(now)", "sessions"])
        let user = try StoredUser(fieldsOf: try await send(command, faulty: Self.wrongType()))
        // A faulty record lets nobody pass.
        guard let validSince = user.validSince.value ?? nil else { return }
        let change = RedisChange.validSince(uid: UserKey(link), validSince)
        guard case .string(let bytes)? = try await send(change.command, faulty: nil).first,
            let entry = ReplicaStreamID(parsing: bytes)
        else { throw .unexpectedReply() }
        _ = await progress.wait(for: entry, atMost: Self.visibilityLimit)
    }

    /// Forgets `valid_since`, valid or not, and also a record whose key is not of the right type.
    @discardableResult
    package func unrevoke(_ uid: UserKey) async throws(StoreError) -> UserRecord {
        try await changeUser(uid, .unrevoke, [], .validSince(uid: uid, nil))
    }

    /// Sets `disabled`, whatever it was. What is asked is stored even if the record is still faulty for its `valid_since`, and `.faultyRecord`
    /// tells so; a key that is not of the right type is left alone.
    @discardableResult
    package func setDisabled(_ uid: UserKey, _ disabled: Bool) async throws(StoreError) -> UserRecord {
        try await changeUser(uid, .setDisabled, [disabled ? "1" : "0"], .disabled(uid: uid, disabled))
    }

    /// The user's record, read from Redis.
    package func user(_ uid: UserKey) async throws(StoreError) -> UserRecord {
        try checkOpen()
        try StoreBounds.check(user: uid)
        let replies = try await ask(.hmget(RedisKeys.user(uid), StoredUser.orderedFields), faulty: Self.wrongType())
        return try StoredUser.ordered(try replies.fields(StoredUser.orderedFields.count)[...])
    }

    private func changeUser(
        _ uid: UserKey, _ script: RedisScript, _ arguments: [String], _ change: RedisChange
    ) async throws(StoreError) -> UserRecord {
        try checkOpen()
        try StoreBounds.check(user: uid)
        let command = script.command(RedisKeys.user(uid), arguments)
        return try await write(command, telling: change, faulty: Self.wrongType()) { reply throws(StoreError) in
            try StoredUser(fieldsOf: [reply]).valid()
        }
    }

    private static func wrongType() -> StoreError {
        .faultyRecord(repair: "the user's key is no hash; unrevoke the user, which removes it")
    }
}

extension StoredUser {
    /// The user that the only reply tells of.
    init(fieldsOf replies: [RedisValue]) throws(StoreError) {
        let fields = try replies.fields(Self.redisFields.count)
        self.init(validSince: .init(time: fields[0]), disabled: .init(flag: fields[1]))
    }

    /// The fields of a user's hash that tell what a revocation stands for, after `redisFields`.
    fileprivate static let orderedFields = redisFields + ["revoked_as", "revoked_at"]

    /// The record that all of `orderedFields` tell of.
    fileprivate static func ordered(_ fields: ArraySlice<RedisValue>) throws(StoreError) -> UserRecord {
        let values = Array(fields)
        var record = try StoredUser(validSince: .init(time: values[0]), disabled: .init(flag: values[1])).valid()
        // Whoever else moves `valid_since` does not know of these.
        if let validSince = record.validSince, StoredField<UnixTime?>(time: values[2]) == .valid(validSince) {
            record.revokedAt = StoredField<UnixTime?>(time: values[3]).value ?? nil
        }
        return record
    }

    fileprivate func valid() throws(StoreError) -> UserRecord {
        if let record { return record }
        throw validSince == .faulty
            ? .faultyRecord(repair: "valid_since is not what it should be; unrevoke the user to set it anew")
            : .faultyRecord(repair: "disabled is not what it should be; disable or enable the user to set it anew")
    }
}

extension RedisCommand {
    static func hmget(_ key: [UInt8], _ fields: [String]) -> RedisCommand {
        RedisCommand(["HMGET", key] + fields.map { $0 as any RedisArgument })
    }
}
