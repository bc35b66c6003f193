import Redis

/// The commands that read what Redis knows of a user, of one session and of a linked identity, formatted once for a token.
package struct RecordCommands: Sendable {
    let user: RedisCommand
    /// Nil: there is no session.
    let session: RedisCommand?
    /// Nil: there is no link, or its record is the user's.
    let link: RedisCommand?

    /// - Parameter link: the linked identity.
    package init(_ user: UserKey, session: String?, link: IdentityLink? = nil) {
        self.user = Self.read(RedisKeys.user(user), StoredUser.redisFields)
        self.session = session.map { Self.read(RedisKeys.session(user, $0), StoredSession.redisFields) }
        self.link = link.map { Self.read(RedisKeys.user(UserKey($0)), StoredUser.redisFields) }
    }

    private static func read(_ key: [UInt8], _ fields: [String]) -> RedisCommand {
        RedisCommand(["HMGET", key] as [any RedisArgument] + fields)
    }
}
