internal import NIOConcurrencyHelpers

/// The status of a link, for operators.
public struct RedisLinkStatus: Sendable, Equatable, CustomStringConvertible {
    /// The state of a link.
    public enum State: String, Sendable {
        /// Not started, or stopped.
        case stopped
        /// Opening a connection.
        case connecting
        /// Commands can be sent.
        case ready
        /// Waiting before the next attempt.
        case waiting
    }

    /// The state of the link.
    public var state: State
    /// The address of the current or last server, or of the sentinel during a lookup.
    public var endpoint: RedisEndpoint?
    /// The last problem and its remedy. `nil` while ready.
    public var problem: RedisProblem?
    /// The number of consecutive failures.
    public var failures: Int
    /// The time of the last change to or from `.ready`, in nanoseconds of the link's clock.
    public var since: UInt64

    /// A sentence for the operator, without secrets.
    public var description: String {
        let place = endpoint.map { " (\($0))" } ?? ""
        return state.rawValue + place + (problem.map { ": \($0)" } ?? "")
    }
}

/// The current status of a link, readable from any thread.
public final class SharedRedisLinkStatus: Sendable {
    private let box = NIOLockedValueBox(
        RedisLinkStatus(state: .stopped, endpoint: nil, problem: RedisProblem(.notStarted), failures: 0, since: 0))

    init() {}

    /// The current status.
    public var current: RedisLinkStatus { box.withLockedValue { $0 } }

    func update(_ change: (inout RedisLinkStatus) -> Void) { box.withLockedValue(change) }
}
