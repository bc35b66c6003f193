import Synchronization

/// The completed spans of all event loops that wait for export. Its size is bounded; further spans are dropped and
/// counted.
package final class SpanQueue: Sendable {
    private struct State {
        var spans: [Span] = []
        var limit = 0
        var dropped: UInt64 = 0

        mutating func add(_ added: [Span]) {
            let room = max(limit - spans.count, 0)
            spans.append(contentsOf: added.prefix(room))
            dropped &+= UInt64(max(added.count - room, 0))
        }
    }

    private let state = Mutex(State())

    /// Creates an empty queue that accepts no spans.
    package init() {}

    /// The number of waiting spans.
    var count: Int { state.withLock { $0.spans.count } }
    /// The number of spans that were dropped because the queue was full.
    var dropped: UInt64 { state.withLock { $0.dropped } }

    /// Changes the maximum number of spans. Waiting spans beyond it are dropped, the latest first.
    func setLimit(_ limit: Int) {
        state.withLock { state in
            state.limit = limit
            guard state.spans.count > limit else { return }
            state.dropped &+= UInt64(state.spans.count - limit)
            state.spans.removeLast(state.spans.count - limit)
        }
    }

    /// Adds spans, unless another thread has the lock. Returns whether they were added or dropped.
    func offer(_ spans: [Span]) -> Bool {
        state.withLockIfAvailable { $0.add(spans) } != nil
    }

    /// Adds spans, and waits for the lock.
    func add(_ spans: [Span]) {
        state.withLock { $0.add(spans) }
    }

    /// Adds to the number of dropped spans.
    func countDropped(_ count: Int) {
        state.withLock { $0.dropped &+= UInt64(max(count, 0)) }
    }

    /// Removes and returns the oldest spans.
    func take(atMost count: Int) -> [Span] {
        state.withLock { state in
            let taken = Array(state.spans.prefix(count))
            state.spans.removeFirst(taken.count)
            return taken
        }
    }

    /// Returns spans that could not be exported to the start of the queue.
    func putBack(_ spans: [Span]) {
        guard !spans.isEmpty else { return }
        state.withLock { state in
            let room = max(state.limit - state.spans.count, 0)
            state.spans.insert(contentsOf: spans.prefix(room), at: 0)
            state.dropped &+= UInt64(max(spans.count - room, 0))
        }
    }
}

/// The completed spans of one event loop, passed on in groups.
///
/// A request never waits for the queue's lock: while another thread has it, spans stay here, and those beyond the limit
/// are dropped and counted.
package final class SpanBuffer {
    /// The maximum number of spans.
    static let limit = 1_024
    /// The number of spans that are passed on without waiting for the tick.
    private static let fillToFlush = 128

    private let queue: SpanQueue
    private var spans: [Span] = []
    private var dropped = 0

    package init(_ queue: SpanQueue) {
        self.queue = queue
    }

    /// Adds the spans of one request.
    package func append(_ added: [Span]) {
        let room = max(Self.limit - spans.count, 0)
        spans.append(contentsOf: added.prefix(room))
        dropped += max(added.count - room, 0)
        if spans.count >= Self.fillToFlush { flush() }
    }

    /// Passes on the spans, unless another thread has the queue's lock. Call it on each tick.
    package func flush() {
        guard !spans.isEmpty, queue.offer(spans) else { return }
        spans.removeAll(keepingCapacity: true)
        guard dropped > 0 else { return }
        queue.countDropped(dropped)
        dropped = 0
    }

    /// Passes on the spans at the end.
    package func close() {
        queue.add(spans)
        queue.countDropped(dropped)
        (spans, dropped) = ([], 0)
    }
}
