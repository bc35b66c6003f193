import Redis
import Revocation

/// A read-modify-write operation: one script on one key, so that it also runs in a Redis Cluster. Only with write-back
/// or an outbox, a change and its entry in the queue are one script on several keys.
///
/// The whole script is sent each time (EVAL). Sending its digest (EVALSHA) would save a kilobyte on rare writes, but
/// needs a fallback for a server that lost the script, after which the stream entry would precede the record.
///
/// `#!lua` makes the server check the declared key and its memory before the script starts.
struct RedisScript: Sendable {
    private let text: String

    /// A function that moves `valid_since` forward to `new`; a faulty value is not changed. For the scope `everything`,
    /// it moves to the start of the latest session if that is later. `sessions` does the same but keeps the time for
    /// credentials, which never decreases. With another scope, it moves to `restarted` if `new` is between that and
    /// `restarted_from`. Returns the previous `valid_since`.
    ///
    /// If the time for credentials is earlier than `valid_since`, it is in `revoked_at`, and `revoked_as` is the
    /// `valid_since` that it belongs to. Other backends may move `valid_since` without these fields.
    private static let moveFunction = """
        local function move(new, scope)
            local old = redis.call('HMGET', KEYS[1], 'valid_since', 'last_session', 'revoked_as', 'revoked_at',
                'restarted', 'restarted_from')
            local last, at = old[2], new
            if scope == '' then
                local from = old[6]
                last = from and is_time(from) and tonumber(from) <= tonumber(new) and old[5]
            end
            local has_own = old[1] and old[1] == old[3] and old[4] and is_time(old[4])
            local before = has_own and old[4] or old[1] or '0'
            if scope == 'sessions' or is_time(before) and tonumber(before) > tonumber(at) then at = before end
            if last and is_time(last) and tonumber(last) > tonumber(new) then new = last end
            if not old[1] or is_time(old[1]) and tonumber(old[1]) < tonumber(new) then
                redis.call('HSET', KEYS[1], 'valid_since', new)
                if tonumber(new) > tonumber(at) then
                    redis.call('HSET', KEYS[1], 'revoked_as', new, 'revoked_at', at)
                else
                    redis.call('HDEL', KEYS[1], 'revoked_as', 'revoked_at')
                end
            elseif has_own and tonumber(old[4]) < tonumber(at) then
                redis.call('HSET', KEYS[1], 'revoked_at', at)
            end
            redis.call('PERSIST', KEYS[1])
            return old[1]
        end

        """

    /// A function that begins a session again at `start`, a new start. The session began at `from` or, if it began
    /// again then, at the time that `restarted_from` keeps: revocations of a time compare with its first start.
    private static let restartFunction = """
        local function restart(start, from)
            local old = redis.call('HMGET', KEYS[1], 'restarted', 'restarted_from')
            if old[1] == from and old[2] then from = old[2] end
            redis.call('HSET', KEYS[1], 'restarted', start, 'restarted_from', from)
        end

        """

    /// Moves `valid_since` forward to ARGV[1] in the scope ARGV[2]. Returns the user's fields.
    ///
    /// ARGV[3] is the end of the record of an unknown user, or empty. With the keys of the write-back queue, the change
    /// is queued by the arguments from ARGV[4], and the outcomes follow the fields.
    static let revoke = RedisScript(
        moveFunction + """
            local is_new = redis.call('TYPE', KEYS[1]).ok == 'none'
            move(ARGV[1], ARGV[2])
            set_end(is_new, ARGV[3])
            local answer = redis.call('HMGET', KEYS[1], 'valid_since', 'disabled')
            if KEYS[2] then queue(4, answer) end
            return answer
            """, queues: true)

    /// Ends the sessions of a user at ARGV[1]. If ARGV[2] is not empty, it is the start of a session that continues
    /// with a later start, unless it has ended or the user is disabled. Returns the user's fields and the new start, or
    /// an empty string.
    static let endSessions = RedisScript(
        moveFunction + restartFunction + """
            local old, start = move(ARGV[1], 'sessions'), ''
            set_end(false, '')
            local answer = redis.call('HMGET', KEYS[1], 'valid_since', 'disabled')
            if ARGV[2] ~= '' and is_time(answer[1]) and (not answer[2] or answer[2] == '0')
                and (not old or tonumber(old) < tonumber(ARGV[2])) then
                local following = string.format('%.0f', tonumber(answer[1]) + 1)
                if is_time(following) then
                    start = following
                    redis.call('HSET', KEYS[1], 'last_session', start)
                    restart(start, ARGV[2])
                end
            end
            answer[3] = start
            return answer
            """)

