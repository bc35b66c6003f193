import GatewayCore
import Revocation
import Testing

@testable import StoreFixtures

/// What every store does with users, whatever keeps its records.
@Suite struct StoreUserSuite {
    @Test(arguments: StoreMaker.all)
    func anUnknownUserIsNoError(_ maker: StoreMaker) async throws {
        let store = try await maker()
        #expect(try await store.user("nobody") == UserRecord())
        #expect(try store.view.user("nobody") == .none)
    }

    @Test(arguments: StoreMaker.all)
    func aRevocationIsVisibleWhenItIsAcknowledged(_ maker: StoreMaker) async throws {
        let store = try await maker()
        #expect(try await store.revoke("ann", at: 100) == UserRecord(validSince: 100))
        #expect(try store.view.user("ann") == .record(validSince: 100, disabled: false))
        #expect(try await store.user("ann") == UserRecord(validSince: 100))
    }

    @Test(arguments: StoreMaker.all)
    func validSinceNeverGoesBack(_ maker: StoreMaker) async throws {
        let store = try await maker()
        try await store.revoke("ann", at: 200)
        #expect(try await store.revoke("ann", at: 100) == UserRecord(validSince: 200))
        #expect(try store.view.user("ann") == .record(validSince: 200, disabled: false))
    }

    @Test(arguments: StoreMaker.all)
    func concurrentRevocationsEndAtTheLatest(_ maker: StoreMaker) async throws {
        let store = try await maker()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for time in Array(1...200).shuffled() { group.addTask { try await store.revoke("ann", at: Int64(time)) } }
            try await group.waitForAll()
        }
        #expect(try await store.user("ann").validSince == 200)
        #expect(try store.view.user("ann") == .record(validSince: 200, disabled: false))
    }

    @Test(arguments: StoreMaker.all)
    func unrevokeIsTheWayBack(_ maker: StoreMaker) async throws {
        let store = try await maker()
        try await store.revoke("ann", at: 200)
        #expect(try await store.unrevoke("ann") == UserRecord())
        #expect(try store.view.user("ann") == .none)
        #expect(try await store.revoke("ann", at: 100) == UserRecord(validSince: 100))
    }

    @Test(arguments: StoreMaker.all)
    func unrevokeKeepsAUserDisabled(_ maker: StoreMaker) async throws {
        let store = try await maker()
        try await store.revoke("ann", at: 200)
        try await store.setDisabled("ann", true)
        #expect(try await store.unrevoke("ann") == UserRecord(disabled: true))
        #expect(try store.view.user("ann") == .record(validSince: nil, disabled: true))
    }

    @Test(arguments: StoreMaker.all)
    func disablingKeepsARevocation(_ maker: StoreMaker) async throws {
        let store = try await maker()
        try await store.revoke("ann", at: 200)
        try await store.setDisabled("ann", true)
        #expect(try store.view.user("ann") == .record(validSince: 200, disabled: true))
        #expect(try await store.setDisabled("ann", false) == UserRecord(validSince: 200))
        #expect(try store.view.user("ann") == .record(validSince: 200, disabled: false))
    }

    @Test(arguments: StoreMaker.all)
    func aRevocationAtTheEpochIsARecord(_ maker: StoreMaker) async throws {
        let store = try await maker()
        try await store.revoke("ann", at: 0)
        #expect(try store.view.user("ann") == .record(validSince: 0, disabled: false))
    }

    @Test(arguments: StoreMaker.all)
    func namesThatLookAlikeAreDifferentUsers(_ maker: StoreMaker) async throws {
        let store = try await maker()
        // Two are spellings of the same letter, which Swift calls equal.
        let names = ["a", "\u{e9}", "e\u{301}", "A", "a "]
        for (index, name) in names.enumerated() { try await store.revoke(name, at: Int64(index)) }
        for (index, name) in names.enumerated() {
            #expect(try await store.user(name).validSince?.seconds == Int64(index))
            #expect(try store.view.user(name) == .record(validSince: UnixTime(clamping: Int64(index)), disabled: false))
        }
    }

    @Test(arguments: StoreMaker.all)
    func aUIDHasOneTo128Characters(_ maker: StoreMaker) async throws {
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
    func aTimeIsInSeconds(_ maker: StoreMaker) async throws {
        let store = try await maker()
        for time in [-1, Int64.min, 100_000_000_001, 1_700_000_000_000, .max] {
            await expectStoreError(.invalidTime) { try await store.revoke("ann", at: time) }
        }
        #expect(try store.view.user("ann") == .none)
        #expect(try await store.revoke("ann", at: 100_000_000_000).validSince == 100_000_000_000)
    }
}
