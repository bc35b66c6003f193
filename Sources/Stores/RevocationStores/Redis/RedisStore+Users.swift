package import GatewayCore
import Redis
package import Revocation

extension RedisStore {
    /// Moves `valid_since` forward to `time`, or to the start of the latest session if that is later.
    ///
    /// - Throws: `.faultyRecord` if the stored value is not a time, since it cannot be compared.
    @discardableResult
    package func revoke(
        _ uid: UserKey, at time: Int64, _ scope: RevocationScope, by author: ChangeAuthor
    ) async throws(StoreError) -> UserRecord {
        let time = try StoreBounds.time(time)
        let arguments = ["\(time)", scope == .everything ? "everything" : "", author.end]
        return try await changeUser(
            uid, .revoke, arguments, .validSince(uid: uid, time), queueing: author.isWrittenBack ? .validSince : nil)
    }

    /// Begins a session after all revocations of the record. The start is not published.
    package func beginSession(
        _ uid: UserKey, at time: Int64, restartedFrom earlier: UnixTime?
    ) async throws(StoreError) -> SessionStart {
        try StoreBounds.check(user: uid)
        let time = try StoreBounds.time(time)
        let command = RedisScript.beginSession.command(RedisKeys.user(uid), ["\(time)", earlier.map { "\($0)" } ?? ""])
        let fields = try await commands.query(command, faulty: .userIsNoHash()).fields(
            1 + StoredUser.orderedFields.count)
        let record = try StoredUser.ordered(fields.dropFirst())
        guard let started = StoredField<UnixTime?>(time: fields[0]).value ?? nil else {
            throw .invalidTime(time.seconds)
        }
        return SessionStart(started: started, record: record)
    }

    /// Removes `valid_since`, also if it is faulty or if the key has another type.
    @discardableResult
    package func unrevoke(_ uid: UserKey) async throws(StoreError) -> UserRecord {
        try await changeUser(uid, .unrevoke, [], .validSince(uid: uid, nil))
    }

    /// Sets `disabled`, also if it was faulty. If `valid_since` is faulty, the value is stored and `.faultyRecord` is
    /// thrown. A key of another type is not changed.
    @discardableResult
    package func setDisabled(
        _ uid: UserKey, _ disabled: Bool, by author: ChangeAuthor
    ) async throws(StoreError) -> UserRecord {
        try await changeUser(
            uid, .setDisabled,
            [disabled ? "1" : "0", author.transmitter ?? "", "\(author.time)", author.end],
            .disabled(uid: uid, disabled), queueing: author.isWrittenBack ? .disabled : nil)
    }

    /// Returns the user's record, read from Redis.
    package func user(_ uid: UserKey) async throws(StoreError) -> UserRecord {
        try StoreBounds.check(user: uid)
        let replies = try await commands.query(
            .hmget(RedisKeys.user(uid), StoredUser.orderedFields), faulty: .userIsNoHash())
        return try StoredUser.ordered(try replies.fields(StoredUser.orderedFields.count)[...])
    }

    /// Changes a user's record.
    ///
    /// - Parameter queued: The change that is written back. `nil` for one that is not.
    private func changeUser(
        _ uid: UserKey, _ script: RedisScript, _ arguments: [String], _ change: RedisChange,
        queueing queued: WriteBackChange? = nil
    ) async throws(StoreError) -> UserRecord {
        try StoreBounds.check(user: uid)
        guard let request = queued.flatMap({ writeBack.request($0, of: uid) }) else {
            let command = script.command(RedisKeys.user(uid), arguments)
            return try await write(command, of: uid, change) {
                reply throws(StoreError) in try StoredUser(fieldsOf: [reply]).valid()
            }
        }
        let record = try await write(queueingCommand(script, uid, arguments, request), of: uid, change) {
            reply throws(StoreError) in try Self.queued(reply, request.entries)
        }
        writeBack.record([record.writeBack, record.databaseWriteBack])
        return record
    }

    private func write(
        _ command: RedisCommand, of uid: UserKey, _ change: RedisChange,
        read: (RedisValue) throws(StoreError) -> UserRecord
    ) async throws(StoreError) -> UserRecord {
        try await commands.write(
            command, to: ReplicaKey(uid), telling: change, faulty: .userIsNoHash(), word: { RecordWord($0) }, read: read
        )
    }

