import GatewayCore
import Logging
import Revocation
import RevocationStores
import Synchronization
import Testing

@testable import Authorization
@testable import RedisFixtures
@testable import StoreFixtures
@testable import SystemFixtures

/// Shared limits with a real Redis, and with a store whose charges the test controls.
@Suite(.closingStores) struct SharedRatesTests {
    /// A hundred requests an hour: batches of ten.
    private let limit = SharedLimit(
        TokenBucket(requests: 100, every: 3_600_000_000_000, burst: 100), name: "0123456789abcdef")
    private let key = SharedRates.Key(hash: 7, isRoute: true)

    /// Requests of one gateway, which wait for charges like requests of a client.
    private struct Requests: Sendable {
        let rates: SharedRates
        let limit: SharedLimit
        let key: SharedRates.Key

        func isAccepted() async -> Bool {
            while true {
                let now = GatewayClock.system.monotonic()
                switch rates.take(key, of: limit, for: .route, mayWait: true, now: now) {
                case .accepted: return true
                case .empty, .untracked: return false
                case .waiting:
                    await withCheckedContinuation { continuation in rates.wait(for: key) { continuation.resume() } }
                }
            }
        }

        /// Returns how many of the requests are accepted.
        func accepted(of count: Int) async -> Int {
            var accepted = 0
            for _ in 0..<count where await isAccepted() { accepted += 1 }
            return accepted
        }
    }

    private func requests(_ store: any RateStore) -> Requests {
        Requests(
            rates: SharedRates(
                store, clock: .system, logger: .silent, clientBuckets: SharedBuckets.ways,
                routeBuckets: SharedBuckets.ways),
            limit: limit, key: key)
    }

    private func store(_ database: RedisDatabase) throws -> RedisRateStore {
        let configuration = try database.store().configuration
        return RedisRateStore(configuration, loop: RedisDatabase.loop, clock: .system, logger: .silent)
    }

    @Test func `two gateways accept a limit of Redis within its bound`() async throws {
        let database = try await RedisDatabase.fresh()
        let stores = try [store(database), store(database)]
        async let first = requests(stores[0]).accepted(of: 150)
        async let second = requests(stores[1]).accepted(of: 150)
        let accepted = await first + second
        #expect((100...111).contains(accepted), "\(accepted)")
        for store in stores { await store.close() }
    }

    @Test func `a gateway knows the requests of another one after its first charge`() async throws {
        let database = try await RedisDatabase.fresh()
        let stores = try [store(database), store(database)]
        let first = await requests(stores[0]).accepted(of: 150)
        #expect((100...101).contains(first))
        let second = await requests(stores[1]).accepted(of: 150)
        #expect((1...11).contains(second), "\(second)")
        for store in stores { await store.close() }
    }

    @Test func `a gateway without Redis counts alone, and shares the limit when it returns`() async throws {
        let database = try await RedisDatabase.onOwnServer()
        let store = try store(database)
        let requests = requests(store)
        #expect(await requests.isAccepted())
        _ = try await eventually("the charge") { requests.rates.status?.charges == 1 ? true : nil }
        database.server.kill()
        _ = try await eventually("the outage") {
            _ = await requests.isAccepted()
            return requests.rates.status?.isShared == false ? true : nil
        }
        let alone = await requests.accepted(of: 150)
        #expect((50...101).contains(alone), "\(alone)")
        #expect((requests.rates.status?.withoutStore ?? 0) >= UInt64(alone))
        try await database.server.start()
        _ = try await eventually("the return") {
            _ = await requests.isAccepted()
            return requests.rates.status?.isShared == true ? true : nil
        }
        await store.close()
    }

    // MARK: - A controlled store

    /// A store whose charges wait until the test ends them.
    private final class GatedStore: RateStore {
        private let state = Mutex<(calls: Int, waiting: [CheckedContinuation<UInt64?, Never>])>((0, []))

        var calls: Int { state.withLock { $0.calls } }

        func charge(_ charges: [RateCharge]) async throws(StoreError) -> [UInt64] {
            let time: UInt64? = await withCheckedContinuation { continuation in
                state.withLock { state in
                    state.calls += 1
                    state.waiting.append(continuation)
                }
            }
            guard let time else { throw StoreError(.io, "the test closed the connection") }
            return charges.map { _ in time }
        }

        /// Ends the charge under way with the time until its buckets are full. `nil` for a failure.
        func finish(_ time: UInt64?) async throws {
            let continuation = try await eventually("a charge") {
                state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
            }
            continuation.resume(returning: time)
        }
    }

    @Test func `requests wait for the charge of a used-up lease, with one charge under way`() async throws {
        let store = GatedStore()
        let requests = requests(store)
        #expect(await requests.accepted(of: 10) == 10)
        async let waiting = requests.accepted(of: 2)
        _ = try await eventually("the wait") { requests.rates.status?.waits == 1 ? true : nil }
        #expect(store.calls == 1)
        try await store.finish(0)
        let accepted = await waiting
        #expect(accepted == 2)
        try await store.finish(0)
    }

    @Test func `requests that wait for a failed charge are counted by the gateway`() async throws {
        let store = GatedStore()
        let requests = requests(store)
        #expect(await requests.accepted(of: 10) == 10)
        async let waiting = requests.isAccepted()
        _ = try await eventually("the wait") { requests.rates.status?.waits == 1 ? true : nil }
        try await store.finish(nil)
        let isAccepted = await waiting
        #expect(isAccepted)
        #expect(requests.rates.status?.isShared == false)
    }

    private final class Wait: Sendable {
        private let state = Mutex(false)

        var isOver: Bool { state.withLock { $0 } }

        func end() { state.withLock { $0 = true } }
    }

    @Test func `a returned request ends the wait of another one, although nothing is left to charge`() async throws {
        let store = GatedStore()
        let requests = requests(store)
        #expect(await requests.isAccepted())
        // The charge of another bucket is under way.
        _ = try await eventually("a charge") { store.calls == 1 ? true : nil }
        let single = SharedLimit(TokenBucket(requests: 2, every: 3_600_000_000_000, burst: 2), name: "fedcba9876543210")
        let other = SharedRates.Key(hash: 8, isRoute: true)
        let now = GatewayClock.system.monotonic()
        let first = requests.rates.take(other, of: single, for: .route, mayWait: true, now: now)
        #expect(first == .accepted)
        let second = requests.rates.take(other, of: single, for: .route, mayWait: true, now: now)
        #expect(second == .waiting)
        let wait = Wait()
        requests.rates.wait(for: other) { wait.end() }
        #expect(!wait.isOver)
        let isReleased = requests.rates.release(other, now: now)
        #expect(isReleased)
        #expect(wait.isOver)
        try await store.finish(0)
    }
}
