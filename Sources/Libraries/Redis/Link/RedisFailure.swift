/// Why a command got no reply. A refusal of the server is a reply.
public enum RedisFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is no connection now; nothing was sent.
    case notConnected(RedisProblem)
    /// No reply came in time. Whether the command was executed, or will be, is unknown.
    case timedOut
    /// Too many commands wait already; nothing was sent.
    case overloaded
    /// The connection ended before the reply. Whether the command was executed is unknown.
    case connectionLost(RedisProblem)
    /// The link was stopped. Whether the command was executed is unknown.
    case closed

    /// Whether the command certainly did not reach the server.
    public var wasNotSent: Bool {
        switch self {
        case .notConnected, .overloaded: true
        case .timedOut, .connectionLost, .closed: false
        }
    }

    /// What happened, without any secret.
    public var description: String {
        switch self {
        case .notConnected(let problem): "not connected to Redis: \(problem)"
        case .timedOut: "Redis did not answer in time"
        case .overloaded: "too many commands wait for Redis"
        case .connectionLost(let problem): "the connection to Redis was lost: \(problem)"
        case .closed: "the connection to Redis is closed"
        }
    }
}
