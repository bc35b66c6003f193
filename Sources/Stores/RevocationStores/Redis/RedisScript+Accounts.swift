import Revocation

/// The scripts for accounts. The fields of an account's hash are:
/// - `link:PROVIDER`: a listed link.
/// - `unlinking:PROVIDER`: a link that is being removed.
/// - `unlinked:PROVIDER:SUBJECT`: an identity that was unlinked.
/// - `releasing:EMAIL`: an address that the account does not have (yet), and whose key may name the account. The value
///   is `lost` if the account had the address: its user's sessions, which may state it, end before the field goes.
/// - `chosen_name`, `chosen_picture`, `chosen_email`: the user chose this part of the profile, also if it is absent.
/// - `email_ticket`: the open change of the address.
/// - `deleted`: when the account was deleted. Such a hash takes no link, address and name.
/// - `firebase:PROVIDER:SUBJECT`: the evidence of a link that was made from Firebase.
/// - `token:PROVIDER`: a sealed token of the linked identity, which its removal moves to the outbox.
/// - `newer_token:PROVIDER`: a later access token, beside a refresh token in `token:PROVIDER`.
extension RedisScript {
    /// The conditions for listing an identity.
    enum Listing: String {
        /// The account's user links it. The account forgets that it was unlinked.
        case explicit
        /// A sign-in by address or the completion of a creation links it, unless it was or may have been unlinked.
        case implicit
        /// The link was listed before and is restored, unless it was unlinked.
        case again
    }

    /// Creates an account with a link to ARGV[1] with the subject ARGV[2]. The other arguments are its other fields.
    /// Returns 0 if the key contains another account.
    static let create = RedisScript(
        """
        local link = 'link:' .. ARGV[1]
        if redis.call('TYPE', KEYS[1]).ok ~= 'none' and redis.call('HGET', KEYS[1], link) ~= ARGV[2] then return 0 end
        redis.call('HSET', KEYS[1], link, ARGV[2], unpack(ARGV, 3))
        return 1
        """)

    /// Rolls `create` back: removes the account, or only this link if the account has others by now. Returns whether
    /// the account was removed.
    static let abandon = RedisScript(
        """
        local link = 'link:' .. ARGV[1]
        if redis.call('HGET', KEYS[1], link) ~= ARGV[2] then return 0 end
        redis.call('HDEL', KEYS[1], link, 'email_from', 'token:' .. ARGV[1], 'newer_token:' .. ARGV[1])
        if links() > 0 then return 0 end
        redis.call('DEL', KEYS[1])
        return 1
        """)

    /// Lists the link to ARGV[1] with the subject ARGV[2], unless there are ARGV[3] links or the `Listing` ARGV[4]
    /// forbids it. ARGV[5] is the evidence from Firebase or empty; a link that is listed again keeps its own. Returns
    /// the state of the link and its subject.
    static let list = RedisScript(
        """
        if redis.call('HGET', KEYS[1], 'deleted') then return {'deleted', ''} end
        local ending = redis.call('HGET', KEYS[1], 'unlinking:' .. ARGV[1])
        if ending then return {'ending', ending} end
        local old = redis.call('HGET', KEYS[1], 'link:' .. ARGV[1])
        if old then return {old == ARGV[2] and 'listed' or 'other', old} end
        local memory = 'unlinked:' .. ARGV[1] .. ':' .. ARGV[2]
        if ARGV[4] ~= 'explicit' and redis.call('HGET', KEYS[1], memory)
            or ARGV[4] == 'implicit' and redis.call('HGET', KEYS[1], 'unlinked_more') then return {'unlinked', ''} end
        if links() >= tonumber(ARGV[3]) then return {'full', ''} end
        redis.call('HSET', KEYS[1], 'link:' .. ARGV[1], ARGV[2])
        redis.call('HDEL', KEYS[1], 'token:' .. ARGV[1], 'newer_token:' .. ARGV[1])
        local evidence = 'firebase:' .. ARGV[1] .. ':' .. ARGV[2]
        if ARGV[5] ~= '' then
            redis.call('HSET', KEYS[1], evidence, ARGV[5])
        elseif ARGV[4] ~= 'again' then
            redis.call('HDEL', KEYS[1], evidence)
        end
        if ARGV[4] == 'explicit' then redis.call('HDEL', KEYS[1], memory) end
        return {'new', ARGV[2]}
        """)

