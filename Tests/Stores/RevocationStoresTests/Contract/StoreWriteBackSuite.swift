import GatewayCore
import Revocation
import RevocationStores
import Synchronization
import Testing

@testable import RedisFixtures
@testable import StoreFixtures

/// The contract of every store for the queue of changes to write back.
@Suite(.closingStores) struct StoreWriteBackSuite {
    private static func switchOn(
        _ store: any GatewayStore, limit: Int = 100, project: String = "my-app",
        destinations: Set<WriteBackDestination> = [.identityToolkit]
    ) {
        store.writeBack.set(
            WriteBackSwitch.Policy(
                limit: limit, destinations: destinations,
                target: { $0.uid == "other" ? nil : Self.target(project, $0) }, added: {}))
    }

    private static func target(_ project: String, _ user: UserKey) -> WriteBackTarget {
        WriteBackTarget(project: project, tenant: user.tenant)
    }

    private static func poll(_ store: any GatewayStore, by holder: String = "a") async throws -> WriteBackPoll {
        try await store.pollWriteBacks(by: holder, lease: 60, limit: 10)
    }

    private static func names(_ poll: WriteBackPoll) -> [String] {
        poll.entries.map { "\($0.part.rawValue) \($0.user.name)" }.sorted()
    }

    @Test(arguments: StoreMaker.all)
    func `changes of users are queued, and coalesce per user and part`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        #expect(try await store.revoke("ann", at: 7).writeBack == .off)
        #expect(try await Self.poll(store) == WriteBackPoll(isHolder: true, entries: [], count: 0, age: nil))
        Self.switchOn(store)
        for time in 8...10 as ClosedRange<Int64> {
            #expect(try await store.revoke("ann", at: time).writeBack == .queued)
        }
        #expect(try await store.setDisabled("ann", true).writeBack == .queued)
        #expect(try await store.setDisabled("bob", false).writeBack == .queued)
        #expect(try await store.revoke(UserKey(uid: "ann", tenant: "acme"), at: 8, .everything).writeBack == .queued)
        #expect(try await store.revoke("other", at: 8).writeBack == .off)
        #expect(try await store.user("ann").writeBack == .off)
        let poll = try await Self.poll(store)
        #expect(
            Self.names(poll) == ["disabled ann", "disabled bob", "valid_since acme\u{1F}ann", "valid_since ann"])
        #expect(poll.isHolder && poll.count == 4 && poll.age.map { $0 < 600 } == true)
    }

    @Test(arguments: StoreMaker.all)
    func `an entry names the project and the tenant of the time of the change`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let users: [UserKey] = [
            "ann", UserKey(uid: "ann", tenant: "acme"), UserKey(uid: "ann", tenant: "acme", project: "other-app"),
            UserKey(uid: "ann", tenant: nil, project: "other-app"),
        ]
        Self.switchOn(store)
        for user in users { try await store.setDisabled(user, true) }
        Self.switchOn(store, project: "e.com:next")
        try await store.setDisabled("ann", false)
        let entries = try await Self.poll(store).entries
        let expected: [(UserKey, String)] = users.map { ($0, "my-app") } + [("ann", "e.com:next")]
        #expect(entries.count == expected.count)
        for (user, project) in expected {
            #expect(entries.contains { $0.user == user && $0.target == Self.target(project, user) }, "\(user)")
        }
        for entry in entries { try await store.removeWriteBack(entry) }
        #expect(try await Self.poll(store).count == 0)
    }

    @Test(arguments: StoreMaker.all)
    func `an entry is removed unless it changed meanwhile`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        Self.switchOn(store)
        try await store.setDisabled("ann", true)
        let first = try #require(try await Self.poll(store).entries.first)
        try await store.setDisabled("ann", false)
        try await store.removeWriteBack(first)
        let second = try #require(try await Self.poll(store).entries.first)
        #expect(second.version != first.version)
        try await store.removeWriteBack(second)
        #expect(try await Self.poll(store) == WriteBackPoll(isHolder: true, entries: [], count: 0, age: nil))
        try await store.setDisabled("ann", true)
        for earlier in [first, second] { try await store.removeWriteBack(earlier) }
        #expect(try await Self.poll(store).count == 1, "a version is not used again")
    }

    @Test(arguments: StoreMaker.all)
    func `a postponed entry is due later, unless it changed meanwhile`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        Self.switchOn(store)
        try await store.setDisabled("ann", true)
        let first = try #require(try await Self.poll(store).entries.first)
        try await store.postponeWriteBack(first, by: 3600)
        let poll = try await Self.poll(store)
        #expect(poll.entries.isEmpty && poll.count == 1 && poll.age != nil)
        try await store.setDisabled("ann", false)
        #expect(try await Self.poll(store).entries.count == 1, "a new change is due at once")
        try await store.postponeWriteBack(first, by: 3600)
        #expect(try await Self.poll(store).entries.count == 1)
    }

    @Test(arguments: StoreMaker.all)
    func `the queue is bounded, and the change takes effect in any case`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        Self.switchOn(store, limit: 2)
        for user in ["u1", "u2"] { #expect(try await store.revoke(user, at: 7).writeBack == .queued) }
        let record = try await store.revoke("u3", at: 7)
        #expect(record.writeBack == .full && record.validSince == 7)
        #expect(try store.view.user("u3") == .record(validSince: 7, disabled: false))
        #expect(try await store.revoke("u2", at: 8).writeBack == .queued, "it has an entry")
        #expect(store.writeBack.droppedCount == 1)
        #expect(try await Self.poll(store).count == 2)
    }

    @Test(arguments: StoreMaker.all)
    func `a change has an entry for each destination, with outcomes of their own`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        Self.switchOn(store, limit: 3, destinations: [.identityToolkit, .realtimeDatabase])
        let revoked = try await store.revoke("ann", at: 7)
        #expect(revoked.writeBack == .queued && revoked.databaseWriteBack == .queued)
        let disabled = try await store.setDisabled("ann", true)
        #expect(disabled.writeBack == .queued && disabled.databaseWriteBack == .off)
        #expect(
            Self.names(try await Self.poll(store)) == ["disabled ann", "revoke_time ann", "valid_since ann"])
        Self.switchOn(store, limit: 4, destinations: [.identityToolkit, .realtimeDatabase])
        let half = try await store.revoke("bob", at: 7)
        #expect(half.writeBack == .queued && half.databaseWriteBack == .full && store.writeBack.droppedCount == 1)
        Self.switchOn(store, destinations: [.realtimeDatabase])
        let rules = try await store.revoke("eve", at: 7)
        #expect(rules.writeBack == .off && rules.databaseWriteBack == .queued)
        #expect(try await store.setDisabled("eve", true).databaseWriteBack == .off)
    }

    @Test(arguments: StoreMaker.all)
    func `parked entries take no place in the queue, and return with their project`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        Self.switchOn(store, limit: 2, destinations: [.identityToolkit, .realtimeDatabase])
        try await store.revoke("ann", at: 7)
        for entry in try await Self.poll(store).entries { try await store.parkWriteBack(entry) }
        var poll = try await Self.poll(store)
        #expect(poll.entries.isEmpty && poll.count == 0 && poll.age == nil && poll.parked == 2)
        #expect(try await store.revoke("bob", at: 7).databaseWriteBack == .queued)
        #expect(try await store.returnWriteBacks(WriteBackPart.allCases, of: ["other-app"]) == 0)
        #expect(try await store.returnWriteBacks([.revokeTime], of: ["other-app", "my-app"]) == 1)
        poll = try await Self.poll(store)
        #expect(Self.names(poll) == ["revoke_time ann", "revoke_time bob", "valid_since bob"])
        #expect(poll.count == 3 && poll.parked == 1, "the bound of the queue is for new entries")
        #expect(try await store.returnWriteBacks(WriteBackPart.allCases, of: ["my-app"]) == 1)
        poll = try await Self.poll(store)
        #expect(poll.count == 4 && poll.parked == 0)
        for entry in poll.entries { try await store.removeWriteBack(entry) }
        #expect(try await Self.poll(store).count == 0)
    }

    @Test(arguments: StoreMaker.all)
    func `an entry that changed meanwhile is not parked`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        Self.switchOn(store)
        try await store.setDisabled("ann", true)
        let first = try #require(try await Self.poll(store).entries.first)
        try await store.setDisabled("ann", false)
        try await store.parkWriteBack(first)
        let poll = try await Self.poll(store)
        #expect(poll.count == 1 && poll.parked == 0)
        let second = try #require(poll.entries.first)
        try await store.parkWriteBack(second)
        try await store.setDisabled("ann", true)
        #expect(try await store.returnWriteBacks(WriteBackPart.allCases, of: ["my-app"]) == 1)
        let both = try await Self.poll(store)
        #expect(both.count == 1 && both.parked == 0, "the later entry stays")
    }

    @Test(arguments: StoreMaker.all)
    func `each queued change is announced`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let announcements = Announcements()
        store.writeBack.set(
            WriteBackSwitch.Policy(limit: 9, target: { Self.target("my-app", $0) }) {
                announcements.count.add(1, ordering: .relaxed)
            })
        try await store.revoke("ann", at: 7)
        #expect(announcements.count.load(ordering: .relaxed) == 1)
    }

    private final class Announcements: Sendable {
        let count = Atomic<Int>(0)
    }

    // MARK: - Durability and the lease

    @Test func `an acknowledged change of an embedded store is queued after a restart`() async throws {
        let path = try TemporaryFolder().path("gatehouse.db")
        let first = try SQLiteStore(path: path, logger: .silent)
        try await first.load()
        Self.switchOn(first)
        try await first.setDisabled("ann", true)
        try await first.close()
        let second = try SQLiteStore(path: path, logger: .silent)
        try await second.load()
        let poll = try await Self.poll(second)
        #expect(Self.names(poll) == ["disabled ann"] && poll.count == 1)
        try await second.close()
    }

    @Test func `rows of an embedded store that are no entries are removed`() async throws {
        let file = try SQLiteFile()
        let first = try file.open()
        try await first.load()
        try await first.close()
        try await file.execute(
            "INSERT INTO write_back (part, uid, version, queued, due) VALUES ('disabled', 'ann', 1, 0, 0)")
        let second = try file.open()
        try await second.load()
        #expect(try await Self.poll(second).entries.isEmpty)
        #expect(try await Self.poll(second).count == 0)
        try await second.close()
    }

    @Test func `gateways of one Redis share the queue, and only one delivers`() async throws {
        let database = try await RedisDatabase.fresh()
        let (one, other) = (try await database.loadedStore(), try await database.loadedStore())
        Self.switchOn(one)
        try await one.revoke("ann", at: 7)
        #expect(Self.names(try await Self.poll(other, by: "other")) == ["valid_since ann"])
        let waiting = try await Self.poll(one, by: "one")
        #expect(!waiting.isHolder && waiting.entries.isEmpty && waiting.count == 1)
        try await one.releaseWriteBacks(of: "one")
        #expect(try await !Self.poll(one, by: "one").isHolder, "only the holder releases the lease")
        try await other.releaseWriteBacks(of: "other")
        #expect(try await Self.poll(one, by: "one").isHolder)
        #expect(try await !Self.poll(other, by: "other").isHolder)
        #expect(try database.cli("PTTL", "gatehouse:write_back:lease") != "-1")
    }

    @Test func `a queue that cannot be written does not prevent the change`() async throws {
        let database = try await RedisDatabase.fresh()
        let store = try await database.loadedStore()
        Self.switchOn(store)
        try database.cli("SET", "gatehouse:write_back", "x")
        let record = try await store.setDisabled("ann", true)
        #expect(record.disabled && record.writeBack == .failed && store.writeBack.droppedCount == 1)
        #expect(try store.view.user("ann") == .record(validSince: nil, disabled: true))
        await expectStoreError(.faultyRecord) { _ = try await Self.poll(store) }
    }

    @Test func `an invalid entry of another program is removed`() async throws {
        let database = try await RedisDatabase.fresh()
        let store = try await database.loadedStore()
        try database.cli("ZADD", "gatehouse:write_back", "1", "nonsense")
        try database.cli("ZADD", "gatehouse:write_back", "1", "disabled:ann")
        #expect(try await Self.poll(store).entries.isEmpty)
        #expect(try await Self.poll(store).count == 0)
    }
}
