import Redis

extension RedisStore {
    /// Moves `valid_since` forward to `time`, if it is not there yet.
    ///
    /// - Throws: `.faultyRecord` if what is stored is no time: whether it would go back cannot be told.
    @discardableResult
    public func revoke(_ uid: String, at time: Int64) async throws(StoreError) -> UserRecord {
        try StoreBounds.check(time: time)
        return try await changeUser(uid, .revoke, ["\(time)"], .validSince(uid: uid, time))
    }

    /// Forgets `valid_since`, valid or not, and also a record whose key is not of the right type.
    @discardableResult
    public func unrevoke(_ uid: String) async throws(StoreError) -> UserRecord {
        try await changeUser(uid, .unrevoke, [], .validSince(uid: uid, nil))
    }

    /// Sets `disabled`, whatever it was. What is asked is stored even if the record is still faulty for its `valid_since`, and `.faultyRecord`
    /// tells so; a key that is not of the right type is left alone.
    @discardableResult
    public func setDisabled(_ uid: String, _ disabled: Bool) async throws(StoreError) -> UserRecord {
        try await changeUser(uid, .setDisabled, [disabled ? "1" : "0"], .disabled(uid: uid, disabled))
    }

    /// The user's record, read from Redis.
    public func user(_ uid: String) async throws(StoreError) -> UserRecord {
        try checkOpen()
        try StoreBounds.check(uid: uid)
        let replies = try await ask(.hmget(RedisKeys.user(uid), StoredUser.redisFields), faulty: Self.wrongType())
        return try StoredUser(fieldsOf: replies).valid()
    }

    private func changeUser(
        _ uid: String, _ script: RedisScript, _ arguments: [String], _ change: RedisChange
    ) async throws(StoreError) -> UserRecord {
        try checkOpen()
        try StoreBounds.check(uid: uid)
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
        let (validSince, disabled) = try replies.twoFields()
        self.init(validSince: .init(time: validSince), disabled: .init(flag: disabled))
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
