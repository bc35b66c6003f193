/// The limits of a stream: a tunnel, or a response of unlimited duration.
package struct StreamBounds: Sendable, Equatable {
    /// The maximum duration in nanoseconds (`max_stream`).
    var maximum: UInt64 = 3_600_000_000_000
    /// The time that a stream can outlive its token, in seconds (`stream_grace`).
    var grace: Int64 = 0
    /// The maximum time without bytes in either direction, in nanoseconds (`stream_idle_timeout`).
    package private(set) var idle: UInt64 = 600_000_000_000

    package init(maximum: UInt64 = 3_600_000_000_000, grace: Int64 = 0, idle: UInt64 = 600_000_000_000) {
        self.maximum = maximum
        self.grace = grace
        self.idle = idle
    }

    /// The maximum time for sending the end of a stream, in nanoseconds.
    package static let farewell: UInt64 = 1_000_000_000
    /// The age from which the permission of an ordinary exchange is watched, in nanoseconds: during its response, or
    /// while the body of its request is incomplete.
    package static let recheckAge: UInt64 = 10_000_000_000

    /// Limits with the same grace and no others.
    package var ofPermission: StreamBounds { StreamBounds(maximum: .max, grace: grace, idle: .max) }
}
