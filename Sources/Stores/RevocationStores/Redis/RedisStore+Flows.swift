import GatewayCore
package import JOSE
import Redis
package import Revocation
import TextCoding

extension RedisStore: FlowStore {
    package func putFlow(
        _ name: SHA256Digest, of holder: SHA256Digest, value: String, lifetime: Int64, now: Int64
    ) async throws(StoreError) {
        try StoreBounds.check(flow: value, lifetime: lifetime)
        let expires = try StoreBounds.time(now).adding(lifetime).seconds
        let command = RedisScript.putFlow.command(
            RedisKeys.flows(of: holder),
            [
                HexDigits.text(of: name.bytes), value, "\(now)", "\(expires)",
                "\(StoreBounds.maximumFlowsPerHolder)",
            ])
        guard try await commands.query(command).first == .integer(1) else { throw .unexpectedReply() }
    }

    package func takeFlow(
        _ name: SHA256Digest, of holder: SHA256Digest, now: Int64
    ) async throws(StoreError) -> String? {
        let command = RedisScript.takeFlow.command(
            RedisKeys.flows(of: holder), [HexDigits.text(of: name.bytes), "\(now)"])
        switch try await commands.query(command).first {
        // A text in which invalid UTF-8 is replaced, because an error would hide that another program wrote the value.
        case .string(let bytes): return String(decoding: bytes, as: UTF8.self)
        case .null: return nil
        default: throw .unexpectedReply()
        }
    }
}

/// The scripts for the open sign-in flows of one browser: a hash of values, each after its expiry and a colon.
extension RedisScript {
    /// Stores the value ARGV[2] as ARGV[1] until ARGV[4]. Removes the values that expired at ARGV[3], and from ARGV[5]
    /// values on the ones that expire first. The key remains ten minutes longer, so that the server's clock may differ.
    static let putFlow = RedisScript(
        """
        local now = tonumber(ARGV[3])
        local ends = string.format('%.0f', tonumber(ARGV[4]) + 600)
        local kept = {}
        local all = redis.call('HGETALL', KEYS[1])
        for place = 1, #all, 2 do
            local last = tonumber(string.match(all[place + 1], '^(%d+):')) or 0
            if last <= now then
                redis.call('HDEL', KEYS[1], all[place])
            elseif all[place] ~= ARGV[1] then
                kept[#kept + 1] = {last, all[place]}
            end
        end
        table.sort(kept, function(a, b) return a[1] < b[1] or a[1] == b[1] and a[2] < b[2] end)
        for place = 1, #kept - tonumber(ARGV[5]) + 1 do redis.call('HDEL', KEYS[1], kept[place][2]) end
        redis.call('HSET', KEYS[1], ARGV[1], ARGV[4] .. ':' .. ARGV[2])
        expire(ends)
        return 1
        """)

    /// Takes the value of ARGV[1]. Returns it, or nothing if it is absent or expired at ARGV[2].
    static let takeFlow = RedisScript(
        """
        local value = redis.call('HGET', KEYS[1], ARGV[1])
        if not value then return false end
        redis.call('HDEL', KEYS[1], ARGV[1])
        local ends, text = string.match(value, '^(%d+):(.*)$')
        if not ends or tonumber(ends) <= tonumber(ARGV[2]) then return false end
        return text
        """)
}