    /// Removes the link to ARGV[1] with the subject ARGV[2] from the list.
    static let unlist = RedisScript(
        """
        local link = 'link:' .. ARGV[1]
        if redis.call('HGET', KEYS[1], link) == ARGV[2] then
            redis.call('HDEL', KEYS[1], link, 'token:' .. ARGV[1], 'newer_token:' .. ARGV[1])
        end
        return 1
        """)

    /// Functions that begin the removal of a link. They remember its identity, and remove the address if the identity
    /// supplied it or if its source is unknown.
    private static let ending =
        outboxFunctions + """
            local function release_email()
                local email = redis.call('HGET', KEYS[1], 'email')
                if email then redis.call('HSET', KEYS[1], 'releasing:' .. email, '\(lost)') end
                redis.call('HDEL', KEYS[1], \(emailFields))
            end
            local function remember(identity)
                if redis.call('HGET', KEYS[1], identity) then return end
                local count = 0
                for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
                    if string.sub(field, 1, 9) == 'unlinked:' then count = count + 1 end
                end
                if count < \(StoreBounds.maximumUnlinked) then
                    redis.call('HSET', KEYS[1], identity, '1')
                else
                    redis.call('HSET', KEYS[1], 'unlinked_more', '1')
                    release_email()
                end
            end
            local function begin_end(provider, subject, keeps_email, first)
                redis.call('HSET', KEYS[1], 'unlinking:' .. provider, subject)
                redis.call('HDEL', KEYS[1], 'link:' .. provider)
                move_tokens(first, provider, subject)
                add_event(first, {type = 'account.unlinked', identities = {[provider] = subject}})
                local from = redis.call('HGET', KEYS[1], 'email_from')
                if not keeps_email and (not from or from == provider) then release_email() end
                remember('unlinked:' .. provider .. ':' .. subject)
            end

            """

    /// Begins the removal of the link to ARGV[1], or finds one that was begun. Returns the result and the subject, and
    /// the numbers of added and of dropped messages. The arguments of the outbox follow.
    static let unlink = RedisScript(
        ending + """
            local ending = redis.call('HGET', KEYS[1], 'unlinking:' .. ARGV[1])
            if ending then return {'ending', ending, 0, 0} end
            local old = redis.call('HGET', KEYS[1], 'link:' .. ARGV[1])
            if not old then return {'absent', '', 0, 0} end
            if links() == 1 and redis.call('HGET', KEYS[1], 'created') then return {'last', old, 0, 0} end
            begin_end(ARGV[1], old, false, 2)
            return {'ending', old, added, dropped}
            """)

    /// Begins the removal of the link to ARGV[1] with the subject ARGV[2], like `unlink`, but also of the last one, and
    /// only if its evidence is ARGV[3].
    static let evict = RedisScript(
        ending + """
            local ending = redis.call('HGET', KEYS[1], 'unlinking:' .. ARGV[1])
            if ending then return {'ending', ending, 0, 0} end
            if redis.call('HGET', KEYS[1], 'link:' .. ARGV[1]) ~= ARGV[2]
                or redis.call('HGET', KEYS[1], 'firebase:' .. ARGV[1] .. ':' .. ARGV[2]) ~= ARGV[3] then
                return {'absent', '', 0, 0}
            end
            begin_end(ARGV[1], ARGV[2], false, 4)
            return {'evicted', ARGV[2], added, dropped}
            """)

    /// Begins the removal of all links except the one to ARGV[1] with the subject ARGV[2], and removes the name and the
    /// picture that their users chose. The address stays if ARGV[1] is not empty. Returns the providers and subjects of
    /// all links that are being removed, and the numbers of added and of dropped messages. The arguments of the outbox
    /// follow.
    static let unlinkAll = RedisScript(
        ending + """
            local answer = {}
            if ARGV[1] == '' then release_email() end
            for _, part in ipairs({'name', 'picture'}) do
                if redis.call('HDEL', KEYS[1], 'chosen_' .. part) == 1 then redis.call('HDEL', KEYS[1], part) end
            end
            local fields = redis.call('HGETALL', KEYS[1])
            for i = 1, #fields, 2 do
                local provider = string.match(fields[i], '^link:(.*)$')
                if provider and not (provider == ARGV[1] and fields[i + 1] == ARGV[2])
                    and not redis.call('HGET', KEYS[1], 'unlinking:' .. provider) then
                    begin_end(provider, fields[i + 1], ARGV[1] ~= '', 3)
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
            answer[#answer + 1] = added
            answer[#answer + 1] = dropped
            return answer
            """)

