import GatewayCore
import JOSE
import Revocation
import RevocationStores
import Synchronization
import Testing

@testable import CoreFixtures
@testable import RedisFixtures
@testable import StoreFixtures

/// The contract of every store for the outbox.
@Suite(.closingStores) struct StoreOutboxSuite {
    private let user = madeUID(1)

    private static func switchOn(_ store: any GatewayStore, limit: Int = 100, sendsEvents: Bool = true) {
        store.outbox.set(OutboxSwitch.Policy(limit: limit, sendsEvents: sendsEvents, added: { _ in }))
    }

    /// Creates an account with two identities and a token of each.
    private func createAccount(_ store: any GatewayStore, _ user: UserKey? = nil, subject: String = "1") async throws {
        let user = user ?? self.user
        let created = try await store.createAccount(.made(user, .apple(subject)), claimsEmail: false)
        #expect(created == .created)
        _ = try await store.claim(.google(subject), for: user)
        try await keep("a\(subject)", of: .apple(subject), store, user)
        try await keep("g\(subject)", of: .google(subject), store, user)
    }

    private func keep(
        _ token: String, isRefreshToken: Bool = true, of link: IdentityLink, _ store: any GatewayStore,
        _ user: UserKey? = nil
    ) async throws {
        let kept = try #require(KeptToken(isRefreshToken: isRefreshToken, sealed: token))
        try await store.keepToken(kept, of: link, for: user ?? self.user)
    }

    private func poll(_ store: any GatewayStore, by holder: String = "a") async throws -> OutboxPoll {
        try await store.pollOutbox(by: holder, lease: 60, limit: 10)
    }

    /// The messages, each as its destination and the members of its body.
    private func texts(_ messages: [OutboxMessage]) throws -> [String] {
        try messages.map { message in
            let root = try JSONDocument(Array(message.body.utf8), limits: .token).root
            let identities = root["identities"]?.members.map { "\($0.name) \($0.value.string ?? "")" } ?? []
            let members = [root["type"]?.string, root["subject"]?.string, root["token"]?.string].compactMap(\.self)
            #expect(root["uid"]?.string?.hasPrefix("00000000") == true && root["time"]?.integer != nil)
            return ([message.destination] + members + identities.sorted()).joined(separator: " ")
        }.sorted()
    }

