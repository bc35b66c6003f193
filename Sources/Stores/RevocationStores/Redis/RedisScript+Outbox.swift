import Redis
import Revocation

/// The scripts of the outbox.
///
/// A message is a text: its kind, ID, time and destination, and a JSON object, separated by spaces. Each destination
/// has keys of its own in one hash slot. A message is the member of a sorted set by the time at which it is due, in
/// microseconds of the server's clock, and of a second one by the time at which it was queued. A parked message is only
/// in a third one, after the reason and a space.
extension RedisScript {
    /// Functions that add messages to the outbox. From KEYS[2] on, each destination has three keys. The arguments from
    /// ARGV[first] on are the ID, the maximum number of messages of one destination, the uid, the tenant, the project,
    /// and the names of the destinations. For other destinations nothing is added.
    ///
    /// A full outbox, or one that cannot be written, does not prevent the change.
    static let outboxFunctions = """
        local added, dropped = 0, 0
        local function put(first, key, kind, destination, body)
            local size = redis.call('ZCARD', KEYS[key]) + redis.call('ZCARD', KEYS[key + 2])
            if size >= tonumber(ARGV[first + 1]) then error('full') end
            body.uid = ARGV[first + 2]
            if ARGV[first + 3] ~= '' then body.tenant = ARGV[first + 3] end
            if ARGV[first + 4] ~= '' then body.project = ARGV[first + 4] end
            local now = redis.call('TIME')
            body.time = tonumber(now[1])
            local id = ARGV[first] .. '-' .. (added + 1)
            local message = table.concat({kind, id, now[1], destination, cjson.encode(body)}, ' ')
            local due = string.format('%.0f', tonumber(now[1]) * 1000000 + tonumber(now[2]))
            redis.call('ZADD', KEYS[key + 1], now[1], message)
            redis.call('ZADD', KEYS[key], due, message)
        end
        local function add(first, kind, destination, body)
            for i = first + 5, #ARGV do
                if ARGV[i] == destination then
                    if pcall(put, first, 2 + 3 * (i - first - 5), kind, destination, body) then
                        added = added + 1
                    else
                        dropped = dropped + 1
                    end
                end
            end
        end
        local function add_event(first, body) add(first, 'event', '\(OutboxMessage.webhook)', body) end
        local function move_tokens(first, provider, subject)
            for _, name in ipairs({'token:', 'newer_token:'}) do
                local token = redis.call('HGET', KEYS[1], name .. provider)
                if token then add(first, 'revocation', provider, {subject = subject, token = token}) end
                redis.call('HDEL', KEYS[1], name .. provider)
            end
        end

        """

    /// Keeps the sealed token ARGV[3] if the link to ARGV[1] with the subject ARGV[2] is listed. A refresh token
    /// replaces all tokens; an access token is kept in addition to a refresh token.
    static let keepToken = RedisScript(
        """
        if redis.call('HGET', KEYS[1], 'link:' .. ARGV[1]) ~= ARGV[2] then return 0 end
        local field, newer, prefix = 'token:' .. ARGV[1], 'newer_token:' .. ARGV[1], '\(KeptToken.refreshPrefix)'
        local old = redis.call('HGET', KEYS[1], field)
        if old and string.sub(old, 1, 2) == prefix and string.sub(ARGV[3], 1, 2) ~= prefix then
            redis.call('HSET', KEYS[1], newer, ARGV[3])
        else
            redis.call('HSET', KEYS[1], field, ARGV[3])
            redis.call('HDEL', KEYS[1], newer)
        end
        return 1
        """)

    /// Counts an event in a string: the end of a period of ARGV[1] seconds, and the number in it, at most ARGV[2].
    /// Returns the number.
    static let countInPeriod = RedisScript(
        """
        local now = tonumber(redis.call('TIME')[1])
        local ends, count = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+) (%d+)$')
        ends, count = tonumber(ends or 0), tonumber(count or 0)
        if ends <= now or ends > now + tonumber(ARGV[1]) then ends, count = now + tonumber(ARGV[1]), 0 end
        count = math.min(count + 1, tonumber(ARGV[2]))
        local text = string.format('%.0f %.0f', ends, count)
        redis.call('SET', KEYS[1], text, 'EX', string.format('%.0f', ends - now))
        return count
        """)

