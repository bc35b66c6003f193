import Redis

/// The commands that read what Redis knows of a user and of one session, formatted once for a token.
struct RecordCommands: Sendable {
    let user: RedisCommand
    /// Nil: there is no session.
    let session: RedisCommand?

    init(uid: String, session: String?) {
        user = Self.read(RedisKeys.user(uid), StoredUser.redisFields)
        self.session = session.map { Self.read(RedisKeys.session(uid, $0), StoredSession.redisFields) }
    }

    private static func read(_ key: [UInt8], _ fields: [String]) -> RedisCommand {
        RedisCommand(["HMGET", key] as [any RedisArgument] + fields)
    }
}
