import Accounts
import Authentication
import JOSE
import Synchronization

/// Key sets that are there at once, or cannot be had, as the test says.
final class FixedKeys: KeyWaiting {
    private let views: [KeySetView]
    private let outage = Mutex<Int?>(nil)

    init(_ sets: [KeySet]) {
        views = sets.map {
            KeySetView(
                keys: $0, generation: 1, isLoaded: true, lastFetchSucceeded: true, completedFetches: 1,
                usableUntil: .max, cooldownUntil: .max, nextFetchAt: .max)
        }
    }

    /// From here on no key can be had; `Retry-After` in seconds.
    func fail(retryAfter: Int) { outage.withLock { $0 = retryAfter } }

    func view(of set: Int) -> KeySetView { views[set] }

    func key(kid: String, set: Int) async -> KeyLookupResult {
        if let retryAfter = outage.withLock({ $0 }) { return .unavailable(retryAfter: retryAfter) }
        guard let key = views[set].keys?.key(id: kid) else { return .unknown }
        return .key(key, views[set])
    }
}
