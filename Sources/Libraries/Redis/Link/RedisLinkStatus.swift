internal import NIOConcurrencyHelpers

/// How a link is doing, for those who operate it.
public struct RedisLinkStatus: Sendable, Equatable, CustomStringConvertible {
    /// Where a link is in its life.
    public enum State: String, Sendable {
        /// Not started, or stopped.
        case stopped
        /// Making a connection, or asking what has to be asked first.
        case connecting
        /// Commands may be sent.
        case ready
        /// Waiting before the next attempt.
        case waiting
    }

    /// Where it is in its life.
    public var state: State
    /// The server that it is, or was last, connected to or tries to reach; a sentinel's while that is asked.
    public var endpoint: RedisEndpoint?
    /// What was wrong last, and what to do about it; nil while ready.
    public var problem: RedisProblem?
    /// Attempts in a row that failed.
    public var failures: Int
    /// When it became or ceased to be ready, in nanoseconds of the link's clock.
    public var since: UInt64

    /// A sentence for who operates the gateway, without any secret.
    public var description: String {
        let place = endpoint.map { " (\($0))" } ?? ""
        return state.rawValue + place + (problem.map { ": \($0)" } ?? "")
    }
}

/// The latest status of a link, readable from any thread.
public final class SharedRedisLinkStatus: Sendable {
    private let box = NIOLockedValueBox(
        RedisLinkStatus(state: .stopped, endpoint: nil, problem: RedisProblem(.notStarted), failures: 0, since: 0))

    init() {}

    /// As it is now.
    public var current: RedisLinkStatus { box.withLockedValue { $0 } }

    func update(_ change: (inout RedisLinkStatus) -> Void) { box.withLockedValue(change) }
}
