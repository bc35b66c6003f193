import GatewayCore
import JOSE
import Revocation
import RevocationStores
import Testing

@testable import CoreFixtures
@testable import RedisFixtures
@testable import StoreFixtures

/// The contract of every store for the outbox.
@Suite(.closingStores) struct StoreOutboxSuite {
    let user = madeUID(1)

    static let providers = ["apple.com", "google.com"]
    static let all = providers + ["webhook"]

    static func switchOn(
        _ store: any GatewayStore, _ destinations: [String] = all, limit: Int = 100, reserve: Int = 0
    ) {
        store.outbox.set(
            OutboxSwitch.Policy(destinations: destinations, limit: limit, reserve: reserve, added: { _ in }))
    }

    /// Creates an account with two identities and a token of each.
    func createAccount(_ store: any GatewayStore, _ user: UserKey? = nil, subject: String = "1") async throws {
        let user = user ?? self.user
        let created = try await store.createAccount(.made(user, .apple(subject)), claimsEmail: false)
        #expect(created == .created)
        _ = try await store.claim(.google(subject), for: user)
        try await keep("a\(subject)", of: .apple(subject), store, user)
        try await keep("g\(subject)", of: .google(subject), store, user)
    }

    func keep(
        _ token: String, isRefreshToken: Bool = true, of link: IdentityLink, _ store: any GatewayStore,
        _ user: UserKey? = nil
    ) async throws {
        let kept = try #require(KeptToken(isRefreshToken: isRefreshToken, sealed: token))
        try await store.keepToken(kept, of: link, for: user ?? self.user)
    }

    /// Polls all destinations, and returns the sum.
    func poll(_ store: any GatewayStore, by holder: String = "a") async throws -> OutboxPoll {
        var sum = OutboxPoll(isHolder: true, now: 0)
        for destination in Self.all {
            let poll = try await poll(destination, store, by: holder)
            sum.isHolder = sum.isHolder && poll.isHolder
            sum.messages += poll.messages
            sum.now = poll.now
            sum.count += poll.count
            sum.parked += poll.parked
            sum.age = [sum.age, poll.age].compactMap(\.self).max()
            sum.destinations.formUnion(poll.destinations)
        }
        return sum
    }

    func poll(
        _ destination: String, _ store: any GatewayStore, by holder: String = "a"
    ) async throws -> OutboxPoll {
        try await store.pollOutbox(of: destination, by: holder, lease: 60, limit: 10)
    }

    func park(_ messages: [OutboxMessage], _ store: any GatewayStore) async throws {
        for message in messages { try await store.parkMessage(message, for: .expired) }
    }

    /// The messages, each as its destination and the members of its body.
    func texts(_ messages: [OutboxMessage]) throws -> [String] {
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
        #expect(last.destinations == Set(Self.all))
    }