    /// Acquires or renews the lease KEYS[4] for ARGV[1] and ARGV[2] milliseconds. Returns whether the caller has it,
    /// the time, the numbers of waiting and of parked messages, and the age of the oldest waiting one or -1. At most
    /// ARGV[3] due messages follow for the holder, which also removes messages that were parked for ARGV[4] seconds.
    static let pollOutbox = RedisScript(
        """
        local holder = redis.call('GET', KEYS[4])
        local is_mine = not holder or holder == ARGV[1]
        if is_mine then redis.call('SET', KEYS[4], ARGV[1], 'PX', ARGV[2]) end
        local now = redis.call('TIME')
        if is_mine then
            local last = string.format('%.0f', tonumber(now[1]) - tonumber(ARGV[4]))
            for _, message in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', last, 'LIMIT', 0, 100)) do
                redis.call('ZREM', KEYS[3], message)
            end
        end
        local oldest = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
        local age = oldest[2] and math.max(0, tonumber(now[1]) - tonumber(oldest[2])) or -1
        local answer = {
            is_mine and 1 or 0, tonumber(now[1]), redis.call('ZCARD', KEYS[1]), redis.call('ZCARD', KEYS[3]), age}
        if not is_mine then return answer end
        local limit = string.format('%.0f', tonumber(now[1]) * 1000000 + tonumber(now[2]))
        for _, message in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', limit, 'LIMIT', 0, ARGV[3])) do
            answer[#answer + 1] = message
        end
        return answer
        """)

    /// Removes the message ARGV[1].
    static let removeMessage = RedisScript(
        """
        for i = 1, #KEYS do redis.call('ZREM', KEYS[i], ARGV[1]) end
        return 1
        """)

    /// Makes the waiting message ARGV[1] due in ARGV[2] seconds.
    static let postponeMessage = RedisScript(
        """
        if redis.call('ZSCORE', KEYS[1], ARGV[1]) then
            local now = redis.call('TIME')
            local due = (tonumber(now[1]) + tonumber(ARGV[2])) * 1000000 + tonumber(now[2])
            redis.call('ZADD', KEYS[1], string.format('%.0f', due), ARGV[1])
        end
        return 1
        """)

    /// Parks the waiting message ARGV[1] for the reason ARGV[2].
    static let parkMessage = RedisScript(
        """
        if redis.call('ZREM', KEYS[1], ARGV[1]) == 1 then
            redis.call('ZREM', KEYS[2], ARGV[1])
            redis.call('ZADD', KEYS[3], redis.call('TIME')[1], ARGV[2] .. ' ' .. ARGV[1])
        end
        return 1
        """)

    /// Removes at most ARGV[1] parked messages, oldest first. If ARGV[2] is `retry`, only messages that are parked for
    /// one of the reasons from ARGV[3] on are removed, and they wait again as if they were queued now. Returns their
    /// number.
    ///
    /// The set is read in parts, because a message may have several kilobytes.
    static let releaseMessages = RedisScript(
        """
        local limit, retries, now = tonumber(ARGV[1]), ARGV[2] == 'retry', redis.call('TIME')
        local wanted, first, count = {}, 0, 0
        for i = 3, #ARGV do wanted[ARGV[i]] = true end
        while count < limit do
            local parked = redis.call('ZRANGE', KEYS[3], first, first + 99)
            if #parked == 0 then break end
            for _, member in ipairs(parked) do
                local reason, message = string.match(member, '^(%S+) (.*)$')
                if count < limit and (not retries or wanted[reason]) then
                    if retries then
                        local again = string.gsub(message, '^(%S+ %S+) %S+', '%1 ' .. now[1], 1)
                        redis.call('ZADD', KEYS[2], now[1], again)
                        redis.call('ZADD', KEYS[1], string.format('%.0f', tonumber(now[1]) * 1000000), again)
                    end
                    redis.call('ZREM', KEYS[3], member)
                    count = count + 1
                else
                    first = first + 1
                end
            end
        end
        return count
        """)
}
