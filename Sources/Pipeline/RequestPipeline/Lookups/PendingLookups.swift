package import GatewayCore

/// The lookups under way on one event loop, and the requests that wait for them, as a pure value.
///
/// Requests that wait for the same key share one lookup. The number of requests that wait is bounded, and clients share it: once all places are taken,
/// a request gets one of the client that has the most.
package struct PendingLookups<Request> {
    /// The result of `enter`.
    package enum Admission {
        /// The request waits.
        case admitted
        /// The request waits in the place of the latest request of the client that had the most.
        case replaced(Request)
        /// All places are taken, and no client has more than this one.
        case refused
    }

    private struct Entry {
        let request: Request
        let key: LookupKey
    }

    private var queue: FairWaitQueue<Entry, PeerNetwork>
    private var started: Set<LookupKey> = []

    /// - Parameter limit: the most requests that wait.
    package init(limit: Int) {
        queue = FairWaitQueue(limit: limit)
    }

    /// How many requests wait.
    package var count: Int { queue.count }
    package var isEmpty: Bool { queue.isEmpty }
    /// How many lookups are under way.
    package var lookups: Int { started.count }

    /// Whether a lookup of this key is under way.
    package func isStarted(_ key: LookupKey) -> Bool { started.contains(key) }

    /// Notes that a lookup was started. It stays until `finish`, also when no request waits for it any more.
    package mutating func start(_ key: LookupKey) { started.insert(key) }

    /// Notes that a lookup has ended.
    package mutating func finish(_ key: LookupKey) { started.remove(key) }

    /// Lets a request wait for a key.
    package mutating func enter(_ request: Request, for key: LookupKey, of client: PeerNetwork) -> Admission {
        switch queue.enter(Entry(request: request, key: key), of: client) {
        case .admitted: .admitted
        case .replaced(let evicted): .replaced(evicted.request)
        case .refused: .refused
        }
    }

    /// Takes out the requests that wait for a key and match, in their order.
    package mutating func take(_ key: LookupKey, where matches: (Request) -> Bool = { _ in true }) -> [Request] {
        queue.remove { $0.key == key && matches($0.request) }.map(\.request)
    }

    /// Takes out the requests that match, in their order.
    package mutating func take(where matches: (Request) -> Bool) -> [Request] {
        queue.remove { matches($0.request) }.map(\.request)
    }
}
