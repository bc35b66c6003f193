import Revocation

/// The scripts for deletions of accounts.
extension RedisScript {
    /// Disables the user of an account and revokes everything at ARGV[1], permanently: the commit point of a deletion.
    ///
    /// ARGV[2] is the expected `valid_since`, empty if it is expected to be absent, or `*` if the record does not
    /// matter. Returns `changed` if the record differs or the user is disabled, otherwise `disabled`, or `deleted` if
    /// the user was deleted before.
    static let disableDeletedUser = RedisScript(
        """
        local old = redis.call('HMGET', KEYS[1], 'valid_since', 'disabled', 'last_session', 'deleted')
        if not old[4] and ARGV[2] ~= '*'
            and ((old[1] or '') ~= ARGV[2] or old[2] and old[2] ~= '0') then return 'changed' end
        local new = ARGV[1]
        for _, time in ipairs({old[1] or '', old[3] or ''}) do
            if is_time(time) and tonumber(time) > tonumber(new) then new = time end
        end
        redis.call('HSET', KEYS[1], 'valid_since', new, 'disabled', '1')
        redis.call('HDEL', KEYS[1], 'revoked_as', 'revoked_at', 'expires')
        redis.call('HSETNX', KEYS[1], 'deleted', ARGV[1])
        redis.call('PERSIST', KEYS[1])
        return old[4] and 'deleted' or 'disabled'
        """)

    /// Removes the data of an account and begins the removal of its links. Only `deleted` remains, which is ARGV[1]
    /// unless it is present, `merged_into`, and the fields of incomplete removals. Kept tokens move to the outbox. The
    /// first run adds an event with all linked identities.
    ///
    /// Returns the providers and subjects of all links that are being removed, and the numbers of added and of dropped
    /// messages. The arguments of the outbox follow.
    static let deleteAccountData = RedisScript(
        outboxFunctions + """
            local is_first = redis.call('HSETNX', KEYS[1], 'deleted', ARGV[1]) == 1
            local email = redis.call('HGET', KEYS[1], 'email')
            if email then redis.call('HSET', KEYS[1], 'releasing:' .. email, '1') end
            local identities = {}
            local fields = redis.call('HGETALL', KEYS[1])
            for i = 1, #fields, 2 do
                local provider = string.match(fields[i], '^link:(.*)$')
                if provider then identities[provider] = fields[i + 1] end
                if provider and redis.call('HSETNX', KEYS[1], 'unlinking:' .. provider, fields[i + 1]) == 1 then
                    redis.call('HDEL', KEYS[1], fields[i])
                    move_tokens(2, provider, fields[i + 1])
                end
            end
            if is_first then add_event(2, {type = 'account.deleted', identities = identities}) end
            local answer = {}
            fields = redis.call('HGETALL', KEYS[1])
            for i = 1, #fields, 2 do
                local provider = string.match(fields[i], '^unlinking:(.*)$')
                if provider then
                    answer[#answer + 1] = provider
                    answer[#answer + 1] = fields[i + 1]
                elseif fields[i] ~= 'deleted' and fields[i] ~= 'merged_into' and not string.match(fields[i], '^link:')
                    and not string.match(fields[i], '^releasing:') and not string.match(fields[i], '^token:')
                    and not string.match(fields[i], '^newer_token:') then
                    redis.call('HDEL', KEYS[1], fields[i])
                end
            end
            if #answer == 0 then
                for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
                    if string.match(field, '^token:') or string.match(field, '^newer_token:') then
                        redis.call('HDEL', KEYS[1], field)
                    end
                end
            end
            answer[#answer + 1] = added
            answer[#answer + 1] = dropped
            return answer
            """)

    /// The start of the value in the list of deletions, before the time, of an operation that may take an address.
    static let loss = "loss "

    /// Returns the listed operations that began at or before ARGV[1], or whose time is invalid: at most ARGV[2] names
    /// of users and values, alternating.
    static let overdue = RedisScript(
        """
        local answer = {}
        local fields = redis.call('HGETALL', KEYS[1])
        for i = 1, #fields, 2 do
            if #answer >= 2 * tonumber(ARGV[2]) then break end
            local time = string.gsub(fields[i + 1], '^\(loss)', '')
            if not is_time(time) or tonumber(time) <= tonumber(ARGV[1]) then
                answer[#answer + 1] = fields[i]
                answer[#answer + 1] = fields[i + 1]
            end
        end
        return answer
        """)

    /// Removes the user ARGV[1] from the list of deletions, if the value is ARGV[2].
    static let forgetDeletion = RedisScript(
        """
        if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HDEL', KEYS[1], ARGV[1]) end
        return 1
        """)
}
