import GatewayCore
import Redis
import Revocation
import RevocationStores
import Testing

@testable import RedisFixtures
@testable import StoreFixtures

/// Shared rate limit buckets in Redis.
@Suite(.closingStores) struct RedisRateTests {
    private static let second: UInt64 = 1_000_000_000
    private let key = "gatehouse:rate:{l:route}"

    /// A charge to a bucket that refills one request in 100 s.
    private func charge(_ requests: Int, longest: UInt64 = 100_000 * second) -> RateCharge {
        RateCharge(name: "l:route", requests: requests, interval: 100 * Self.second, longest: longest)
    }

    /// Makes a charge and returns the seconds until the bucket is full.
    private func seconds(_ store: RedisRateStore, _ charge: RateCharge) async throws -> UInt64 {
        let times = try await store.charge([charge])
        #expect(times.count == 1)
        return ((times.first ?? 0) + Self.second - 1) / Self.second
    }

    private func run(_ body: (RedisRateStore, RedisDatabase) async throws -> Void) async throws {
        let database = try await RedisDatabase.fresh()
        let store = RedisRateStore(
            try database.store().configuration, loop: RedisDatabase.loop, clock: .system, logger: .silent)
        try await body(store, database)
        await store.close()
    }

    @Test func `charges add up, and the bucket refills`() async throws {
        try await run { store, _ in
            let first = try await seconds(store, charge(1))
            #expect(first == 100)
            let second = try await seconds(store, charge(2))
            #expect((200...300).contains(second))
            let third = try await seconds(store, charge(-1))
            #expect((100...200).contains(third))
        }
    }

    @Test func `the key expires when the bucket is full`() async throws {
        try await run { store, database in
            _ = try await store.charge([charge(3)])
            let life = Int(try database.cli("PTTL", key)) ?? 0
            #expect((200_000...300_001).contains(life))
            _ = try await store.charge([charge(-3)])
            let returned = try database.cli("EXISTS", key)
            _ = try await store.charge([charge(0)])
            let unchanged = try database.cli("EXISTS", key)
            #expect(returned == "0" && unchanged == "0")
        }
    }

    @Test func `a debt above the bound is forgiven`() async throws {
        try await run { store, _ in
            let time = try await seconds(store, charge(500, longest: 700 * Self.second))
            #expect(time == 700)
        }
    }

    @Test(arguments: ["nan", "x", "", "-5"])
    func `another value counts as a full bucket`(value: String) async throws {
        try await run { store, database in
            try database.cli("SET", key, value)
            let time = try await seconds(store, charge(1))
            #expect(time == 100)
        }
    }

    @Test func `a key of another type counts as a full bucket`() async throws {
        try await run { store, database in
            try database.cli("HSET", key, "a", "b")
            let time = try await seconds(store, charge(1))
            #expect(time == 100)
        }
    }

    @Test func `a value far in the future is bounded`() async throws {
        try await run { store, database in
            try database.cli("SET", key, "inf")
            let time = try await seconds(store, charge(1, longest: 700 * Self.second))
            #expect(time == 700)
        }
    }

    @Test func `one call charges several buckets, in order`() async throws {
        try await run { store, _ in
            let charges = (1...RateCharge.limit).map { number in
                RateCharge(
                    name: "l:u\(number)", requests: number, interval: 100 * Self.second, longest: 100_000 * Self.second)
            }
            let times = try await store.charge(charges)
            #expect(times == (1...RateCharge.limit).map { UInt64($0) * 100 * Self.second })
        }
    }

    @Test func `a charge fails without Redis`() async throws {
        let database = try await RedisDatabase.onOwnServer()
        var configuration = try database.store().configuration
        configuration.replyTimeout = .milliseconds(100)
        database.server.kill()
        let store = RedisRateStore(configuration, loop: RedisDatabase.loop, clock: .system, logger: .silent)
        let charges = [charge(1)]
        await #expect(throws: StoreError.self) { _ = try await store.charge(charges) }
        await store.close()
    }
}