    @Test(arguments: StoreMaker.all)
    func `a token is kept only for a linked identity`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        Self.switchOn(store, Self.providers)
        try await createAccount(store)
        try await keep("other", of: .apple("2"), store)
        try await keep("other", of: .apple("1"), store, madeUID(2))
        _ = try await store.deleteAccount(user, unlessChangedFrom: nil)
        try await keep("late", of: .google("1"), store)
        let found = try texts(try await poll(store).messages)
        #expect(found == ["apple.com 1 r:a1", "google.com 1 r:g1"])
    }

    @Test(arguments: StoreMaker.all)
    func `the newest token replaces earlier ones, but an access token no refresh token`(_ maker: StoreMaker)
        async throws
    {
        let store = try await maker()
        Self.switchOn(store, Self.providers)
        try await createAccount(store)
        for token in ["access1", "access2"] { try await keep(token, isRefreshToken: false, of: .apple("1"), store) }
        try await keep("access", isRefreshToken: false, of: .google("1"), store)
        try await keep("refresh", of: .google("1"), store)
        _ = try await store.claim(IdentityLink(provider: "github.com", subject: "1"), for: user)
        _ = try await store.release(provider: "apple.com", of: user)
        let first = try texts(try await poll(store).messages)
        #expect(first == ["apple.com 1 a:access2", "apple.com 1 r:a1"], "both may stand for a grant")
        _ = try await store.deleteAccount(user, unlessChangedFrom: nil)
        #expect(try texts(try await poll("google.com", store).messages) == ["google.com 1 r:refresh"])
    }

    @Test(arguments: StoreMaker.all)
    func `a token of a provider that is no destination is not queued`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        Self.switchOn(store, ["google.com"])
        try await createAccount(store)
        #expect(
            try await store.deleteAccount(user, unlessChangedFrom: nil).isDeleted(dropped: 0))
        #expect(try texts(try await poll(store).messages) == ["google.com 1 r:g1"])
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
        Self.switchOn(store, ["webhook"])
        for number in 1...2 {
            try await createAccount(store, madeUID(number), subject: "\(number)")
            _ = try await store.deleteAccount(madeUID(number), unlessChangedFrom: nil)
        }
        let messages = try await poll(store).messages
        try await store.postponeMessage(messages[0], by: 3600)
        let waiting = try await poll(store)
        #expect(waiting.messages == [messages[1]] && waiting.count == 2)
        for message in messages { try await store.parkMessage(message, for: .expired) }
        let parked = try await poll(store)
        #expect(parked.messages.isEmpty && parked.count == 0 && parked.parked == 2 && parked.age == nil)
        try await store.postponeMessage(messages[0], by: 1)
        #expect(try await poll(store).count == 0, "a parked message is not postponed")
        #expect(try await store.parkedMessages(of: "webhook", limit: 1).count == 1)
        let both = try await store.parkedMessages(of: "webhook", limit: 9)
        #expect(Set(both) == Set(messages.map { ParkedMessage(message: $0, reason: .expired) }))
        #expect(try await store.parkedMessages(of: "apple.com", limit: 1).isEmpty)
        #expect(try await store.retryMessages(of: "webhook", parkedFor: [.expired], limit: 1) == 1)
        let retried = try await poll(store)
        #expect(retried.messages.count == 1 && retried.parked == 1)
        try await store.removeMessage(retried.messages[0])
        #expect(try await store.discardMessages(of: "apple.com", limit: 9) == 0)
        #expect(try await store.discardMessages(of: "webhook", limit: 9) == 1)
        let last = try await poll(store)
        #expect(last.parked == 0 && last.count == 0)
    }

    @Test(arguments: StoreMaker.all)
    func `only messages that are parked for given reasons are retried`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        Self.switchOn(store, ["webhook"])
        let reasons = ParkedMessage.Reason.allCases
        for (place, reason) in reasons.enumerated() {
            let user = madeUID(place + 1)
            try await createAccount(store, user, subject: "\(place)")
            _ = try await store.deleteAccount(user, unlessChangedFrom: nil)
            for message in try await poll(store).messages { try await store.parkMessage(message, for: reason) }
        }
        #expect(Set(try await store.parkedMessages(of: "webhook", limit: 9).map(\.reason)) == Set(reasons))
        let wanted = ParkedMessage.Reason.configurable
        #expect(try await store.retryMessages(of: "webhook", parkedFor: wanted, limit: 9) == 2)
        #expect(Set(try await store.parkedMessages(of: "webhook", limit: 9).map(\.reason)) == [.rejected, .expired])
        #expect(try await store.retryMessages(of: "webhook", parkedFor: wanted, limit: 9) == 0)
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
        try await park(poll(store).messages, store)
        time.advance(seconds: 30 * 86_400 - 1)
        for _ in 0..<2 { #expect(try await poll(store).parked == 3) }
        time.advance(seconds: 1)
        _ = try await poll(store)
        #expect(try await poll(store).parked == 0)
        let database = try await RedisDatabase.fresh()
        let redis = try await database.loadedStore()
        let message = "expired revocation a-1 5 apple.com {}"
        try database.cli("ZADD", "gatehouse:outbox:{apple.com}:parked", "5", message)
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
        try await one.releaseOutbox(of: "webhook", by: "one")
        #expect(try await !poll("webhook", one, by: "one").isHolder, "only the holder releases the lease")
        try await other.releaseOutbox(of: "webhook", by: "other")
        #expect(try await poll("webhook", one, by: "one").isHolder)
        #expect(try await !poll("apple.com", one, by: "one").isHolder, "each destination has a lease of its own")
        #expect(try database.cli("PTTL", "gatehouse:outbox:{webhook}:lease") != "-1")
    }

    @Test func `an outbox that cannot be written does not prevent the deletion, and is no empty one`() async throws {
        let database = try await RedisDatabase.fresh()
        let store = try await database.loadedStore()
        Self.switchOn(store)
        for name in Self.all { try database.cli("SET", "gatehouse:outbox:{\(name)}", "x") }
        try await createAccount(store)
        #expect(try await store.deleteAccount(user, unlessChangedFrom: nil).isDeleted(dropped: 3))
        #expect(store.outbox.droppedCount == 3)
        #expect(try await store.account(user) == nil)
        await expectStoreError(.faultyRecord) { _ = try await poll(store) }
    }

    @Test func `an invalid message of another program is removed`() async throws {
        let database = try await RedisDatabase.fresh()
        let store = try await database.loadedStore()
        let texts = [
            "nonsense", "event a-1 x webhook {}", "other a-1 5 webhook {}", "event a-1 5 web:hook {}",
            "event a-1 5 apple.com {}",
        ]
        for text in texts { try database.cli("ZADD", "gatehouse:outbox:{webhook}", "1", text) }
        #expect(try await poll(store).messages.isEmpty)
        #expect(try await poll(store).count == 0)
    }
}

extension AccountDeletion {
    func isDeleted(dropped: Int) -> Bool {
        if case .deleted(_, let count) = self { count == dropped } else { false }
    }
}

extension LinkRelease {
    /// The number of messages that the outbox did not accept. `nil` if nothing was released.
    var dropped: Int? {
        if case .released(_, _, let count, _) = self { count } else { nil }
    }
}
