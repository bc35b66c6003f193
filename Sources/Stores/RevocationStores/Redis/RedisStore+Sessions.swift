import GatewayCore
import Redis
package import Revocation

extension RedisStore: SessionListStore {
    package func list(_ session: ListedSession, of uid: UserKey, now: Int64) async throws(StoreError) -> Bool {
        try StoreBounds.check(session, of: uid)
        let command = RedisScript.listSession.command(
            RedisKeys.sessions(of: uid),
            [
                session.id, session.redisValue, "\(session.ends)", "\(now)", "\(StoreBounds.maximumListedSessions)",
            ])
        switch try await commands.query(command, faulty: Self.faultyList(of: uid)).first {
        case .integer(1): return true
        case .integer(0): return false
        default: throw .unexpectedReply()
        }
    }

    package func replace(
        _ old: (session: String, id: String, expires: Int64?), with session: ListedSession?, of uid: UserKey
    ) async throws(StoreError) -> SessionRecord {
        try StoreBounds.check(user: uid, session: old.session)
        if let session { try StoreBounds.check(session, of: uid) }
        let expires = try old.expires.map(StoreBounds.time)
        let arguments =
            [expires.map { "\($0)" } ?? "", old.id]
            + (session.map { [$0.id, $0.redisValue, "\($0.ends)"] } ?? [])
        let command = RedisScript.replaceSession.command(
            keys: [RedisKeys.session(uid, old.session), RedisKeys.sessions(of: uid)], arguments)
        return try await commands.write(
            command, to: ReplicaKey(uid, session: old.session), telling: .session(uid: uid, old.session),
            faulty: StoreError.faultySession(),
            // The reply has the record before the change. The session is revoked in any case.
            word: { RecordWord(shownOf: SessionRecord(revoked: true, signedInAt: $0.signedInAt)) }
        ) { reply throws(StoreError) in
            guard let record = try StoredSession(fieldsOf: [reply]).record else { throw StoreError.faultySession() }
            return record
        }
    }

    package func listedSessions(of uid: UserKey, now: Int64) async throws(StoreError) -> [ListedSession] {
        try StoreBounds.check(user: uid)
        let replies = try await commands.query(
            RedisCommand(["HGETALL", RedisKeys.sessions(of: uid)]), faulty: Self.faultyList(of: uid))
        guard case .array(let fields)? = replies.first else { throw .unexpectedReply() }
        return stride(from: 0, to: fields.count - 1, by: 2).compactMap { index in
            guard let id = fields[index].text, let value = fields[index + 1].text,
                let session = ListedSession(id: id, redisValue: value), session.ends.isAfter(now)
            else { return nil }
            return session
        }
    }

    package func unlist(_ id: String, of uid: UserKey) async throws(StoreError) {
        try StoreBounds.check(user: uid)
        _ = try await commands.query(
            RedisCommand(["HDEL", RedisKeys.sessions(of: uid), id]), faulty: Self.faultyList(of: uid))
    }

    package func recordUses(_ uses: [SessionUse], at time: Int64) async throws(StoreError) {
        let time = try StoreBounds.time(time)
        let scripts = uses.prefix(StoreBounds.maximumRecordedUses).map { use in
            RedisScript.recordUse.command(RedisKeys.sessions(of: use.user), [use.id, "\(time)"])
        }
        guard let first = scripts.first else { return }
        _ = try await commands.query(scripts.dropFirst().reduce(first) { $0 + $1 })
    }

    private static func faultyList(of uid: UserKey) -> StoreError {
        .faultyRecord(repair: "the list of sessions is not a hash; remove its key")
    }
}

extension ListedSession {
    /// The text of the entry in Redis: the end, the last use, the start, and the size of the session's name, each
    /// followed by a colon, then the name and the facts. Scripts read and write the first two.
    fileprivate var redisValue: String { "\(ends):\(lastUsed):\(began):\(session.utf8.count):\(session)\(facts)" }

