import GatewayCore
import Revocation
import Testing

@testable import StoreFixtures

/// A uid as they are made here.
func madeUID(_ number: Int) -> UserKey {
    let digits = String(number, radix: 16)
    return UserKey(String(repeating: "0", count: 32 - digits.count) + digits)
}

extension AccountRecord {
    /// An account that is made with this link.
    static func made(_ uid: UserKey, _ link: IdentityLink, email: String? = nil, name: String? = nil) -> AccountRecord {
        AccountRecord(
            uid: uid, email: email, emailVerified: email != nil, name: name, created: 1_700_000_000,
            links: [link.provider: link.subject], emailFrom: email == nil ? nil : link.provider)
    }
}

/// Two gateways over one store, and what can be said of the store itself after they are done.
struct TwoGateways {
    let stores: [any GatewayStore]
    /// What is half done or contradicts itself in the store.
    var contradictions: () throws -> String = { "" }

    /// Which stores there are.
    enum Kind: CaseIterable { case sqlite, redis }

    static func make(_ kind: Kind) async throws -> TwoGateways {
        switch kind {
        case .sqlite:
            let store = try await StoreMaker.sqliteMemory()
            return TwoGateways(stores: [store, store])
        case .redis:
            let database = try await RedisDatabase.fresh()
            let stores = [try await database.loadedStore(), try await database.loadedStore()]
            return TwoGateways(stores: stores) { try database.contradictions() }
        }
    }

    subscript(_ index: Int) -> any GatewayStore { stores[index % 2] }
}

extension RedisDatabase {
    /// Links and addresses whose key and account do not say the same, and ends of links that are not finished. For names without escapes.
    func contradictions() throws -> String {
        try cli("EVAL", Self.audit, "0")
    }

    private static let audit = """
        local bad = {}
        local function account(uid, field) return redis.call('HGET', 'gatehouse:account:{' .. uid .. '}', field) end
        for _, key in ipairs(redis.call('KEYS', 'gatehouse:account:*')) do
            local uid = string.match(key, '{(.*)}')
            local fields = redis.call('HGETALL', key)
            for i = 1, #fields, 2 do
                local provider = string.match(fields[i], '^link:(.*)$')
                local link = provider and 'gatehouse:link:{' .. provider .. ':' .. fields[i + 1] .. '}'
                if link and redis.call('GET', link) ~= uid then bad[#bad + 1] = key .. ' ' .. fields[i] end
                if string.match(fields[i], '^unlinking:') or string.match(fields[i], '^releasing:') then
                    bad[#bad + 1] = key .. ' ' .. fields[i]
                end
            end
        end
        for _, key in ipairs(redis.call('KEYS', 'gatehouse:link:*')) do
            local provider, subject = string.match(key, '{([^:]*):(.*)}')
            if account(redis.call('GET', key), 'link:' .. provider) ~= subject then bad[#bad + 1] = key end
        end
        for _, key in ipairs(redis.call('KEYS', 'gatehouse:email:*')) do
            if account(redis.call('GET', key), 'email') ~= string.match(key, '{(.*)}') then bad[#bad + 1] = key end
        end
        return table.concat(bad, ', ')
        """
}

/// Runs both at the same time.
func together<First: Sendable, Second: Sendable>(
    _ first: @escaping @Sendable () async throws -> First, _ second: @escaping @Sendable () async throws -> Second
) async throws -> (First, Second) {
    async let one = first()
    async let other = second()
    return try await (one, other)
}
