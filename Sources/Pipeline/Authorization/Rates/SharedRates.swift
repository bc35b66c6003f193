package import GatewayCore
package import Logging
package import Revocation
import Synchronization

/// The rate limits that all gateways share: the buckets of this process, and their charges to the store.
///
/// The request path decides in memory. One task at a time charges the store, in pipelines of at most
/// ``RateCharge/limit`` charges, at most one in `spacing`: 10,000 charges a second, whatever clients send.
package final class SharedRates: Sendable {
    /// The number of buckets for users and addresses, and for routes: 6 MiB, allocated with the first request.
    package static let clientBuckets = 65_536
    package static let routeBuckets = 16_384
    /// The minimum time between two pipelines.
    private static let spacing: Duration = .milliseconds(5)

    /// The name of a bucket in this process.
    package struct Key: Sendable, Hashable {
        /// Not 0.
        let hash: UInt64
        let isRoute: Bool
    }

    /// The state for metrics.
    package struct Status: Sendable, Equatable {
        /// Whether the store can be charged.
        package var isShared: Bool
        /// The requests that only this gateway counted: without the store, or without memory for their buckets.
        package var withoutStore: UInt64, withoutSlot: UInt64
        /// The requests that waited for a charge.
        package var waits: UInt64
        package var charges: UInt64, failedCharges: UInt64
    }

    private struct State {
        var buckets: SharedBuckets?
        var waiting: [Key: [@Sendable () -> Void]] = [:]

        /// Removes and returns the closures of those buckets whose requests no longer have to wait.
        mutating func takeReady(of keys: [Key]) -> [@Sendable () -> Void] {
            guard !waiting.isEmpty else { return [] }
            var ready: [@Sendable () -> Void] = []
            for key in keys where buckets?.isWaiting(key.hash, isRoute: key.isRoute) != true {
                ready += waiting.removeValue(forKey: key) ?? []
            }
            return ready
        }
    }

    private let state = Mutex(State())
    private let store: any RateStore
    private let clock: GatewayClock
    private let logger: Logger
    private let groups: (clients: Int, routes: Int)

    /// Creates the limits. The numbers of buckets divided by 16 are powers of two.
    package init(
        _ store: any RateStore, clock: GatewayClock, logger: Logger, clientBuckets: Int = SharedRates.clientBuckets,
        routeBuckets: Int = SharedRates.routeBuckets
    ) {
        (self.store, self.clock, self.logger) = (store, clock, logger)
        groups = (clientBuckets / SharedBuckets.ways, routeBuckets / SharedBuckets.ways)
    }

    /// `nil` before the first request with a shared limit.
    package var status: Status? {
        state.withLock { state in
            state.buckets.map { buckets in
                let counts = buckets.counts
                return Status(
                    isShared: buckets.isShared, withoutStore: counts.withoutStore, withoutSlot: counts.withoutSlot,
                    waits: counts.waits, charges: counts.charges, failedCharges: counts.failedCharges)
            }
        }
    }

    /// Takes a request from a bucket.
    func take(
        _ key: Key, of limit: SharedLimit, for subject: SharedLimit.Subject, mayWait: Bool, now: UInt64
    ) -> SharedBuckets.Taken {
        let (taken, starts) = state.withLock { state in
            if state.buckets == nil {
                state.buckets = SharedBuckets(clientGroups: groups.clients, routeGroups: groups.routes)
            }
            // Modified in place: a copy would cost the whole memory.
            let taken = state.buckets?.take(key.hash, of: limit, for: subject, mayWait: mayWait, now: now)
            return (taken ?? .untracked, state.buckets?.startsCharging(now: now) ?? false)
        }
        if starts { Task { await charge() } }
        return taken
    }

    /// Returns a request to its bucket. Returns `false` if this process does not have the bucket.
    func release(_ key: Key, now: UInt64) -> Bool {
        let (isReleased, starts, ready) = state.withLock { state in
            let isReleased = state.buckets?.release(key.hash, isRoute: key.isRoute) ?? false
            // The bucket may have nothing to charge any more, so that no charge would end the wait.
            return (isReleased, state.buckets?.startsCharging(now: now) ?? false, state.takeReady(of: [key]))
        }
        for body in ready { body() }
        if starts { Task { await charge() } }
        return isReleased
    }

    /// Calls `body` on any thread when requests of a bucket no longer have to wait, at the latest when its charge
    /// fails.
    package func wait(for key: Key, _ body: @escaping @Sendable () -> Void) {
        let waits = state.withLock { state in
            guard state.buckets?.isWaiting(key.hash, isRoute: key.isRoute) == true else { return false }
            state.waiting[key, default: []].append(body)
            return true
        }
        if !waits { body() }
    }

    /// Charges the store until there is nothing to charge, or it fails.
    private func charge() async {
        while true {
            let charges = state.withLock { $0.buckets?.nextCharges(now: clock.monotonic()) ?? [] }
            guard !charges.isEmpty else { return }
            let result: Result<[UInt64], StoreError>
            do throws(StoreError) {
                result = .success(try await store.charge(charges))
            } catch {
                result = .failure(error)
            }
            finish(result)
            try? await Task.sleep(for: Self.spacing)
        }
    }

    private func finish(_ result: Result<[UInt64], StoreError>) {
        let (change, ready) = state.withLock { state in
            // With a flood, far more buckets than these have waiting requests.
            let charged = state.buckets?.underWay ?? []
            let change = state.buckets?.charged(try? result.get(), now: clock.monotonic()) ?? nil
            return (change, state.takeReady(of: change == nil ? charged : Array(state.waiting.keys)))
        }
        for body in ready { body() }
        switch change {
        case .lost:
            let reason = if case .failure(let error) = result { "\(error)" } else { "an unexpected number of results" }
            logger.warning(
                "rate limits: Redis is unavailable, and this gateway counts its own requests only",
                metadata: ["error": "\(reason)"])
        case .regained: logger.notice("rate limits: shared by all gateways again")
        case nil: break
        }
    }
}
