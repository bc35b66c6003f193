import GatewayCore
import JOSE
import Revocation
import Testing

@testable import StoreFixtures

/// The contract of every store for users.
@Suite(.closingStores) struct StoreUserSuite {
    enum Write: Sendable { case revoke(Int64), unrevoke, disable, enable }

    @Test(
        arguments: StoreMaker.all,
        [
            ([], UserRecord()), ([.revoke(100)], UserRecord(validSince: 100)),
            ([.revoke(200), .revoke(100)], UserRecord(validSince: 200)), ([.revoke(200), .unrevoke], UserRecord()),
            ([.revoke(200), .unrevoke, .revoke(100)], UserRecord(validSince: 100)),
            ([.revoke(200), .disable, .unrevoke], UserRecord(disabled: true)),
            ([.revoke(200), .disable], UserRecord(validSince: 200, disabled: true)),
            ([.revoke(200), .disable, .enable], UserRecord(validSince: 200)),
            ([.revoke(0)], UserRecord(validSince: 0)),
        ] as [([Write], UserRecord)])
    func `each write returns the record that the store and the view have afterwards`(
        _ maker: StoreMaker, _ history: (writes: [Write], record: UserRecord)
    ) async throws {
        let store = try await maker()
        var last = UserRecord()
        for write in history.writes {
            switch write {
            case .revoke(let time): last = try await store.revoke("ann", at: time)
            case .unrevoke: last = try await store.unrevoke("ann")
            case .disable: last = try await store.setDisabled("ann", true)
            case .enable: last = try await store.setDisabled("ann", false)
            }
        }
        let record = history.record
        #expect(last == record)
        #expect(try await store.user("ann") == record)
        let isKnown = record != UserRecord()
        let lookup = UserLookup.record(validSince: record.validSince, disabled: record.disabled)
        #expect(try store.view.user("ann") == (isKnown ? lookup : .none))
    }

    @Test(arguments: StoreMaker.all)
    func `of concurrent revocations the latest time applies`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for time in Array(1...200).shuffled() { group.addTask { try await store.revoke("ann", at: Int64(time)) } }
            try await group.waitForAll()
        }
        #expect(try await store.user("ann").validSince == 200)
        #expect(try store.view.user("ann") == .record(validSince: 200, disabled: false))
    }

    @Test(arguments: StoreMaker.all)
    func `names that look alike identify different users`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        // Two of the names are canonically equivalent, so Swift considers them equal.
        let names = ["a", "\u{e9}", "e\u{301}", "A", "a "]
        for (index, name) in names.enumerated() { try await store.revoke(name, at: Int64(index)) }
        for (index, name) in names.enumerated() {
            #expect(try await store.user(name).validSince?.seconds == Int64(index))
            #expect(try store.view.user(name) == .record(validSince: UnixTime(clamping: Int64(index)), disabled: false))
        }
    }

    @Test(arguments: StoreMaker.all)
    func `a uid has 1 to 128 characters`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        for uid in [
            "", "a\u{0}b", "a\n", String(repeating: "a", count: 129), String(repeating: "\u{1F600}", count: 129),
        ] {
            await expectStoreError(.invalidUID) { try await store.revoke(uid, at: 1) }
            await expectStoreError(.invalidUID) { try await store.unrevoke(uid) }
            await expectStoreError(.invalidUID) { try await store.setDisabled(uid, true) }
            await expectStoreError(.invalidUID) { _ = try await store.user(uid) }
        }
        for uid in ["a", String(repeating: "\u{1F600}", count: 128)] {
            #expect(try await store.revoke(uid, at: 1) == UserRecord(validSince: 1))
        }
    }

    @Test(arguments: StoreMaker.all)
    func `a time is in seconds`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        for time in [-1, Int64.min, 100_000_000_001, 1_700_000_000_000, .max] {
            await expectStoreError(.invalidTime) { try await store.revoke("ann", at: time) }
        }
        #expect(try store.view.user("ann") == .none)
        #expect(try await store.revoke("ann", at: 100_000_000_000).validSince == 100_000_000_000)
    }
}

/// The contract of every store from opening to closing.
@Suite(.closingStores) struct StoreLifecycleSuite {
    @Test(arguments: StoreMaker.all)
    func `a loaded store is ready and fresh`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        #expect(store.state == .ready)
        #expect(store.view.age(monotonicNow: 1) != nil)
        #expect(store.view.faultyRecords == 0)
    }

    @Test(arguments: StoreMaker.all)
    func `a closed store refuses every call, and its view is infinitely old`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        try await store.close()
        #expect(store.state == .closed)
        #expect(store.view.age(monotonicNow: 1) == nil)
        let digest = try #require(SHA256Hasher()?.hash([1]))
        let calls: [() async throws -> Void] = [
            { try await store.load() }, { try await store.purge(now: 1) }, { try await store.revoke("ann", at: 1) },
            { try await store.revokeSession("ann", "1") }, { _ = try await store.user("ann") },
            { _ = try await store.session("ann", "1") }, { _ = try await store.owner(of: .apple("1")) },
            { _ = try await store.account("ann") }, { _ = try await store.claim(.apple("1"), for: "ann") },
            { _ = try await store.releaseAll(of: "ann") }, { _ = try await store.setting("issuer", initial: [1]) },
            { try await store.putNonce(digest, purpose: "any", lifetime: 1) },
            { _ = try await store.takeNonce(digest) }, { _ = try await store.markSeen(digest, lifetime: 1) },
            { _ = try await store.isSeen(digest) },
        ]
        for call in calls { await expectStoreError(.closed, call) }
        try await store.close()
    }

    @Test(arguments: StoreMaker.all)
    func `a write completes although its caller is cancelled`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.revoke("ann", at: 100)
        }
        #expect(try await task.value == UserRecord(validSince: 100))
        #expect(try store.view.user("ann") == .record(validSince: 100, disabled: false))
    }
}
