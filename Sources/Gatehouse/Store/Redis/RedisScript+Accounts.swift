/// The steps of accounts. Fields of an account's hash: `link:PROVIDER` lists a link, `unlinking:PROVIDER` one that is being ended.
extension RedisScript {
    /// Makes an account whose first link is to ARGV[1] with the subject ARGV[2]; the rest are its other fields. The answer is 0 where the key holds
    /// another account.
    static let create = RedisScript(
        """
        local link = 'link:' .. ARGV[1]
        if redis.call('TYPE', KEYS[1]).ok ~= 'none' and redis.call('HGET', KEYS[1], link) ~= ARGV[2] then return 0 end
        redis.call('HSET', KEYS[1], link, ARGV[2], unpack(ARGV, 3))
        return 1
        """)

    /// Takes back what `create` made: the account, or where it has other links by now, only this one. The answer is whether the account is gone.
    static let abandon = RedisScript(
        """
        local link = 'link:' .. ARGV[1]
        if redis.call('HGET', KEYS[1], link) ~= ARGV[2] then return 0 end
        redis.call('HDEL', KEYS[1], link)
        if links() > 0 then return 0 end
        redis.call('DEL', KEYS[1])
        return 1
        """)

    /// Lists the link to ARGV[1] with the subject ARGV[2], unless there are ARGV[3] already. The answer is what is there, and its subject.
    static let list = RedisScript(
        """
        local ending = redis.call('HGET', KEYS[1], 'unlinking:' .. ARGV[1])
        if ending then return {'ending', ending} end
        local old = redis.call('HGET', KEYS[1], 'link:' .. ARGV[1])
        if old then return {old == ARGV[2] and 'listed' or 'other', old} end
        if links() >= tonumber(ARGV[3]) then return {'full', ''} end
        redis.call('HSET', KEYS[1], 'link:' .. ARGV[1], ARGV[2])
        return {'new', ARGV[2]}
        """)

    /// Takes the link to ARGV[1] with the subject ARGV[2] off the list.
    static let unlist = RedisScript(
        """
        local link = 'link:' .. ARGV[1]
        if redis.call('HGET', KEYS[1], link) == ARGV[2] then redis.call('HDEL', KEYS[1], link) end
        return 1
        """)

    /// Begins to end the link to ARGV[1], or finds where that was begun. The answer is what was done, and the subject.
    static let unlink = RedisScript(
        """
        local ending = redis.call('HGET', KEYS[1], 'unlinking:' .. ARGV[1])
        if ending then return {'ending', ending} end
        local old = redis.call('HGET', KEYS[1], 'link:' .. ARGV[1])
        if not old then return {'absent', ''} end
        if links() == 1 and redis.call('HGET', KEYS[1], 'created') then return {'last', old} end
        redis.call('HSET', KEYS[1], 'unlinking:' .. ARGV[1], old)
        redis.call('HDEL', KEYS[1], 'link:' .. ARGV[1])
        return {'ending', old}
        """)

    /// Begins to end all links. The answer are the providers and subjects of those, and of those that were begun before.
    static let unlinkAll = RedisScript(
        """
        local answer = {}
        local fields = redis.call('HGETALL', KEYS[1])
        for i = 1, #fields, 2 do
            local provider = string.match(fields[i], '^link:(.*)$')
            if provider and not redis.call('HGET', KEYS[1], 'unlinking:' .. provider) then
                redis.call('HSET', KEYS[1], 'unlinking:' .. provider, fields[i + 1])
                redis.call('HDEL', KEYS[1], fields[i])
            end
        end
        fields = redis.call('HGETALL', KEYS[1])
        for i = 1, #fields, 2 do
            local provider = string.match(fields[i], '^unlinking:(.*)$')
            if provider then
                answer[#answer + 1] = provider
                answer[#answer + 1] = fields[i + 1]
            end
        end
        return answer
        """)

    /// Forgets that the link to ARGV[1] with the subject ARGV[2] is being ended. The answer is whether it is listed (again).
    static let unlinked = RedisScript(
        """
        local ending = 'unlinking:' .. ARGV[1]
        if redis.call('HGET', KEYS[1], ending) == ARGV[2] then redis.call('HDEL', KEYS[1], ending) end
        return redis.call('HGET', KEYS[1], 'link:' .. ARGV[1]) == ARGV[2] and 1 or 0
        """)

    /// Sets the address to ARGV[1], and whether it is verified to ARGV[2]. The answer is the address before.
    static let setEmail = RedisScript(
        """
        local old = redis.call('HGET', KEYS[1], 'email')
        redis.call('HSET', KEYS[1], 'email', ARGV[1], 'email_verified', ARGV[2])
        return old
        """)

    /// Removes a string that is ARGV[1].
    static let give = RedisScript(
        """
        if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
        return 1
        """)
}
