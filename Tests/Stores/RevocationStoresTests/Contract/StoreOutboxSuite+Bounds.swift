import GatewayCore
import Revocation
import RevocationStores
import Synchronization
import Testing

@testable import CoreFixtures
@testable import RedisFixtures
@testable import StoreFixtures

// MARK: - Bounds

extension StoreOutboxSuite {
    @Test(arguments: StoreMaker.all)
    func `each destination is bounded by itself, and the deletion takes effect in any case`(_ maker: StoreMaker)
        async throws
    {
        let store = try await maker()
        let announced = Announcements()
        store.outbox.set(
            OutboxSwitch.Policy(destinations: Self.all, limit: 2, reserve: 0) {
                announced.dropped.add($0, ordering: .relaxed)
            })
        for number in 1...3 {
            try await createAccount(store, madeUID(number), subject: "\(number)")
            let deletion = try await store.deleteAccount(madeUID(number), unlessChangedFrom: nil)
            #expect(deletion.isDeleted(dropped: number == 3 ? 3 : 0), "\(deletion)")
            #expect(try await store.account(madeUID(number)) == nil)
            if number == 1 { try await park(poll(store).messages, store) }
        }
        let full = try await poll(store)
        #expect(full.count == 3 && full.parked == 3 && store.outbox.droppedCount == 3, "parked messages count")
        #expect(announced.dropped.load(ordering: .relaxed) == 3)
    }

    @Test(arguments: StoreMaker.all)
    func `events about unlinked identities leave room for deletions and revocations`(_ maker: StoreMaker)
        async throws
    {
        let store = try await maker()
        Self.switchOn(store, limit: 5, reserve: 2)
        try await createAccount(store)
        for round in 1...4 {
            if round > 1 { _ = try await store.claim(.google("1"), for: user) }
            let release = try await store.release(provider: "google.com", of: user)
            #expect(release.dropped == (round == 4 ? 1 : 0), "\(release)")
        }
        #expect(try await poll("webhook", store).count == 3)
        _ = try await store.claim(.google("1"), for: user)
        try await keep("last", of: .google("1"), store)
        #expect(try await store.deleteAccount(user, unlessChangedFrom: nil).isDeleted(dropped: 0))
        #expect(try await poll("webhook", store).count == 4)
        #expect(try await poll("google.com", store).count == 2)
        #expect(try await poll("apple.com", store).count == 1)
    }

    @Test(arguments: StoreMaker.all)
    func `a user requests 32 removals a day`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        for _ in 1...32 { #expect(try await store.countRemoval(by: user)) }
        for _ in 1...2 { #expect(try await !store.countRemoval(by: user)) }
        #expect(try await store.countRemoval(by: madeUID(2)))
        #expect(try await store.countRemoval(by: UserKey(uid: user.uid, tenant: "t")))
    }

    @Test(arguments: StoreMaker.all)
    func `O-25: an address gets five links an hour`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        for _ in 1...5 { #expect(try await store.countLink(to: "a{}@b.c")) }
        for _ in 1...2 { #expect(try await !store.countLink(to: "a{}@b.c")) }
        #expect(try await store.countLink(to: "b@b.c"))
        #expect(try await store.countRemoval(by: "a{}@b.c"), "a user with this name")
        await #expect(throws: StoreError.self) { try await store.countLink(to: "A@b.c") }
    }

    @Test func `O-25: the count of links ends after an hour`() async throws {
        let time = ManualClock()
        let store = try await StoreMaker.sqliteMemory.make(time.clock)
        for _ in 1...6 { _ = try await store.countLink(to: "a@b.c") }
        time.advance(seconds: 3_599)
        #expect(try await !store.countLink(to: "a@b.c"))
        time.advance(seconds: 1)
        for _ in 1...6 { _ = try await store.countLink(to: "a@b.c") }
        time.setBack(seconds: 1)
        #expect(try await store.countLink(to: "a@b.c"), "a period that began before the clock was set back")
        let database = try await RedisDatabase.fresh()
        let redis = try await database.loadedStore()
        _ = try await redis.countLink(to: "a@b.c")
        let remaining = try Int(database.cli("TTL", "gatehouse:email_links:{a@b.c}").filter(\.isNumber)) ?? 0
        #expect((3_590...3_600).contains(remaining))
    }

    @Test func `the count of removals ends after a day`() async throws {
        let time = ManualClock()
        let store = try await StoreMaker.sqliteMemory.make(time.clock)
        for _ in 1...33 { _ = try await store.countRemoval(by: user) }
        time.advance(seconds: 86_399)
        #expect(try await !store.countRemoval(by: user))
        time.advance(seconds: 1)
        #expect(try await store.countRemoval(by: user))
        let database = try await RedisDatabase.fresh()
        let redis = try await database.loadedStore()
        _ = try await redis.countRemoval(by: user)
        let key = "gatehouse:removals:{\(user.uid)}"
        let remaining = try Int(database.cli("TTL", key).filter(\.isNumber)) ?? 0
        #expect((86_390...86_400).contains(remaining))
        try database.cli("SET", key, "1 99")
        #expect(try await redis.countRemoval(by: user), "a period that has ended")
        try database.cli("SET", key, "99999999999 99")
        #expect(try await redis.countRemoval(by: user), "a period in the far future, of a clock that was set back")
    }

    private final class Announcements: Sendable {
        let dropped = Atomic<Int>(0)
    }
}
