import Redis
import Revocation

/// The scripts of the outbox.
///
/// A message is a text: its kind, ID, time and destination, and a JSON object, separated by spaces. It is the member of
/// a sorted set by the time at which it is due, in microseconds of the server's clock, and of a second one by the time
/// at which it was queued. A parked message is only in a third one.
extension RedisScript {
    /// Functions that add messages to the outbox KEYS[2], KEYS[3] and KEYS[4], if it is given. The arguments from
    /// ARGV[first] on are the ID, the maximum number of messages, whether events are added, the uid, the tenant and the
    /// project.
    ///
    /// A full outbox, or one that cannot be written, does not prevent the change.
    static let outboxFunctions = """
        local added, dropped = 0, 0
        local function put(first, kind, destination, body)
            local size = redis.call('ZCARD', KEYS[2]) + redis.call('ZCARD', KEYS[4])
            if size >= tonumber(ARGV[first + 1]) then error('full') end
            body.uid = ARGV[first + 3]
            if ARGV[first + 4] ~= '' then body.tenant = ARGV[first + 4] end
            if ARGV[first + 5] ~= '' then body.project = ARGV[first + 5] end
            local now = redis.call('TIME')
            body.time = tonumber(now[1])
            local id = ARGV[first] .. '-' .. (added + 1)
            local message = table.concat({kind, id, now[1], destination, cjson.encode(body)}, ' ')
            redis.call('ZADD', KEYS[3], now[1], message)
            redis.call('ZADD', KEYS[2], string.format('%.0f', tonumber(now[1]) * 1000000 + tonumber(now[2])), message)
        end
        local function add(first, kind, destination, body)
            if not KEYS[2] then return end
            if pcall(put, first, kind, destination, body) then added = added + 1 else dropped = dropped + 1 end
        end
        local function add_event(first, body)
            if KEYS[2] and ARGV[first + 2] == '1' then add(first, 'event', '\(OutboxMessage.webhook)', body) end
        end
        local function move_token(first, provider, subject)
            local token = redis.call('HGET', KEYS[1], 'token:' .. provider)
            if not token then return end
            redis.call('HDEL', KEYS[1], 'token:' .. provider)
            add(first, 'revocation', provider, {subject = subject, token = token})
        end

        """

    /// Keeps the sealed token ARGV[3] if the link to ARGV[1] with the subject ARGV[2] is listed. Only another refresh
    /// token replaces a refresh token.
    static let keepToken = RedisScript(
        """
        if redis.call('HGET', KEYS[1], 'link:' .. ARGV[1]) ~= ARGV[2] then return 0 end
        local field, prefix = 'token:' .. ARGV[1], '\(KeptToken.refreshPrefix)'
        local old = redis.call('HGET', KEYS[1], field)
        if old and string.sub(old, 1, 2) == prefix and string.sub(ARGV[3], 1, 2) ~= prefix then return 0 end
        redis.call('HSET', KEYS[1], field, ARGV[3])
        return 1
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

    /// Parks the waiting message ARGV[1].
    static let parkMessage = RedisScript(
        """
        if redis.call('ZREM', KEYS[1], ARGV[1]) == 1 then
            redis.call('ZREM', KEYS[2], ARGV[1])
            redis.call('ZADD', KEYS[3], redis.call('TIME')[1], ARGV[1])
        end
        return 1
        """)

    /// Removes at most ARGV[1] parked messages, oldest first. If ARGV[2] is `retry`, they wait again as if they were
    /// queued now. Returns their number.
    static let releaseMessages = RedisScript(
        """
        local messages = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', '+inf', 'LIMIT', 0, ARGV[1])
        local now = redis.call('TIME')
        for _, message in ipairs(messages) do
            if ARGV[2] == 'retry' then
                local again = string.gsub(message, '^(%S+ %S+) %S+', '%1 ' .. now[1], 1)
                redis.call('ZADD', KEYS[2], now[1], again)
                redis.call('ZADD', KEYS[1], string.format('%.0f', tonumber(now[1]) * 1000000), again)
            end
            redis.call('ZREM', KEYS[3], message)
        end
        return #messages
        """)
}
