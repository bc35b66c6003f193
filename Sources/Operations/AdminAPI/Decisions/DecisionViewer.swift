import GatewayCore
import Observability
import Synchronization

/// One stream of decisions: a filter, and a bounded queue of events between the event loops and its connection.
package final class DecisionViewer: Sendable {
    /// The reason for which the gateway ends a stream.
    enum End: String, Sendable {
        case expired, shutdown
        /// The session of the console ended, or its role changed.
        case session
    }

    /// The maximum number of queued events, and their maximum size in bytes.
    static let eventLimit = 256
    static let byteLimit = 256 * 1024

    private struct State {
        var events: [[UInt8]] = []
        var bytes = 0
        var end: End?
        var hasEnded = false
        /// The second of the last accepted events, in monotonic nanoseconds, and their number.
        var window: (start: UInt64, count: Int) = (0, 0)
        var counts = DecisionFeedReading()
        /// The counts that were reported to the viewer, and when.
        var reported = DecisionFeedReading()
        var reportedAt: UInt64?
        var notify: (@Sendable () -> Void)?
        var isPermitted: (@Sendable () -> Bool)?
    }

    package let filter: DecisionFilter
    private let pseudonyms: UserPseudonyms
    private let state = Mutex(State())
    private let remove: @Sendable (DecisionViewer) -> Void

    init(
        _ filter: DecisionFilter, _ pseudonyms: UserPseudonyms, remove: @escaping @Sendable (DecisionViewer) -> Void
    ) {
        self.filter = filter
        self.pseudonyms = pseudonyms
        self.remove = remove
    }

    var counts: DecisionFeedReading { state.withLock { $0.counts } }

    // MARK: - Event loops

    /// Queues a decision if it matches. It is counted instead if it is above the rate or the queue is full.
    ///
    /// - Parameter now: Monotonic nanoseconds.
    package func offer(_ record: inout DecisionRecord, at now: UInt64) {
        guard filter.matches(&record, pseudonyms), admits(at: now) else { return }
        append(record.event(for: filter, pseudonyms: pseudonyms))
    }

    private func admits(at now: UInt64) -> Bool {
        state.withLock { state in
            guard !state.hasEnded else { return false }
            if now &- state.window.start >= 1_000_000_000 { state.window = (now, 0) }
            guard state.window.count < filter.rate else {
                state.counts.sampled &+= 1
                return false
            }
            state.window.count += 1
            return true
        }
    }

    /// Queues an event.
    func append(_ event: [UInt8]) {
        let notify = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.hasEnded else { return nil }
            guard state.events.count < Self.eventLimit, state.bytes + event.count <= Self.byteLimit else {
                state.counts.dropped &+= 1
                return nil
            }
            state.events.append(event)
            state.bytes += event.count
            state.counts.sent &+= 1
            // The connection empties the whole queue, so that one notification is sufficient.
            return state.events.count == 1 ? state.notify : nil
        }
        notify?()
    }

    /// Ends the stream after its queued events.
    func end(_ reason: End) {
        let notify = state.withLock { state in
            if state.end == nil { state.end = reason }
            return state.notify
        }
        notify?()
    }

    // MARK: - The connection

    /// Sets the check of the client's permission, which a connection repeats. Without one, the permission lasts as long
    /// as the stream.
    func require(_ isPermitted: @escaping @Sendable () -> Bool) {
        state.withLock { $0.isPermitted = isPermitted }
    }

    /// Ends the stream if its client has no permission any more.
    func checkPermission() {
        guard let isPermitted = state.withLock({ $0.isPermitted }), !isPermitted() else { return }
        end(.session)
    }

    /// Sets the call that reports new events. It is made once immediately.
    func onEvent(_ notify: @escaping @Sendable () -> Void) {
        state.withLock { $0.notify = notify }
        notify()
    }

    /// Removes and returns all queued events, and whether the stream ends with them. Counts of missing events are
    /// reported at most once a second.
    func take(at now: UInt64) -> (bytes: [UInt8], isLast: Bool) {
        state.withLock { state in
            var bytes = Array(state.events.joined())
            state.events.removeAll(keepingCapacity: true)
            state.bytes = 0
            let counts = state.counts
            let isDue = state.reportedAt.map { now &- $0 >= 1_000_000_000 } ?? true
            let isNew = counts.sampled != state.reported.sampled || counts.dropped != state.reported.dropped
            if isNew, isDue || state.end != nil {
                bytes += Self.skipped(counts, since: state.reported)
                state.reported = counts
                state.reportedAt = now
            }
            if let end = state.end, !state.hasEnded {
                state.hasEnded = true
                bytes += ServerSentEvent.bytes("end", ObjectText.object { $0.add("reason", end.rawValue) })
            }
            return (bytes, state.hasEnded)
        }
    }

    private static func skipped(_ counts: DecisionFeedReading, since earlier: DecisionFeedReading) -> [UInt8] {
        ServerSentEvent.bytes(
            "skipped",
            ObjectText.object { body in
                body.add("sampled", Int64(clamping: counts.sampled &- earlier.sampled))
                body.add("dropped", Int64(clamping: counts.dropped &- earlier.dropped))
            })
    }

    /// Ends the stream at once, because its connection is closed.
    func cancel() {
        state.withLock { state in
            state.hasEnded = true
            state.notify = nil
            state.isPermitted = nil
            state.events = []
            state.bytes = 0
        }
        remove(self)
    }
}
