import GatewayCore
import Revocation
import Testing

@testable import StoreFixtures

/// What every store does from opening to closing.
@Suite struct StoreLifecycleSuite {
    @Test(arguments: StoreMaker.all)
    func aLoadedStoreIsReadyAndFresh(_ maker: StoreMaker) async throws {
        let store = try await maker()
        #expect(store.state == .ready)
        #expect(store.view.age(monotonicNow: 1) != nil)
        #expect(store.view.faultyRecords == 0)
    }

    @Test(arguments: StoreMaker.all)
    func aClosedStoreRefusesEverything(_ maker: StoreMaker) async throws {
        let store = try await maker()
        try await store.close()
        #expect(store.state == .closed)
        await expectStoreError(.closed) { try await store.load() }
        await expectStoreError(.closed) { try await store.purge(now: 1) }
        await expectStoreError(.closed) { try await store.revoke("ann", at: 1) }
        await expectStoreError(.closed) { try await store.revokeSession("ann", "1") }
        await expectStoreError(.closed) { _ = try await store.user("ann") }
        await expectStoreError(.closed) { _ = try await store.session("ann", "1") }
    }

    @Test(arguments: StoreMaker.all)
    func theViewOfAClosedStoreIsInfinitelyOld(_ maker: StoreMaker) async throws {
        let store = try await maker()
        try await store.close()
        #expect(store.view.age(monotonicNow: 1) == nil)
    }

    @Test(arguments: StoreMaker.all)
    func closingTwiceIsNoError(_ maker: StoreMaker) async throws {
        let store = try await maker()
        try await store.close()
        try await store.close()
    }

    @Test(arguments: StoreMaker.all)
    func aWriteOutlivesItsCancelledCaller(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.revoke("ann", at: 100)
        }
        #expect(try await task.value == UserRecord(validSince: 100))
        #expect(try store.view.user("ann") == .record(validSince: 100, disabled: false))
    }
}
