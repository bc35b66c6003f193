/// The bounds of a stream: a tunnel, or an answer that goes on for as long as both sides like.
package struct StreamBounds: Sendable, Equatable {
    /// How long it may be open, in nanoseconds (`max_stream`).
    var maximum: UInt64 = 3_600_000_000_000
    /// How long it may outlive its token, in seconds (`stream_grace`).
    var grace: Int64 = 0
    /// How long it may be without bytes in either direction, in nanoseconds (`stream_idle_timeout`).
    var idle: UInt64 = 600_000_000_000

    package init(maximum: UInt64 = 3_600_000_000_000, grace: Int64 = 0, idle: UInt64 = 600_000_000_000) {
        self.maximum = maximum
        self.grace = grace
        self.idle = idle
    }

    /// How long the end of a stream may take to be sent, in nanoseconds.
    package static let farewell: UInt64 = 1_000_000_000
    /// From which age on an exchange that is no stream is watched for its permission, in nanoseconds: of its answer, or of a request whose body
    /// is still open.
    package static let lasting: UInt64 = 10_000_000_000

    /// The same grace, and nothing else that ends it.
    package var ofPermission: StreamBounds { StreamBounds(maximum: .max, grace: grace, idle: .max) }
}
