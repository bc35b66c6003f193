internal import NIOConcurrencyHelpers

/// The redirects of a process in a Redis Cluster, and the age of its topology, for operators.
public final class ClusterActivity: Sendable {
    /// A kind of redirect.
    public enum Kind: String, Sendable, CaseIterable {
        /// Another node serves the slot (`MOVED`).
        case moved
        /// The next node of a slot that is being moved has the key (`ASK`).
        case ask
        /// The keys of a command are at two nodes (`TRYAGAIN`).
        case tryAgain = "try_again"
        /// The cluster is down (`CLUSTERDOWN`).
        case down
    }

    private struct State {
        var redirects: [Kind: UInt64] = [:]
        var confirmedAt: UInt64?
    }

    private let state = NIOLockedValueBox(State())

    /// Creates an activity without redirects.
    public init() {}

    /// The number of redirects by kind, all kinds that occurred.
    public var redirects: [Kind: UInt64] { state.withLockedValue { $0.redirects } }

    /// The time when at least half of the masters last reported their topology, in nanoseconds of the links' clock.
    /// `nil` before the first time.
    public var confirmedAt: UInt64? { state.withLockedValue { $0.confirmedAt } }

    func record(_ redirect: ClusterRedirect) {
        let kind: Kind =
            switch redirect {
            case .moved: .moved
            case .ask: .ask
            case .tryAgain: .tryAgain
            case .down: .down
            }
        state.withLockedValue { $0.redirects[kind, default: 0] += 1 }
    }

    func confirm(at now: UInt64) {
        state.withLockedValue { $0.confirmedAt = now }
    }
}
