import GatewayConfiguration
import GatewayCore
import Revocation
import RevocationStores
import Testing

@testable import StoreFixtures
@testable import SystemFixtures

/// A uid in the form of an account that the gateway creates.
func madeUID(_ number: Int) -> UserKey {
    let digits = String(number, radix: 16)
    return UserKey(String(repeating: "0", count: 32 - digits.count) + digits)
}

extension AccountRecord {
    /// An account created with this link.
    static func made(_ uid: UserKey, _ link: IdentityLink, email: String? = nil, name: String? = nil) -> AccountRecord {
        AccountRecord(
            uid: uid, email: email, emailVerified: email != nil, name: name, created: 1_700_000_000,
            links: [link.provider: link.subject], emailFrom: email == nil ? nil : link.provider)
    }
}

/// Two gateways with one store.
struct TwoGateways {
    let stores: [any GatewayStore]
    /// Describes incomplete and contradictory entries of the store.
    var contradictions: () throws -> String = { "" }

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

    static let rounds = Thoroughness.rounds(25, full: 100)

    /// Runs `round` with two gateways `rounds` times, and expects no contradiction in the store afterwards.
    static func race(
        _ kind: Kind, _ round: (any GatewayStore, any GatewayStore, Int) async throws -> Void
    ) async throws {
        let gateways = try await make(kind)
        for number in 0..<rounds { try await round(gateways.stores[0], gateways.stores[1], number) }
        #expect(try gateways.contradictions() == "")
    }
}

extension RedisDatabase {
    /// Links and addresses whose key and account differ, and incomplete removals of links. For names without escapes.
    func contradictions() throws -> String { try cli("EVAL", Self.audit, "0") }

    /// A store that is loaded from its own database.
    static func freshStore() async throws -> (RedisDatabase, RedisStore) {
        let database = try await fresh()
        return (database, try await database.loadedStore())
    }

    /// A loaded store on its own server.
    static func storeOnOwnServer(
        _ configuration: [String] = [], timeouts: RedisLocation.Timeouts = .patient
    ) async throws -> (RedisDatabase, RedisStore) {
        let database = try await onOwnServer(configuration)
        return (database, try await database.loadedStore(timeouts: timeouts))
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

/// Runs both operations concurrently.
func together<First: Sendable, Second: Sendable>(
    _ first: @escaping @Sendable () async throws -> First, _ second: @escaping @Sendable () async throws -> Second
) async throws -> (First, Second) {
    async let one = first()
    async let other = second()
    return try await (one, other)
}
