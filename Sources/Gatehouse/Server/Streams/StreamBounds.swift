/// The bounds of a stream: a tunnel, or an answer that goes on for as long as both sides like.
struct StreamBounds: Sendable, Equatable {
    /// How long it may be open, in nanoseconds (`max_stream`).
    var maximum: UInt64 = 3_600_000_000_000
    /// How long it may outlive its token, in seconds (`stream_grace`).
    var grace: Int64 = 0
    /// How long it may be without bytes in either direction, in nanoseconds (`stream_idle_timeout`).
    var idle: UInt64 = 600_000_000_000

    /// How long the end of a stream may take to be sent, in nanoseconds.
    static let farewell: UInt64 = 1_000_000_000
    /// From which age on an exchange that is no stream is watched for its permission, in nanoseconds: of its answer, or of a request whose body
    /// is still open.
    static let lasting: UInt64 = 10_000_000_000

    /// The same grace, and nothing else that ends it.
    var ofPermission: StreamBounds { StreamBounds(maximum: .max, grace: grace, idle: .max) }
}
