import GatewayConfiguration
import GatewayCore
import Testing

@testable import RedisFixtures
@testable import Revocation
@testable import RevocationStores
@testable import StoreFixtures
@testable import SystemFixtures

/// A Redis that lost records without an entry in the stream.
@Suite(.closingStores) struct LostRecordsTests {
    private static func word(_ time: UnixTime?, _ flag: Bool) -> RecordWord { RecordWord(time: time, flag: flag) }

    @Test func `a record becomes weaker only in the parts that an entry names`() {
        let old = Self.word(7, true)
        #expect(RecordWord.none.keeping(old, changing: []) == old)
        #expect(RecordWord.none.keeping(old, changing: []).isKept)
        #expect(RecordWord.none.keeping(old, changing: .all) == .none)
        #expect(RecordWord.none.keeping(old, changing: .time) == Self.word(nil, true))
        #expect(RecordWord.none.keeping(old, changing: .flag) == Self.word(7, false))
        #expect(Self.word(9, false).keeping(old, changing: .time) == Self.word(9, true))
        #expect(Self.word(5, true).keeping(old, changing: []) == old)
    }

    @Test func `a record that is as strong or stronger is stored unchanged`() {
        let old = Self.word(7, false)
        for new in [old, Self.word(7, true), Self.word(8, false), .faulty] {
            let kept = new.keeping(old, changing: [])
            #expect(kept == new)
            #expect(!kept.isKept)
        }
        #expect(RecordWord.faulty.keeping(.none, changing: []) == .faulty)
        #expect(old.keeping(.faulty, changing: []) == old)
        #expect(RecordWord.none.keeping(.faulty, changing: []).isKept)
    }

    @Test func `a write of the gateway itself only adds restrictions`() {
        let old = Self.word(7, true)
        #expect(RecordWord.none.restricting(old) == old)
        #expect(old.restricting(.none) == old)
        #expect(Self.word(9, false).restricting(old) == Self.word(9, true))
        #expect(Self.word(5, false).restricting(old) == old)
        #expect(Self.word(nil, true).restricting(Self.word(7, false)) == old)
        #expect(old.restricting(.faulty) == .faulty)
        #expect(!Self.word(9, false).restricting(old).isKept)
        #expect(Self.word(9, false).restricting(RecordWord.none.keeping(old, changing: [])).isKept)
    }

    @Test func `a sweep that keeps records counts them until they are set again`() throws {
        let view = StoreView()
        let keys = (0..<100).map { StoreKey(high: UInt64($0) &* 0x9e37_79b9_7f4a_7c15, low: UInt64($0) + 1) }
        for key in keys { view.setUser(key, to: Self.word(5, false)) }
        let reread = view.beginReread()
        for key in keys.prefix(40) { view.setUser(key, to: Self.word(5, false)) }
        for slice in 0..<StoreView.sweepSlices { view.keepUsers(reread, slice: slice) }
        #expect(view.kept.users == 60)
        #expect(view.usage.users == 100)
        #expect(view.user(keys[99]) == .record(validSince: 5, disabled: false))
        view.setUser(keys[99], to: Self.word(5, false))
        view.setUser(keys[98], to: .none)
        #expect(view.kept.users == 58)
        let next = view.beginReread()
        for slice in 0..<StoreView.sweepSlices { _ = view.sweep(next, slice: slice) }
        #expect(view.kept.users == 0)
        #expect(view.usage.users == 0)
    }

    @Test func `an entry names the parts that it reverts, and two entries of a record are combined`() throws {
        let ann = ReplicaKey.user("ann")
        var script = ReplicaScript.following(.at(10, added: 4))
        script.reply(
            .changes([
                ReplicaEntry(11, "uid", "ann", "valid_since", ""), ReplicaEntry(12, "uid", "ann", "disabled", "0"),
            ]))
        #expect(script.pending.first == .record(ann))
        script.reply(.record(.none))
        #expect(script.changes == [.all])
    }

