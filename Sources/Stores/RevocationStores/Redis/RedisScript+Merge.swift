import Revocation

/// The script that merges accounts.
extension RedisScript {
    /// Merges the account KEYS[1] into another one.
    ///
    /// The keys of the outbox follow KEYS[1], up to KEYS[ARGV[1]]. The next ones are the account of the target, the
    /// records of the source's and the target's user, the list of deletions, the key of the source's address (without
    /// an address, any key), and the keys of the source's links. ARGV[2] is the time, ARGV[3] and ARGV[4] are the names
    /// of source and target, ARGV[5] is the source's address or empty, ARGV[6] and ARGV[7] are the maximum numbers of
    /// links and of unlinked identities, ARGV[8] is the number of links, and ARGV[9] is the revocation of the source's
    /// user that the identities have too: `valid_since`, a space and `revoked_at`, each empty if it is absent. The
    /// providers and subjects of the links follow, and then the arguments of the outbox.
    ///
    /// The target loses an own address that is not verified: the owner of the address could take over the identities.
    ///
    /// Returns the result, a provider or an empty string, and the numbers of added and of dropped messages. Except for
    /// `merged`, nothing has changed.
    static let merge = RedisScript(
        outboxFunctions + """
            local base, count = tonumber(ARGV[1]), tonumber(ARGV[8])
            local target, source_user, target_user = KEYS[base + 1], KEYS[base + 2], KEYS[base + 3]
            local function result(word, provider) return {word, provider or '', added, dropped} end
            local function is_present(account, user)
                return redis.call('HGET', account, 'created') and not redis.call('HGET', account, 'deleted')
                    and not redis.call('HGET', user, 'deleted')
            end
            if redis.call('HGET', KEYS[1], 'merged_into') == ARGV[4] then return result('before') end
            if not is_present(KEYS[1], source_user) then return result('no_source') end
            if not is_present(target, target_user) then return result('no_target') end
            local record = redis.call('HMGET', source_user, 'valid_since', 'disabled', 'last_session', 'revoked_at')
            if record[2] and record[2] ~= '0' then return result('disabled') end
            if (record[1] or '') .. ' ' .. (record[4] or '') ~= ARGV[9] then return result('changed') end
            local email = redis.call('HGET', KEYS[1], 'email')
            if links() ~= count or (email or '') ~= ARGV[5] then return result('changed') end
            local identities = {}
            for i = 1, count do
                local provider, subject = ARGV[8 + 2 * i], ARGV[9 + 2 * i]
                if redis.call('HGET', KEYS[1], 'link:' .. provider) ~= subject
                    or redis.call('GET', KEYS[base + 5 + i]) ~= ARGV[3]
                    or redis.call('HGET', target, 'unlinking:' .. provider) then return result('changed') end
                if redis.call('HGET', KEYS[1], 'firebase:' .. provider .. ':' .. subject) then
                    return result('firebase')
                end
                if redis.call('HGET', target, 'link:' .. provider) then return result('provider', provider) end
                identities[provider] = subject
            end
            local own, memory = 0, 0
            local fields = redis.call('HGETALL', target)
            for i = 1, #fields, 2 do
                local provider = string.match(fields[i], '^link:(.*)$')
                if provider then
                    own = own + 1
                    if redis.call('HGET', target, 'firebase:' .. provider .. ':' .. fields[i + 1]) then
                        return result('firebase')
                    end
                elseif string.match(fields[i], '^unlinked:') then
                    memory = memory + 1
                end
            end
            if own + count > tonumber(ARGV[6]) then return result('full') end

            for i = 1, count do
                local provider, subject = ARGV[8 + 2 * i], ARGV[9 + 2 * i]
                redis.call('SET', KEYS[base + 5 + i], ARGV[4])
                redis.call('HSET', target, 'link:' .. provider, subject)
                memory = memory - redis.call('HDEL', target, 'unlinked:' .. provider .. ':' .. subject)
                redis.call('HDEL', target, 'firebase:' .. provider .. ':' .. subject)
                for _, name in ipairs({'token:', 'newer_token:'}) do
                    local token = redis.call('HGET', KEYS[1], name .. provider)
                    redis.call('HDEL', target, name .. provider)
                    if token then redis.call('HSET', target, name .. provider, token) end
                end
            end
            local is_remembered = not redis.call('HGET', KEYS[1], 'unlinked_more')
            for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
                local provider, subject = string.match(field, '^unlinked:([^:]*):(.*)$')
                if provider and redis.call('HGET', target, 'link:' .. provider) ~= subject
                    and not redis.call('HGET', target, field) then
                    if memory < tonumber(ARGV[7]) then
                        redis.call('HSET', target, field, '1')
                        memory = memory + 1
                    else
                        is_remembered = false
                    end
                end
            end
            local function take(part)
                for _, field in ipairs({part, 'chosen_' .. part}) do
                    local value = redis.call('HGET', KEYS[1], field)
                    if value then redis.call('HSET', target, field, value) end
                end
            end
            for _, part in ipairs({'name', 'picture'}) do
                if redis.call('HGET', KEYS[1], part) and not redis.call('HGET', target, part)
                    and not redis.call('HGET', target, 'chosen_' .. part) then take(part) end
            end
            local own_email = redis.call('HGET', target, 'email')
            if own_email and redis.call('HGET', target, 'email_verified') ~= '1' then
                redis.call('HSET', target, 'releasing:' .. own_email, '\(lost)')
                redis.call('HDEL', target, \(emailFields))
            end
            local from = redis.call('HGET', KEYS[1], 'email_from')
            local is_known = redis.call('HGET', KEYS[1], 'email_verified') == '1'
                and (redis.call('HGET', KEYS[1], 'chosen_email') or from and redis.call('HGET', KEYS[1], 'link:' .. from))
            local is_released = false
            if email and is_remembered and is_known and not redis.call('HGET', target, 'email')
                and not redis.call('HGET', target, 'unlinked_more') then
                take('email')
                redis.call('HSET', target, 'email_verified', '1')
                redis.call('HDEL', target, 'email_from', 'email_ticket')
                if from then redis.call('HSET', target, 'email_from', from) end
                redis.call('HDEL', target, 'releasing:' .. email)
                if redis.call('GET', KEYS[base + 5]) == ARGV[3] then redis.call('SET', KEYS[base + 5], ARGV[4]) end
            elseif email then
                is_released = true
            end
            for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
                if not string.match(field, '^unlinking:') and not string.match(field, '^releasing:') then
                    redis.call('HDEL', KEYS[1], field)
                end
            end
            redis.call('HSET', KEYS[1], 'deleted', ARGV[2], 'merged_into', ARGV[4])
            if is_released then redis.call('HSET', KEYS[1], 'releasing:' .. email, '1') end
            local since = ARGV[2]
            for _, time in ipairs({record[1] or '', record[3] or ''}) do
                if is_time(time) and tonumber(time) > tonumber(since) then since = time end
            end
            redis.call('HSET', source_user, 'valid_since', since, 'disabled', '1', 'deleted', ARGV[2])
            redis.call('HDEL', source_user, 'revoked_as', 'revoked_at', 'expires')
            redis.call('PERSIST', source_user)
            redis.call('HSET', KEYS[base + 4], ARGV[3], ARGV[2])
            add_event(10 + 2 * count, {type = 'account.merged', merged_into = ARGV[4], identities = identities})
            return result('merged')
            """)
}
