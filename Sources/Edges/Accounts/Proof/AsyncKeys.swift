package import Authentication
package import GatewayCore
package import JOSE
import Synchronization

/// What became of looking for the key that a token names, once no waiting is left to do.
package enum KeyLookupResult: Sendable {
    /// The key, and the view of its set that has it: the verdict on the signature needs both.
    case key(PublicKey, KeySetView)
    /// The source has no such key: the token is invalid.
    case unknown
    /// The source cannot be asked, or did not answer in time; `Retry-After` in seconds, at least 1.
    case unavailable(retryAfter: Int)
}

/// The keys of tokens, for those who may wait for them: off the request path.
package protocol KeyWaiting: Sendable {
    /// What is known of a set now: enough for the checks before the signature.
    func view(of set: Int) -> KeySetView

    /// The key with this id in a set, waited for while its source is being asked, at most `KeySetView.patience`.
    func key(kid: String, set: Int) async -> KeyLookupResult
}

/// The key coordinator's sets for asynchronous callers: an unknown key is asked for as on the request path, by the one fetch that everybody
/// shares, and waited for with a bound.
package struct AsyncKeys: KeyWaiting {
    /// The most calls that wait at a time; a further one is told to come again.
    static let maximumWaiting = 256

    private final class Waiting: Sendable {
        let count = Atomic<Int>(0)
    }

    private let coordinator: KeyCoordinator
    private let monotonic: @Sendable () -> UInt64
    private let sleepUntil: @Sendable (UInt64) async throws -> Void
    private let waiting = Waiting()

    /// - Parameter sleepUntil: returns when the monotonic clock has reached a time, or throws when the task is cancelled.
    init(
        coordinator: KeyCoordinator, monotonic: @escaping @Sendable () -> UInt64,
        sleepUntil: @escaping @Sendable (UInt64) async throws -> Void
    ) {
        self.coordinator = coordinator
        self.monotonic = monotonic
        self.sleepUntil = sleepUntil
    }

    /// With the machine's sleep.
    package init(coordinator: KeyCoordinator, clock: GatewayClock = .system) {
        let monotonic = clock.monotonic
        self.init(coordinator: coordinator, monotonic: monotonic) { deadline in
            while case let now = monotonic(), now < deadline {
                try await Task.sleep(nanoseconds: deadline - now)
            }
        }
    }

    package func view(of set: Int) -> KeySetView {
        coordinator.sources.indices.contains(set) ? coordinator.view(of: set) : KeySetView()
    }

    package func key(kid: String, set: Int) async -> KeyLookupResult {
        guard coordinator.sources.indices.contains(set) else { return .unavailable(retryAfter: 1) }
        let view = coordinator.view(of: set)
        if let result = lookUp(kid, in: view) { return result }
        defer { waiting.count.wrappingSubtract(1, ordering: .relaxed) }
        guard waiting.count.wrappingAdd(1, ordering: .relaxed).newValue <= Self.maximumWaiting else {
            return .unavailable(retryAfter: 1)
        }
        return await wait(for: kid, in: set, since: view.completedFetches) ?? .unavailable(retryAfter: 1)
    }

    /// Nil: wait for the next view, and look again.
    private func lookUp(_ kid: String, in view: KeySetView, since: UInt64? = nil) -> KeyLookupResult? {
        switch view.lookup(kid: kid, now: monotonic(), waitingSince: since) {
        case .key(let key): .key(key, view)
        case .unknown: .unknown
        case .unavailable(let retryAfter): .unavailable(retryAfter: retryAfter)
        case .fetch: nil
        }
    }

    /// Nil: the patience is over.
    private func wait(for kid: String, in set: Int, since: UInt64) async -> KeyLookupResult? {
        let deadline = monotonic() &+ KeySetView.patience
        // Only the newest view counts.
        let (views, incoming) = AsyncStream.makeStream(of: KeySetView.self, bufferingPolicy: .bufferingNewest(1))
        let subscription = coordinator.subscribe { index, view in
            if index == set { incoming.yield(view) }
        }
        defer { coordinator.unsubscribe(subscription) }
        coordinator.requestRefresh(set: set)
        return await withTaskGroup(of: KeyLookupResult?.self) { group in
            group.addTask {
                for await view in views {
                    if let result = lookUp(kid, in: view, since: since) { return result }
                }
                return nil
            }
            group.addTask {
                try? await sleepUntil(deadline)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}