    /// Removes `valid_since`, or a key of another type. The record of a deleted account's user does not change.
    /// Returns the user's fields.
    static let unrevoke = RedisScript(
        """
        if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then
            redis.call('DEL', KEYS[1])
        elseif not redis.call('HGET', KEYS[1], 'deleted') then
            redis.call('HDEL', KEYS[1], 'valid_since', 'revoked_as', 'revoked_at', 'expires')
            if redis.call('HGET', KEYS[1], 'disabled') == '0' then redis.call('HDEL', KEYS[1], 'disabled') end
        end
        return redis.call('HMGET', KEYS[1], 'valid_since', 'disabled')
        """)

    /// Begins a session at ARGV[1], or in the first second after `valid_since` if that is later, and stores the
    /// latest start. A faulty record is not changed. ARGV[2] is empty or the earlier start of a session that begins
    /// again at ARGV[1]. Returns the start and the user's fields.
    static let beginSession = RedisScript(
        restartFunction + """
            local old = redis.call('HMGET', KEYS[1], 'valid_since', 'disabled', 'revoked_as', 'revoked_at',
                'last_session')
            local start = ARGV[1]
            if old[1] and not is_time(old[1]) then return {start, old[1], old[2], old[3], old[4]} end
            if old[1] and tonumber(old[1]) >= tonumber(start) then
                start = string.format('%.0f', tonumber(old[1]) + 1)
            end
            if is_time(start) and not (old[5] and is_time(old[5]) and tonumber(old[5]) >= tonumber(start)) then
                redis.call('HSET', KEYS[1], 'last_session', start)
            end
            if ARGV[2] ~= '' and start == ARGV[1] then restart(start, ARGV[2]) end
            redis.call('HDEL', KEYS[1], 'expires')
            redis.call('PERSIST', KEYS[1])
            return {start, old[1], old[2], old[3], old[4]}
            """)

    /// Adds the block of the author ARGV[2], or lifts the blocks that the author may lift, as `UserBlocks` does, and
    /// sets `disabled` accordingly, also if it was faulty. ARGV[1] is `1` to disable. ARGV[2] is a transmitter, or
    /// empty for other authors. ARGV[3] is the time of the event, ARGV[4] the end of the record as for `revoke`.
    ///
    /// The user of a deleted account stays disabled. Returns the user's fields. With the keys of the write-back queue,
    /// it queues the change like `revoke`, from ARGV[5].
    static let setDisabled = RedisScript(
        """
        local is_new = redis.call('TYPE', KEYS[1]).ok == 'none'
        local old = redis.call('HMGET', KEYS[1], 'disabled', 'blocked_by', 'deleted')
        local author, times, count = ARGV[2], {}, 0
        if old[1] == '1' then
            for name, time in string.gmatch(old[2] or '', '([^ =]+)=(%d+)') do
                times[name] = time
                count = count + 1
            end
            if count == 0 then times['*'] = '0' end
        end
        local has_own = times[author] ~= nil
        if ARGV[1] == '1' then
            if author == '' or not has_own and count >= \(UserBlocks.maximum) then
                times['*'] = '0'
            elseif not has_own or tonumber(times[author]) < tonumber(ARGV[3]) then
                times[author] = ARGV[3]
            end
            redis.call('HSET', KEYS[1], 'disabled', '1')
            redis.call('PERSIST', KEYS[1])
        elseif old[3] then
            has_own = false
        elseif author == '' then
            times = {}
            redis.call('HDEL', KEYS[1], 'disabled')
        elseif has_own and tonumber(times[author]) <= tonumber(ARGV[3]) then
            times[author] = nil
            if not next(times) then redis.call('HDEL', KEYS[1], 'disabled') end
        end
        local names = {}
        for name in pairs(times) do names[#names + 1] = name end
        table.sort(names)
        if #names == 0 or #names == 1 and names[1] == '*' then
            if old[2] then redis.call('HDEL', KEYS[1], 'blocked_by') end
        else
            for i, name in ipairs(names) do names[i] = name .. '=' .. times[name] end
            redis.call('HSET', KEYS[1], 'blocked_by', table.concat(names, ' '))
        end
        set_end(is_new, ARGV[4])
        local answer = redis.call('HMGET', KEYS[1], 'valid_since', 'disabled')
        if KEYS[2] then queue(5, answer) end
        return answer
        """, queues: true)