    /// Parses an entry. `nil` if it is invalid.
    fileprivate init?(id: String, redisValue: String) {
        let parts = redisValue.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 5, StoreBounds.isSessionID(id), let ends = Self.time(parts[0]),
            let lastUsed = Self.time(parts[1]), let began = Self.time(parts[2]),
            let size = Int(String(decoding: parts[3], as: UTF8.self)),
            1...StoreBounds.maximumSessionSize ~= size, parts[4].count > size,
            parts[4].count - size <= StoreBounds.maximumSessionFacts
        else { return nil }
        let session = String(decoding: parts[4].prefix(size), as: UTF8.self)
        let facts = String(decoding: parts[4].dropFirst(size), as: UTF8.self)
        self.init(id: id, session: session, began: began, lastUsed: lastUsed, ends: ends, facts: facts)
    }

    private static func time(_ text: Substring.UTF8View.SubSequence) -> UnixTime? {
        guard text.count <= 12 else { return nil }
        return Int64(String(decoding: text, as: UTF8.self)).flatMap(UnixTime.init(_:))
    }
}

/// The scripts for the list of a user's sessions: a hash of entries, by ID.
extension RedisScript {
    private static let listFunctions = """
        local function ends_of(value) return tonumber(string.match(value or '', '^(%d+):')) or 0 end

        """

    /// Lists the session ARGV[1] with the entry ARGV[2], which ends at ARGV[3]. Removes the entries that ended at
    /// ARGV[4]. Returns 0, without adding it, if there are ARGV[5] others. The key remains ten minutes longer, so that
    /// the server's clock may differ.
    static let listSession = RedisScript(
        listFunctions + """
            local count = 0
            local all = redis.call('HGETALL', KEYS[1])
            for place = 1, #all, 2 do
                if ends_of(all[place + 1]) <= tonumber(ARGV[4]) then
                    redis.call('HDEL', KEYS[1], all[place])
                elseif all[place] ~= ARGV[1] then
                    count = count + 1
                end
            end
            if count >= tonumber(ARGV[5]) then return 0 end
            redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
            expire(string.format('%.0f', tonumber(ARGV[3]) + 600))
            return 1
            """)

    /// Revokes the session KEYS[1], whose expiry is ARGV[1] or empty, unless it is revoked or faulty, and replaces its
    /// entry ARGV[2] in the list KEYS[2] by the entry ARGV[4] with the ID ARGV[3], which ends at ARGV[5], if given.
    /// Returns the fields before. Both keys are in one slot.
    static let replaceSession = RedisScript(
        """
        local old = redis.call('HMGET', KEYS[1], 'revoked', 'signed_in_at', 'authenticated_at')
        if old[1] and old[1] ~= '0' or old[2] and not is_time(old[2]) or old[3] and not is_time(old[3]) then
            return old
        end
        redis.call('HSET', KEYS[1], 'revoked', '1')
        expire(ARGV[1])
        redis.call('HDEL', KEYS[2], ARGV[2])
        if ARGV[3] then
            redis.call('HSET', KEYS[2], ARGV[3], ARGV[4])
            local ends = string.format('%.0f', tonumber(ARGV[5]) + 600)
            if tonumber(ends) > redis.call('EXPIRETIME', KEYS[2]) then redis.call('EXPIREAT', KEYS[2], ends) end
        end
        return old
        """)

    /// Records that the session ARGV[1] was used at ARGV[2].
    static let recordUse = RedisScript(
        """
        local value = redis.call('HGET', KEYS[1], ARGV[1])
        local ends, used, rest = string.match(value or '', '^(%d+):(%d+)(:.*)$')
        if used and tonumber(used) < tonumber(ARGV[2]) then
            redis.call('HSET', KEYS[1], ARGV[1], ends .. ':' .. ARGV[2] .. rest)
        end
        return 1
        """)
}