    /// Parses the fields of a user and the outcomes of the write-back.
    private static func queued(
        _ reply: RedisValue, _ entries: [WriteBackEntry]
    ) throws(StoreError) -> UserRecord {
        let count = StoredUser.redisFields.count
        let fields = try [reply].fields(count + entries.count)
        let outcomes = fields.dropFirst(count).compactMap { $0.text.flatMap { WriteBackOutcome(rawValue: $0) } }
        guard outcomes.count == entries.count else { throw .unexpectedReply() }
        var record = try StoredUser(fieldsOf: [.array(Array(fields.prefix(count)))]).valid()
        record.setWriteBack(outcomes, of: entries)
        return record
    }
}

extension ChangeAuthor {
    /// The end of the record as an argument of a script.
    fileprivate var end: String { expires.map { "\($0)" } ?? "" }
}

extension StoredUser {
    /// Parses the only reply.
    init(fieldsOf replies: [RedisValue]) throws(StoreError) {
        let fields = try replies.fields(Self.redisFields.count)
        self.init(validSince: .init(time: fields[0]), disabled: .init(flag: fields[1]))
    }

    /// The fields of a user's hash with the time of a revocation, after `redisFields`.
    static let orderedFields = redisFields + ["revoked_as", "revoked_at"]

    /// Parses all of `orderedFields`.
    static func ordered(_ fields: ArraySlice<RedisValue>) throws(StoreError) -> UserRecord {
        let values = Array(fields)
        var record = try StoredUser(validSince: .init(time: values[0]), disabled: .init(flag: values[1])).valid()
        // Another writer that moved `valid_since` did not update these fields.
        if let validSince = record.validSince, StoredField<UnixTime?>(time: values[2]) == .valid(validSince) {
            record.revokedAt = StoredField<UnixTime?>(time: values[3]).value ?? nil
        }
        return record
    }

    fileprivate func valid() throws(StoreError) -> UserRecord {
        if let record { return record }
        throw validSince == .faulty
            ? .faultyRecord(repair: "valid_since is invalid; unrevoke the user to reset it")
            : .faultyRecord(repair: "disabled is invalid; disable or enable the user to reset it")
    }
}

extension RedisCommand {
    static func hmget(_ key: [UInt8], _ fields: [String]) -> RedisCommand {
        RedisCommand(["HMGET", key] + fields.map { $0 as any RedisArgument })
    }
}

extension RedisStore {
    /// Revokes the session and repairs a faulty record.
    @discardableResult
    package func revokeSession(
        _ uid: UserKey, _ session: String, expires: Int64?
    ) async throws(StoreError) -> SessionRecord {
        try await changeSession(uid, session, .revokeSession, [], expires: expires)
    }

    /// Moves `signed_in_at` forward to `time`.
    @discardableResult
    package func recordSignIn(
        _ uid: UserKey, _ session: String, at time: Int64, isAuthenticated: Bool, expires: Int64?
    ) async throws(StoreError) -> SessionRecord {
        let time = try StoreBounds.time(time)
        return try await changeSession(
            uid, session, .recordSignIn, ["\(time)"], expires: expires, [isAuthenticated ? "1" : "0"])
    }

    /// Returns the session's record, read from Redis.
    package func session(_ uid: UserKey, _ session: String) async throws(StoreError) -> SessionRecord {
        try StoreBounds.check(user: uid, session: session)
        let key = RedisKeys.session(uid, session)
        return try StoredSession(
            fieldsOf: try await commands.query(
                .hmget(key, StoredSession.redisFields), faulty: StoreError.faultySession())
        )
        .valid(StoreError.faultySession())
    }

    private func changeSession(
        _ uid: UserKey, _ session: String, _ script: RedisScript, _ arguments: [String], expires: Int64?,
        _ more: [String] = []
    ) async throws(StoreError) -> SessionRecord {
        try StoreBounds.check(user: uid, session: session)
        let expires = try expires.map(StoreBounds.time)
        let command = script.command(
            RedisKeys.session(uid, session), arguments + [expires.map { "\($0)" } ?? ""] + more)
        return try await commands.write(
            command, to: ReplicaKey(uid, session: session), telling: .session(uid: uid, session),
            faulty: StoreError.faultySession(), word: RecordWord.init(shownOf:)
        ) { reply throws(StoreError) in
            try StoredSession(fieldsOf: [reply]).valid(StoreError.faultySession())
        }
    }
}

extension StoredSession {
    /// Parses the only reply.
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
