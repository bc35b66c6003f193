import Redis
import Revocation

/// The scripts of the queue of changes to write back.
///
/// The queue is a sorted set by the time at which entries are due, in microseconds of the server's clock, which is also
/// the version of an entry. A second set has the times at which the oldest change of each entry was queued.
extension RedisScript {
    /// A function that queues the entries from ARGV[first + 1] in a queue of at most ARGV[first] entries. It adds the
    /// outcomes to the answer, after its two fields. A queue that cannot be written does not prevent the change, which
    /// has been made.
    static let queueFunction = """
        local function enqueue(entry, limit)
            local old = redis.call('ZSCORE', KEYS[2], entry)
            if not old and redis.call('ZCARD', KEYS[2]) >= tonumber(limit) then return 'full' end
            local now = redis.call('TIME')
            local due = tonumber(now[1]) * 1000000 + tonumber(now[2])
            if old and tonumber(old) == due then due = due + 1 end
            redis.call('ZADD', KEYS[3], 'NX', now[1], entry)
            redis.call('ZADD', KEYS[2], string.format('%.0f', due), entry)
            return 'queued'
        end
        local function queue(first, answer)
            for i = first + 1, #ARGV do
                local is_done, outcome = pcall(enqueue, ARGV[i], ARGV[first])
                answer[2 + i - first] = is_done and outcome or 'failed'
            end
        end

        """

    /// Acquires or renews the lease KEYS[3] for ARGV[1] and ARGV[2] milliseconds. Returns whether the caller has it,
    /// the number of entries, the age of the oldest one or -1, and the number of parked entries, KEYS[4]. At most
    /// ARGV[3] due entries and their versions follow for the holder.
    static let pollWriteBacks = RedisScript(
        """
        local holder = redis.call('GET', KEYS[3])
        local is_mine = not holder or holder == ARGV[1]
        if is_mine then redis.call('SET', KEYS[3], ARGV[1], 'PX', ARGV[2]) end
        local now = redis.call('TIME')
        local oldest = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
        local age = oldest[2] and math.max(0, tonumber(now[1]) - tonumber(oldest[2])) or -1
        local answer = {is_mine and 1 or 0, redis.call('ZCARD', KEYS[1]), age, redis.call('ZCARD', KEYS[4])}
        if not is_mine then return answer end
        local limit = string.format('%.0f', tonumber(now[1]) * 1000000 + tonumber(now[2]))
        local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', limit, 'WITHSCORES', 'LIMIT', 0, ARGV[3])
        for i = 1, #due, 2 do
            answer[#answer + 1] = due[i]
            answer[#answer + 1] = string.format('%.0f', tonumber(due[i + 1]))
        end
        return answer
        """)

    /// Removes the entry ARGV[1] if its version is ARGV[2].
    static let removeWriteBack = RedisScript(
        """
        local version = redis.call('ZSCORE', KEYS[1], ARGV[1])
        if version and tonumber(version) == tonumber(ARGV[2]) then
            redis.call('ZREM', KEYS[1], ARGV[1])
            redis.call('ZREM', KEYS[2], ARGV[1])
        end
        return 1
        """)

    /// Makes the entry ARGV[1] due in ARGV[3] seconds if its version is ARGV[2].
    static let postponeWriteBack = RedisScript(
        """
        local version = redis.call('ZSCORE', KEYS[1], ARGV[1])
        if version and tonumber(version) == tonumber(ARGV[2]) then
            local now = redis.call('TIME')
            local due = (tonumber(now[1]) + tonumber(ARGV[3])) * 1000000 + tonumber(now[2])
            redis.call('ZADD', KEYS[1], string.format('%.0f', due), ARGV[1])
        end
        return 1
        """)

    /// Moves the entry ARGV[1] to KEYS[3] if its version is ARGV[2]. If KEYS[3] has ARGV[3] entries, it makes the entry
    /// due in ARGV[4] seconds instead.
    static let parkWriteBack = RedisScript(
        """
        local version = redis.call('ZSCORE', KEYS[1], ARGV[1])
        if not version or tonumber(version) ~= tonumber(ARGV[2]) then return 0 end
        local now = redis.call('TIME')
        if redis.call('ZCARD', KEYS[3]) >= tonumber(ARGV[3]) then
            local due = (tonumber(now[1]) + tonumber(ARGV[4])) * 1000000 + tonumber(now[2])
            redis.call('ZADD', KEYS[1], string.format('%.0f', due), ARGV[1])
            return 0
        end
        redis.call('ZADD', KEYS[3], 'NX', now[1], ARGV[1])
        redis.call('ZREM', KEYS[1], ARGV[1])
        redis.call('ZREM', KEYS[2], ARGV[1])
        return 1
        """)

    /// Moves at most ARGV[1] entries of the parts and projects from ARGV[2] from KEYS[3] back into the queue, unless it
    /// has them. Returns their number.
    static let returnWriteBacks = RedisScript(
        """
        local wanted = {}
        for i = 2, #ARGV do wanted[ARGV[i]] = true end
        local now = redis.call('TIME')
        local due = string.format('%.0f', tonumber(now[1]) * 1000000 + tonumber(now[2]))
        local count = 0
        for _, entry in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do
            if count >= tonumber(ARGV[1]) then break end
            local part_and_project = string.match(entry, '^([^\\31]*)\\31')
            if part_and_project and wanted[part_and_project] then
                redis.call('ZREM', KEYS[3], entry)
                redis.call('ZADD', KEYS[1], 'NX', due, entry)
                redis.call('ZADD', KEYS[2], 'NX', now[1], entry)
                count = count + 1
            end
        end
        return count
        """)
}