    @Test(arguments: [
        (ReplicaStreamInformation.at(9, added: 4), 1), (.at(11, added: 3), 1), (.absent, 1), (.at(12, added: 6), 0),
    ])
    func `a stream that lost entries that were read has been reverted`(
        _ information: ReplicaStreamInformation, _ regressions: Int
    ) {
        var script = ReplicaScript.following(.at(10, added: 4))
        script.reconnect(
            to: ReplicaIdentity(names: [[2]], isMaster: true), .information(information),
            history: regressions == 0 ? [.user("ann", at: 10)] : [])
        #expect(script.regressions == regressions)
        if regressions == 0 { #expect(script.gaps == [.otherServer]) }
    }

    // MARK: - On a server

    private func store(_ database: RedisDatabase, _ policy: StoreLossPolicy) async throws -> RedisStore {
        var location = database.location
        location.onLostStore = policy
        let store = try RedisStore(
            location, maxStaleness: .seconds(1), loop: RedisDatabase.loop, logger: .silent)
        try await store.load()
        try await store.revoke("eve", at: 1_600_000_000)
        try await store.setDisabled("bob", true)
        try await store.revokeSession("ada", "1700000000")
        return store
    }

    private func expectKept(_ store: RedisStore) throws {
        #expect(try store.view.user("eve") == .record(validSince: 1_600_000_000, disabled: false))
        #expect(try store.view.user("bob") == .record(validSince: nil, disabled: true))
        #expect(try store.view.session("ada", "1700000000") == .record(revoked: true, signedInAt: nil))
    }

    @Test func `an emptied Redis is reported, the records are kept, and an operator can confirm the loss`() async throws
    {
        let database = try await RedisDatabase.onOwnServer()
        let store = try await store(database, .keep)
        try database.cli("FLUSHALL")
        let loss = try await eventually("the loss") { store.health?.loss.isAny == true ? store.health?.loss : nil }
        #expect(loss.users == 2)
        #expect(loss.sessions == 1)
        #expect(loss.wentBack)
        try expectKept(store)
        #expect(store.trouble?.contains("/v1/store/accept") == true)
        await expectStoreError(.io) { _ = try await store.owner(of: IdentityLink(provider: "apple.com", subject: "1")) }
        // An entry that names a part of a record changes that part.
        try await store.setDisabled("bob", false)
        try await eventually("bob") { try store.view.user("bob") == .none ? true : nil }
        #expect(try await store.accept().users == 1)
        try await eventually("the confirmed records of Redis") { store.health?.loss.isAny == false ? true : nil }
        #expect(try store.view.user("eve") == .none)
        #expect(try store.view.session("ada", "1700000000") == .none)
        #expect(try await store.owner(of: IdentityLink(provider: "apple.com", subject: "1")) == nil)
        try await store.close()
    }

    @Test func `two gateways that restore concurrently restore the records of both`() async throws {
        let database = try await RedisDatabase.onOwnServer()
        let first = try await store(database, .restore)
        let second = try await store(database, .restore)
        try await first.revoke("late", at: 5)
        try database.cli("FLUSHALL")
        try database.cli("HSET", "gatehouse:user:{late}", "valid_since", "9")
        try await eventually("the records") {
            let eve = try database.cli("HGET", "gatehouse:user:{eve}", "valid_since") == "1600000000"
            let bob = try database.cli("HGET", "gatehouse:user:{bob}", "disabled") == "1"
            let ada = try database.cli("HGET", "gatehouse:session:{ada}:1700000000", "revoked") == "1"
            return eve && bob && ada ? true : nil
        }
        #expect(try database.cli("HGET", "gatehouse:user:{late}", "valid_since") == "9")
        for store in [first, second] {
            try await eventually("the end of the loss") { store.replica.status.loss.isAny ? nil : true }
            try expectKept(store)
            try await store.close()
        }
    }

    @Test func `after an accepted loss, the view equals the records in Redis`() async throws {
        let database = try await RedisDatabase.onOwnServer()
        let store = try await store(database, .accept)
        try database.cli("FLUSHALL")
        try await eventually("an empty view") {
            store.view.usage.users == 0 && store.view.usage.sessions == 0 ? true : nil
        }
        try await store.close()
    }

    /// A session can have expired. A user's record does not expire.
    @Test(arguments: [(false, (0, 0)), (true, (1, 1))])
    func `missing sessions are kept only if the record of a user is missing`(
        hasUser: Bool, kept: (Int, Int)
    ) throws {
        let view = StoreView()
        view.setSession(StoreKey(high: 1, low: 1), to: Self.word(nil, true))
        if hasUser { view.setUser(StoreKey(high: 2, low: 2), to: Self.word(1, false)) }
        var table = ReplicaTable(view: view, keys: try StoreKeyMaker())
        table.beginReread()
        let reread = try #require(table.lastReread)
        for slice in 0..<ReplicaTable.sweepSlices { table.sweep(slice: slice, of: reread, losesHistory: false) }
        #expect(view.kept == kept)
        if !hasUser { #expect(view.usage.sessions == 0) }
    }
}