    /// Revokes a session and repairs a faulty record. ARGV[1] is its expiry or empty. Returns the session's fields.
    static let revokeSession = RedisScript(
        """
        local kind = redis.call('TYPE', KEYS[1]).ok
        if kind ~= 'hash' and kind ~= 'none' then redis.call('DEL', KEYS[1]) end
        redis.call('HSET', KEYS[1], 'revoked', '1')
        local at = redis.call('HGET', KEYS[1], 'signed_in_at')
        if at and not is_time(at) then redis.call('HDEL', KEYS[1], 'signed_in_at') end
        local authenticated = redis.call('HGET', KEYS[1], 'authenticated_at')
        if authenticated and not is_time(authenticated) then redis.call('HDEL', KEYS[1], 'authenticated_at') end
        local answer = redis.call('HMGET', KEYS[1], 'revoked', 'signed_in_at', 'authenticated_at')
        expire(ARGV[1])
        return answer
        """)

    /// Moves `signed_in_at` forward to ARGV[1]. ARGV[2] is the session's expiry or empty. ARGV[3] is `1` for an
    /// authentication, whose time is also stored in `authenticated_at`. A faulty record is not changed. Returns the
    /// session's fields.
    static let recordSignIn = RedisScript(
        """
        local old = redis.call('HMGET', KEYS[1], 'revoked', 'signed_in_at', 'authenticated_at')
        if old[1] and old[1] ~= '0' and old[1] ~= '1' or old[2] and not is_time(old[2])
            or old[3] and not is_time(old[3]) then return old end
        if not old[2] or tonumber(old[2]) <= tonumber(ARGV[1]) then
            redis.call('HSET', KEYS[1], 'signed_in_at', ARGV[1])
            if ARGV[3] == '1' then redis.call('HSET', KEYS[1], 'authenticated_at', ARGV[1]) end
        end
        local answer = redis.call('HMGET', KEYS[1], 'revoked', 'signed_in_at', 'authenticated_at')
        expire(ARGV[2])
        return answer
        """)

    /// All scripts.
    static let all = [
        revoke, endSessions, unrevoke, beginSession, setDisabled, revokeSession, recordSignIn, create, abandon, list,
        unlist, unlink, evict, unlinkAll, unlinked, expectEmail, setEmail, setProfile, openEmailChange, changeEmail,
        setName, released, removeEmail, deleteIfEqual,
        disableDeletedUser, deleteAccountData, overdue, forgetDeletion, putFlow, takeFlow, pollWriteBacks,
        removeWriteBack, postponeWriteBack, parkWriteBack, returnWriteBacks, keepToken, countInPeriod, pollOutbox,
        removeMessage, postponeMessage, parkMessage, releaseMessages, announce, isKnown, reserve, ended, removeEnded,
        freePlace, acquireLease, listSession, replaceSession, recordUse, chargeRate, merge,
    ]

    /// - Parameter queues: Whether the script can queue its change to write it back.
    init(_ body: String, queues: Bool = false) {
        text = Self.prelude + (queues ? Self.queueFunction : "") + body
    }

    /// Creates a script without the functions of the others, for frequent calls.
    init(frequent body: String) {
        text = "#!lua\n" + body
    }

    /// Returns the command that runs the script.
    func command(_ key: [UInt8], _ arguments: [String] = []) -> RedisCommand {
        command(keys: [key], arguments)
    }

    /// Returns the command that runs the script on several keys, which a Redis Cluster would have to hold in one slot.
    func command(keys: [[UInt8]], _ arguments: [String]) -> RedisCommand {
        RedisCommand(
            ["EVAL", text, keys.count] + keys.map { $0 as any RedisArgument }
                + arguments.map { $0 as any RedisArgument })
    }

    /// Functions that check a time as strictly as `StoredField`, extend an expiry (a key without one has -1), set the
    /// end of a user's record, which a record without an end never gets, and count the links of an account.
    private static let prelude = """
        #!lua
        local function is_time(text)
            return (text == '0' or #text <= 12 and string.find(text, '^[1-9]%d*$') ~= nil)
                and tonumber(text) <= \(StoreBounds.maximumTime)
        end
        local function expire(at)
            if at ~= '' and tonumber(at) > redis.call('EXPIRETIME', KEYS[1]) then
                redis.call('EXPIREAT', KEYS[1], at)
            end
        end
        local function set_end(is_new, at)
            local old = redis.call('HGET', KEYS[1], 'expires')
            if not at or at == '' then
                if old then redis.call('HDEL', KEYS[1], 'expires') end
            elseif old and (not is_time(old) or tonumber(old) < tonumber(at))
                or is_new and redis.call('TYPE', KEYS[1]).ok == 'hash' then
                redis.call('HSET', KEYS[1], 'expires', at)
            end
        end
        local function links()
            local count = 0
            for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
                if string.sub(field, 1, 5) == 'link:' then count = count + 1 end
            end
            return count
        end

        """
}
