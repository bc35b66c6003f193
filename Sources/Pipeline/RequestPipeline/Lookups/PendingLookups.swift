package import GatewayCore

/// The pending lookups of one event loop, and the requests that wait for them, as a pure value.
///
/// Requests that wait for the same key share one lookup. The number of waiting requests is bounded, and clients share
/// the limit. At the limit, a new request replaces one of the client with the most waiting requests.
package struct PendingLookups<Request> {
    /// The result of `enter`.
    package enum Admission {
        /// The request waits.
        case admitted
        /// The request waits and replaces the latest request of the client with the most waiting requests.
        case replaced(Request)
        /// The limit is reached, and no client has more waiting requests than this one.
        case refused
    }

    private struct Entry {
        let request: Request
        let key: LookupKey
    }

    private var queue: FairWaitQueue<Entry, PeerNetwork>
    private var started: Set<LookupKey> = []

    /// Creates an empty value.
    ///
    /// - Parameter limit: The maximum number of waiting requests.
    package init(limit: Int) {
        queue = FairWaitQueue(limit: limit)
    }

    /// The number of waiting requests.
    package var count: Int { queue.count }
    package var isEmpty: Bool { queue.isEmpty }
    /// The number of running lookups.
    package var lookups: Int { started.count }

    /// Returns whether a lookup of this key is running.
    package func isStarted(_ key: LookupKey) -> Bool { started.contains(key) }

    /// Records that a lookup was started. It is kept until `finish`, even if no request waits for it any more.
    package mutating func start(_ key: LookupKey) { started.insert(key) }

    /// Records that a lookup has ended.
    package mutating func finish(_ key: LookupKey) { started.remove(key) }

    /// Adds a request that waits for a key.
    package mutating func enter(_ request: Request, for key: LookupKey, of client: PeerNetwork) -> Admission {
        switch queue.enter(Entry(request: request, key: key), of: client) {
        case .admitted: .admitted
        case .replaced(let evicted): .replaced(evicted.request)
        case .refused: .refused
        }
    }

    /// Removes and returns the requests that wait for a key and match, in order.
    package mutating func take(_ key: LookupKey, where matches: (Request) -> Bool = { _ in true }) -> [Request] {
        queue.remove { $0.key == key && matches($0.request) }.map(\.request)
    }

    /// Removes and returns the requests that match, in order.
    package mutating func take(where matches: (Request) -> Bool) -> [Request] {
        queue.remove { matches($0.request) }.map(\.request)
    }
}
