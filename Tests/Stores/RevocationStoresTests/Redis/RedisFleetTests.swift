import GatewayCore
import Revocation
import RevocationStores
import Testing

@testable import RedisFixtures
@testable import StoreFixtures
@testable import SystemFixtures

/// The announcements of gateways in Redis.
@Suite(.closingStores) struct RedisFleetTests {
    /// The current time: Redis removes a key whose expiry is past by its own clock.
    private let now = GatewayClock.system.now()

    private func entry(_ id: String, _ text: String = "{}") -> FleetEntry { FleetEntry(id: id, text: text) }

    @Test func `each gateway receives the announcements of the others until they expire`() async throws {
        let (_, store) = try await RedisDatabase.freshStore()
        #expect(try await store.announce(entry("a", "{\"n\":1}"), now: now) == [])
        #expect(try await store.announce(entry("b"), now: now + 10) == [entry("a", "{\"n\":1}")])
        #expect(try await store.announce(entry("a", "{\"n\":2}"), now: now + 11) == [entry("b")])
        #expect(try await store.announce(entry("b"), now: now + 40) == [entry("a", "{\"n\":2}")])
        let later = now + 11 + FleetEntry.lifetime
        #expect(try await store.announce(entry("b"), now: later - 1) == [entry("a", "{\"n\":2}")])
        #expect(try await store.announce(entry("b"), now: later) == [])
    }

    @Test func `the key expires after the last announcement`() async throws {
        let (database, store) = try await RedisDatabase.freshStore()
        let time = Int64(4_000_000_000)
        _ = try await store.announce(entry("a"), now: time)
        let expected = time + FleetEntry.lifetime + 60
        #expect(try database.cli("EXPIRETIME", "gatehouse:fleet") == "\(expected)")
    }

    @Test func `one more than the maximum number of gateways is not announced`() async throws {
        let (database, store) = try await RedisDatabase.freshStore()
        let ends = now + FleetEntry.lifetime
        let others = (0..<FleetEntry.limit).flatMap { ["g\($0)", "\(ends):{}"] }
        try database.server.cli(["-n", "\(database.number)", "HSET", "gatehouse:fleet"] + others)
        #expect(try await store.announce(entry("more"), now: now)?.count == FleetEntry.limit)
        #expect(try database.cli("HEXISTS", "gatehouse:fleet", "more") == "0")
    }

    @Test func `values of another program are removed, and large ones are not returned`() async throws {
        let (database, store) = try await RedisDatabase.freshStore()
        let large = String(repeating: "a", count: FleetEntry.longestText + 1)
        try database.cli("HSET", "gatehouse:fleet", "x", "no time", "y", "\(now + 45):\(large)")
        #expect(try await store.announce(entry("a"), now: now) == [])
        #expect(try database.cli("HEXISTS", "gatehouse:fleet", "x") == "0")
    }

    @Test func `an embedded store has only one gateway`() async throws {
        for maker in StoreMaker.embedded {
            let store = try await maker.make(.system)
            #expect(try await store.announce(entry("a"), now: now) == nil)
            try await store.close()
        }
    }
}
