/// The PING frames by which one side of an HTTP/2 connection detects that its peer is gone, as a pure value.
///
/// Times are monotonic nanoseconds. All received bytes count as a response, because an acknowledgement may wait behind
/// a large frame of the peer.
package struct KeepAlive: Sendable {
    /// The times, in nanoseconds.
    package struct Limits: Sendable, Equatable {
        /// The time without received bytes after which a PING is sent.
        let interval: UInt64
        /// The time after a PING in which the peer must have sent bytes.
        let timeout: UInt64

        package init(interval: UInt64, timeout: UInt64) {
            self.interval = interval
            self.timeout = timeout
        }
    }

    /// The step of a connection.
    package enum Action: Equatable {
        case none
        case ping
        /// The peer did not respond.
        case close
    }

    private let limits: Limits?
    private var lastReceived: UInt64
    /// When the PING without a response was sent.
    private var pinged: UInt64?

    /// Creates the state of a connection. Without limits, no PING is sent.
    package init(_ limits: Limits?, now: UInt64) {
        self.limits = limits
        lastReceived = now
    }

    /// Handles received bytes.
    package mutating func received(now: UInt64) {
        lastReceived = now
        pinged = nil
    }

    /// Returns the step that is due.
    ///
    /// - Parameter mayPing: Whether a new PING may be sent. An earlier one must be answered in any case.
    package mutating func tick(now: UInt64, mayPing: Bool = true) -> Action {
        guard let limits else { return .none }
        if let pinged { return now > pinged &+ limits.timeout ? .close : .none }
        guard mayPing, now > lastReceived &+ limits.interval else { return .none }
        pinged = now
        return .ping
    }
}
