import GatewayCore
package import Observability
import Synchronization

/// The viewers of decisions. Without viewers, requests record nothing.
package final class DecisionFeed: Sendable {
    /// The maximum number of viewers.
    package static let limit = 16
    /// The maximum number of viewers with the role viewer, so that they leave streams to operators.
    static let viewerLimit = 12
    /// The maximum number of viewers of one session of the console.
    static let sessionLimit = 4

    private struct State {
        var viewers: [DecisionViewer] = []
        var isClosed = false
        /// The counts of viewers that have ended.
        var ended = DecisionFeedReading()
    }

    private let state = Mutex(State())
    private let pseudonyms = UserPseudonyms()
    private let distribute: @Sendable ([DecisionViewer]) -> Void

    /// Creates a feed.
    ///
    /// - Parameter distribute: Passes the current viewers to the event loops, in the order of the calls.
    package init(distribute: @escaping @Sendable ([DecisionViewer]) -> Void) {
        self.distribute = distribute
    }

    /// Adds a viewer. Its first event has the generation of the configuration.
    package func open(
        _ filter: DecisionFilter, generation: UInt64, at milliseconds: Int64
    ) throws(AdministrationError) -> DecisionViewer {
        let viewer = DecisionViewer(filter, pseudonyms) { [weak self] viewer in self?.remove(viewer) }
        let failure = state.withLock { state -> String? in
            if state.isClosed { return "The gateway is draining." }
            if let limit = Self.reachedLimit(of: state.viewers.map(\.filter.owner), by: filter.owner) {
                return "\(limit) streams of decisions are open. Close one of them."
            }
            state.viewers.append(viewer)
            distribute(state.viewers)
            return nil
        }
        if let failure { throw .unavailable(failure) }
        viewer.append(
            ServerSentEvent.bytes(
                "open",
                ObjectText.object { body in
                    body.add("now_ms", milliseconds)
                    body.add("masked", filter.isMasked)
                    body.add("rate", Int64(filter.rate))
                    body.add("generation", Int64(clamping: generation))
                }))
        return viewer
    }

    /// Returns the limit that one more stream of a client would exceed. `nil` if it may be opened.
    private static func reachedLimit(of open: [DecisionFilter.Owner], by owner: DecisionFilter.Owner) -> Int? {
        if open.count >= limit { return limit }
        if owner.isViewer, open.count(where: \.isViewer) >= viewerLimit { return viewerLimit }
        guard let session = owner.session else { return nil }
        return open.count { $0.session == session } >= sessionLimit ? sessionLimit : nil
    }

    /// Reports a reload to the viewers, whose streams continue.
    package func reloaded(generation: UInt64) {
        let event = ServerSentEvent.bytes(
            "configuration", ObjectText.object { $0.add("generation", Int64(clamping: generation)) })
        for viewer in state.withLock({ $0.viewers }) { viewer.append(event) }
    }

    /// Ends all streams, and accepts no more viewers.
    package func close() {
        let viewers = state.withLock { state in
            state.isClosed = true
            return state.viewers
        }
        for viewer in viewers { viewer.end(.shutdown) }
    }

    /// The current number of viewers, and the events since the start of the process.
    package var reading: DecisionFeedReading {
        state.withLock { state in
            var reading = state.ended
            reading.viewers = state.viewers.count
            for viewer in state.viewers { reading.add(viewer.counts) }
            return reading
        }
    }

    private func remove(_ viewer: DecisionViewer) {
        state.withLock { state in
            guard let index = state.viewers.firstIndex(where: { $0 === viewer }) else { return }
            state.viewers.remove(at: index)
            state.ended.add(viewer.counts)
            distribute(state.viewers)
        }
    }
}