    /// Completes the removal of the link to ARGV[1] with the subject ARGV[2]. Returns whether it is listed (again).
    ///
    /// If the account was deleted after the removal began, its deletion has to remove the link again. ARGV[3] is
    /// `deleted` if the removal belongs to the deletion, and empty otherwise.
    static let unlinked = RedisScript(
        """
        local ending = 'unlinking:' .. ARGV[1]
        local is_ours = ARGV[3] == 'deleted' or not redis.call('HGET', KEYS[1], 'deleted')
        if is_ours and redis.call('HGET', KEYS[1], ending) == ARGV[2] then redis.call('HDEL', KEYS[1], ending) end
        if redis.call('HGET', KEYS[1], 'link:' .. ARGV[1]) == ARGV[2] then return 1 end
        redis.call('HDEL', KEYS[1], 'firebase:' .. ARGV[1] .. ':' .. ARGV[2])
        return 0
        """)

    /// Records that the key of the address ARGV[1] may name the account, unless the account has that address. Returns
    /// 0 if the account is deleted, and 2 if it has the address.
    static let expectEmail = RedisScript(
        """
        if redis.call('HGET', KEYS[1], 'deleted') then return 0 end
        if redis.call('HGET', KEYS[1], 'email') == ARGV[1] then return 2 end
        redis.call('HSETNX', KEYS[1], 'releasing:' .. ARGV[1], '1')
        return 1
        """)

    /// Sets the address to ARGV[1] and its verification to ARGV[2], if the link to ARGV[3] with the subject ARGV[4]
    /// is listed and all unlinked identities are remembered. Returns whether it was set, and the previous address.
    static let setEmail = RedisScript(
        """
        if redis.call('HGET', KEYS[1], 'link:' .. ARGV[3]) ~= ARGV[4]
            or redis.call('HGET', KEYS[1], 'unlinked_more') then return {'refused', ''} end
        local old = redis.call('HGET', KEYS[1], 'email') or ''
        if old ~= '' and old ~= ARGV[1] then redis.call('HSET', KEYS[1], 'releasing:' .. old, '\(lost)') end
        redis.call('HDEL', KEYS[1], 'releasing:' .. ARGV[1], \(emailFields))
        redis.call('HSET', KEYS[1], 'email', ARGV[1], 'email_verified', ARGV[2], 'email_from', ARGV[3])
        return {'set', old}
        """)

    /// The value of `releasing:EMAIL` of an address that the account had.
    static let lost = "lost"

    /// The fields of an address, as arguments of a command of a script.
    static let emailFields = "'email', 'email_verified', 'email_from', 'chosen_email', 'email_ticket'"

    /// Changes the chosen parts of the profile, if a gateway created the account: each triple of arguments is a field,
    /// `set` or `removed`, and the value. Returns whether there is such an account.
    static let setProfile = RedisScript(
        """
        if not redis.call('HGET', KEYS[1], 'created') or redis.call('HGET', KEYS[1], 'deleted') then return 0 end
        for i = 1, #ARGV, 3 do
            if ARGV[i + 1] == 'set' then
                redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 2])
            else
                redis.call('HDEL', KEYS[1], ARGV[i])
            end
            redis.call('HSET', KEYS[1], 'chosen_' .. ARGV[i], '1')
        end
        return 1
        """)

    /// Sets the display name to ARGV[1], unless the account has one, its user chose to have none, or it is deleted.
    static let setName = RedisScript(
        """
        if redis.call('HGET', KEYS[1], 'deleted') or redis.call('HGET', KEYS[1], 'chosen_name') then return 0 end
        return redis.call('HSETNX', KEYS[1], 'name', ARGV[1])
        """)

    /// Records that the key of the address ARGV[1] does not name the account, if the field still has the value ARGV[2]:
    /// the account may have got and lost the address meanwhile. Returns whether the account has the address (again).
    static let released = RedisScript(
        """
        local field = 'releasing:' .. ARGV[1]
        if redis.call('HGET', KEYS[1], field) == ARGV[2] then redis.call('HDEL', KEYS[1], field) end
        return redis.call('HGET', KEYS[1], 'email') == ARGV[1] and 1 or 0
        """)

    /// Removes the address if it is ARGV[1], and records that its key may still name the account.
    static let removeEmail = RedisScript(
        """
        if redis.call('HGET', KEYS[1], 'email') == ARGV[1] then
            redis.call('HSET', KEYS[1], 'releasing:' .. ARGV[1], '\(lost)')
            redis.call('HDEL', KEYS[1], \(emailFields))
        end
        return 1
        """)

    /// Removes a string if it is ARGV[1].
    static let deleteIfEqual = RedisScript(
        """
        if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
        return 1
        """)
}
