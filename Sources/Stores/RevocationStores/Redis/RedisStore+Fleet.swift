import GatewayCore
import Redis
package import Revocation

/// The announcements of gateways: a hash of their texts, each after its expiry and a colon.
extension RedisStore: FleetStore {
    package func announce(_ gateway: FleetEntry, now: Int64) async throws(StoreError) -> [FleetEntry]? {
        let expires = try StoreBounds.time(now).adding(FleetEntry.lifetime).seconds
        let command = RedisScript.announce.command(
            RedisKeys.fleet, [gateway.id, gateway.text, "\(now)", "\(expires)", "\(FleetEntry.limit)"])
        guard case .array(let fields)? = try await commands.query(command).first, fields.count.isMultiple(of: 2) else {
            throw .unexpectedReply()
        }
        return stride(from: 0, to: fields.count, by: 2).compactMap { place in
            guard let id = fields[place].text, let text = fields[place + 1].text else { return nil }
            let entry = FleetEntry(id: id, text: text)
            return entry.isValid ? entry : nil
        }
    }
}

extension RedisScript {
    /// Stores the text ARGV[2] of the gateway ARGV[1] until ARGV[4], unless ARGV[5] others have one. Removes the texts
    /// that expired at ARGV[3]. Returns the identifiers and texts of the others. The key expires a minute after the
    /// last text, so that the server's clock may differ.
    static let announce = RedisScript(
        """
        local now = tonumber(ARGV[3])
        local others = {}
        local all = redis.call('HGETALL', KEYS[1])
        for place = 1, #all, 2 do
            local ends, text = string.match(all[place + 1], '^(%d+):(.*)$')
            if not ends or tonumber(ends) <= now then
                redis.call('HDEL', KEYS[1], all[place])
            elseif all[place] ~= ARGV[1] and #others < 2 * tonumber(ARGV[5]) then
                others[#others + 1] = all[place]
                others[#others + 1] = text
            end
        end
        if #others < 2 * tonumber(ARGV[5]) then
            redis.call('HSET', KEYS[1], ARGV[1], ARGV[4] .. ':' .. ARGV[2])
            expire(string.format('%.0f', tonumber(ARGV[4]) + 60))
        end
        return others
        """)
}

// MARK: - Leases

/// Leases, which Redis ends.
extension RedisStore: LeaseStore {
    /// Acquires or renews a lease.
    package func acquireLease(
        _ name: String, by holder: String, seconds: Int64
    ) async throws(StoreError) -> Bool {
        let command = RedisScript.acquireLease.command(RedisKeys.lease(name), [holder, "\(seconds)"])
        guard case .integer(let isHolder)? = try await commands.query(command, faulty: Self.faultyLease()).first else {
            throw .unexpectedReply()
        }
        return isHolder == 1
    }

    /// Releases a lease, if the caller has it.
    package func releaseLease(_ name: String, of holder: String) async throws(StoreError) {
        let command = RedisScript.deleteIfEqual.command(RedisKeys.lease(name), [holder])
        _ = try await commands.query(command, faulty: Self.faultyLease())
    }

    private static func faultyLease() -> StoreError {
        .faultyRecord(repair: "the key of a lease is not a string; remove it")
    }
}

extension RedisScript {
    /// Acquires or renews a lease for ARGV[1] and ARGV[2] seconds. Returns 1 if the caller has it, otherwise 0.
    static let acquireLease = RedisScript(
        """
        local holder = redis.call('GET', KEYS[1])
        if holder and holder ~= ARGV[1] then return 0 end
        redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
        return 1
        """)
}
