package import Authentication
package import GatewayCore
package import JOSE
import Synchronization

/// The final result of a key lookup, including the wait.
package enum KeyLookupResult: Sendable {
    /// The key, and the view of its set. Verification needs both.
    case key(PublicKey, KeySetView)
    /// The source has no such key, so that the token is invalid.
    case unknown
    /// The last good set has no such key, and the source is not asked again before `retryAfter` seconds, at least 1. A
    /// key that the source added since is in its next set.
    case unconfirmed(retryAfter: Int)
    /// The source is unavailable or did not respond in time; `Retry-After` in seconds, at least 1.
    case unavailable(retryAfter: Int)
}

/// A key lookup that may wait, off the request path.
package protocol KeyWaiting: Sendable {
    /// Returns the current view of a set, which suffices for the checks before the signature.
    func view(of set: Int) -> KeySetView

    /// Returns the key with this ID. Waits at most `KeySetView.waitLimit` while the set is being fetched.
    func key(kid: String, set: Int) async -> KeyLookupResult
}

/// Asynchronous access to the key coordinator's sets. An unknown key triggers the same shared fetch as on the request
/// path, with a bounded wait.
package struct AsyncKeys: KeyWaiting {
    /// The maximum number of waiting calls. A further call is rejected.
    static let maximumWaiting = 256

    private final class Waiting: Sendable {
        let count = Atomic<Int>(0)
    }

    private let coordinator: KeyCoordinator
    private let monotonic: @Sendable () -> UInt64
    private let sleepUntil: @Sendable (UInt64) async throws -> Void
    private let waiting = Waiting()

    /// Creates the lookup. `sleepUntil` returns when the monotonic clock has reached a time, and throws if the task is
    /// cancelled.
    init(
        coordinator: KeyCoordinator, monotonic: @escaping @Sendable () -> UInt64,
        sleepUntil: @escaping @Sendable (UInt64) async throws -> Void
    ) {
        self.coordinator = coordinator
        self.monotonic = monotonic
        self.sleepUntil = sleepUntil
    }

    /// Creates the lookup with the system's sleep.
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

    /// Returns the result of a view. `nil` to wait for the next view and look up again.
    private func lookUp(_ kid: String, in view: KeySetView, since: UInt64? = nil) -> KeyLookupResult? {
        let now = monotonic()
        return switch view.lookup(kid: kid, now: now, waitingSince: since) {
        case .key(let key): .key(key, view)
        case .unknown where since == nil: .unconfirmed(retryAfter: view.secondsOfCooldown(at: now))
        case .unknown: .unknown
        case .unavailable(let retryAfter): .unavailable(retryAfter: retryAfter)
        case .fetch: nil
        }
    }

    /// Waits for a result. `nil` after the timeout.
    private func wait(for kid: String, in set: Int, since: UInt64) async -> KeyLookupResult? {
        let deadline = monotonic() &+ KeySetView.waitLimit
        // Buffers only the newest view.
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