    @Test(arguments: StoreMaker.all)
    func `a deletion adds its messages once`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        Self.switchOn(store)
        try await createAccount(store)
        #expect(try await poll(store).count == 0)
        for _ in 0..<2 { _ = try await store.deleteAccount(user, unlessChangedFrom: nil) }
        let poll = try await poll(store)
        let expected = [
            "apple.com 1 r:a1", "google.com 1 r:g1", "webhook account.deleted apple.com 1 google.com 1",
        ]
        #expect(try texts(poll.messages) == expected)
        #expect(poll.isHolder && poll.count == 3 && poll.parked == 0 && poll.age.map { $0 < 600 } == true)
        #expect(Set(poll.messages.map(\.id)).count == 3)
        #expect(poll.messages.allSatisfy { abs($0.queued.seconds(since: poll.now)) < 600 })
    }

    @Test(arguments: StoreMaker.all)
    func `a message names the project and the tenant of the user`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        Self.switchOn(store)
        let users = [
            UserKey(uid: "ann", tenant: nil, project: "my-app"), UserKey(uid: "ann", tenant: "t", project: "my-app"),
            UserKey(uid: "ann", tenant: "t"),
        ]
        for (place, user) in users.enumerated() {
            for link in [IdentityLink.apple("\(place)"), .google("\(place)")] {
                _ = try await store.claim(link, for: user)
            }
            _ = try await store.release(provider: "google.com", of: user)
        }
        let named = try await poll(store).messages.map { message in
            let root = try JSONDocument(Array(message.body.utf8), limits: .token).root
            return UserKey(
                uid: root["uid"]?.string ?? "", tenant: root["tenant"]?.string, project: root["project"]?.string)
        }
        #expect(named.count == users.count && Set(named) == Set(users))
    }

    @Test(arguments: StoreMaker.all)
    func `an unlinked identity loses its token, and others keep theirs`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        Self.switchOn(store)
        try await createAccount(store)
        _ = try await store.release(provider: "google.com", of: user)
        let first = try texts(try await poll(store).messages)
        #expect(first == ["google.com 1 r:g1", "webhook account.unlinked google.com 1"])
        _ = try await store.claim(.google("1"), for: user)
        try await store.releaseAll(of: user, for: .google("1"))
        let second = try texts(try await poll(store).messages)
        #expect(second.count == 4 && second.contains("apple.com 1 r:a1"), "\(second)")
        #expect(second.contains("webhook account.unlinked apple.com 1"))
        _ = try await store.deleteAccount(user, unlessChangedFrom: nil)
        let last = try await poll(store)
        #expect(last.count == 5, "the identity that was linked again has no token")
    }

    @Test(arguments: StoreMaker.all)
    func `a token is kept only for a linked identity, and a refresh token stays`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        Self.switchOn(store, sendsEvents: false)
        try await createAccount(store)
        try await keep("other", of: .apple("2"), store)
        try await keep("other", of: .apple("1"), store, madeUID(2))
        try await keep("access", isRefreshToken: false, of: .apple("1"), store)
        try await keep("new", of: .google("1"), store)
        _ = try await store.deleteAccount(user, unlessChangedFrom: nil)
        try await keep("late", of: .google("1"), store)
        let found = try texts(try await poll(store).messages)
        #expect(found == ["apple.com 1 r:a1", "google.com 1 r:new"])
    }

    @Test(arguments: StoreMaker.all)
    func `without a policy nothing is added, and no token remains`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        try await createAccount(store)
        _ = try await store.deleteAccount(user, unlessChangedFrom: nil)
        Self.switchOn(store)
        _ = try await store.deleteAccount(user, unlessChangedFrom: nil)
        #expect(try await poll(store).count == 0)
    }

    @Test(arguments: StoreMaker.all)
    func `a message is postponed, parked, retried and removed`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        Self.switchOn(store, sendsEvents: false)
        try await createAccount(store)
        _ = try await store.deleteAccount(user, unlessChangedFrom: nil)
        let messages = try await poll(store).messages
        try await store.postponeMessage(messages[0], by: 3600)
        let waiting = try await poll(store)
        #expect(waiting.messages == [messages[1]] && waiting.count == 2)
        for message in messages { try await store.parkMessage(message) }
        let parked = try await poll(store)
        #expect(parked.messages.isEmpty && parked.count == 0 && parked.parked == 2 && parked.age == nil)
        try await store.postponeMessage(messages[0], by: 1)
        #expect(try await poll(store).count == 0, "a parked message is not postponed")
        #expect(try await store.parkedMessages(limit: 1).count == 1)
        #expect(try await store.retryMessages(limit: 1) == 1)
        let retried = try await poll(store)
        #expect(retried.messages.count == 1 && retried.parked == 1)
        try await store.removeMessage(retried.messages[0])
        #expect(try await store.discardMessages(limit: 9) == 1)
        let last = try await poll(store)
        #expect(last.parked == 0 && last.count == 0)
    }

    @Test(arguments: StoreMaker.all)
    func `the outbox is bounded, and the deletion takes effect in any case`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let announced = Announcements()
        store.outbox.set(
            OutboxSwitch.Policy(limit: 2, sendsEvents: true) { announced.dropped.add($0, ordering: .relaxed) })
        try await createAccount(store)
        #expect(try await store.deleteAccount(user, unlessChangedFrom: nil) != .absent)
        #expect(try await store.account(user) == nil)
        let full = try await poll(store)
        #expect(full.count == 2 && store.outbox.droppedCount == 1)
        #expect(announced.dropped.load(ordering: .relaxed) == 1)
        for message in full.messages { try await store.parkMessage(message) }
        try await createAccount(store, madeUID(2), subject: "2")
        _ = try await store.deleteAccount(madeUID(2), unlessChangedFrom: nil)
        #expect(store.outbox.droppedCount == 4, "parked messages count")
    }

    private final class Announcements: Sendable {
        let dropped = Atomic<Int>(0)
    }

    // MARK: - Durability and the lease

    @Test func `acknowledged messages of an embedded store survive a restart`() async throws {
        let path = try TemporaryFolder().path("gatehouse.db")
        let first = try SQLiteStore(path: path, logger: .silent)
        try await first.load()
        Self.switchOn(first)
        try await createAccount(first)
        _ = try await first.deleteAccount(user, unlessChangedFrom: nil)
        try await first.close()
        let second = try SQLiteStore(path: path, logger: .silent)
        try await second.load()
        #expect(try await poll(second).messages.count == 3)
        try await second.close()
    }

    @Test func `messages that were parked for 30 days are removed`() async throws {
        let time = ManualClock()
        let store = try await StoreMaker.sqliteMemory.make(time.clock)
        Self.switchOn(store)
        try await createAccount(store)
        _ = try await store.deleteAccount(user, unlessChangedFrom: nil)
        for message in try await poll(store).messages { try await store.parkMessage(message) }
        time.advance(seconds: 30 * 86_400 - 1)
        for _ in 0..<2 { #expect(try await poll(store).parked == 3) }
        time.advance(seconds: 1)
        _ = try await poll(store)
        #expect(try await poll(store).parked == 0)
        let database = try await RedisDatabase.fresh()
        let redis = try await database.loadedStore()
        let message = "revocation a-1 5 apple.com {}"
        try database.cli("ZADD", "gatehouse:outbox:parked", "5", message)
        #expect(try await poll(redis).parked == 0)
    }

    @Test func `an interrupted deletion in Redis adds its messages when it is completed`() async throws {
        let database = try await RedisDatabase.fresh()
        let (one, other) = (try await database.loadedStore(), try await database.loadedStore())
        Self.switchOn(one)
        Self.switchOn(other)
        try await createAccount(one)
        try database.cli(
            "HSET", "gatehouse:user:{\(user.uid)}", "valid_since", "7", "disabled", "1", "deleted", "7")
        #expect(try await poll(one).count == 0)
        #expect(try await other.completeDeletion(of: user, holding: .apple("1")))
        #expect(try await poll(one).count == 3)
        #expect(try await !one.completeDeletion(of: madeUID(9), holding: .apple("1")))
    }

    @Test func `gateways of one Redis share the outbox, and only one delivers`() async throws {
        let database = try await RedisDatabase.fresh()
        let (one, other) = (try await database.loadedStore(), try await database.loadedStore())
        Self.switchOn(one)
        try await createAccount(one)
        _ = try await one.deleteAccount(user, unlessChangedFrom: nil)
        #expect(try await poll(other, by: "other").messages.count == 3)
        let waiting = try await poll(one, by: "one")
        #expect(!waiting.isHolder && waiting.messages.isEmpty && waiting.count == 3)
        try await one.releaseOutbox(of: "one")
        #expect(try await !poll(one, by: "one").isHolder, "only the holder releases the lease")
        try await other.releaseOutbox(of: "other")
        #expect(try await poll(one, by: "one").isHolder)
        #expect(try database.cli("PTTL", "gatehouse:outbox:lease") != "-1")
    }

    @Test func `an outbox that cannot be written does not prevent the deletion, and is no empty one`() async throws {
        let database = try await RedisDatabase.fresh()
        let store = try await database.loadedStore()
        Self.switchOn(store)
        try database.cli("SET", "gatehouse:outbox", "x")
        try await createAccount(store)
        #expect(try await store.deleteAccount(user, unlessChangedFrom: nil) != .absent)
        #expect(store.outbox.droppedCount == 3)
        #expect(try await store.account(user) == nil)
        await expectStoreError(.faultyRecord) { _ = try await poll(store) }
    }

    @Test func `an invalid message of another program is removed`() async throws {
        let database = try await RedisDatabase.fresh()
        let store = try await database.loadedStore()
        for text in ["nonsense", "event a-1 x webhook {}", "other a-1 5 webhook {}", "event a-1 5 web:hook {}"] {
            try database.cli("ZADD", "gatehouse:outbox", "1", text)
        }
        #expect(try await poll(store).messages.isEmpty)
        #expect(try await poll(store).count == 0)
    }
}
