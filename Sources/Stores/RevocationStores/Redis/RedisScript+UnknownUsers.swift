import Revocation

/// The scripts for records of users unknown to the store.
///
/// The places of a transmitter are a sorted set by the end of the record. A record is written after its place was
/// reserved, and a place is freed after its record was removed, so that each record has a place.
extension RedisScript {
    /// Returns whether the user's record does not end: 1 or 0. A key of another type is known, and faulty.
    static let isKnown = RedisScript(
        """
        local kind = redis.call('TYPE', KEYS[1]).ok
        if kind == 'none' then return 0 end
        return kind == 'hash' and redis.call('HGET', KEYS[1], 'expires') and 0 or 1
        """)

    /// Reserves a place until ARGV[2] for the user ARGV[1], if there are fewer than ARGV[3]. Returns 1 if the user has
    /// a place, otherwise 0.
    static let reserve = RedisScript(
        """
        local old = redis.call('ZSCORE', KEYS[1], ARGV[1])
        if not old and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
        if not old or tonumber(old) < tonumber(ARGV[2]) then redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1]) end
        return 1
        """)

    /// Returns users whose places ended at or before ARGV[1], at most ARGV[2].
    static let ended = RedisScript(
        "return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])")

    /// Removes a user's record that ended at or before ARGV[1]. Returns 1 if there is no record then, otherwise 0.
    static let removeEnded = RedisScript(
        """
        if redis.call('TYPE', KEYS[1]).ok == 'none' then return 1 end
        local expires = redis.call('HGET', KEYS[1], 'expires')
        if not expires or is_time(expires) and tonumber(expires) > tonumber(ARGV[1]) then return 0 end
        redis.call('DEL', KEYS[1])
        return 1
        """)

    /// Frees the place of the user ARGV[1] if it ended at or before ARGV[2].
    static let freePlace = RedisScript(
        """
        local expires = redis.call('ZSCORE', KEYS[1], ARGV[1])
        if expires and tonumber(expires) <= tonumber(ARGV[2]) then redis.call('ZREM', KEYS[1], ARGV[1]) end
        return 1
        """)
}
