extension Configuration {
    /// What clients may cost (`limits`).
    package struct Limits: Sendable, Hashable {
        /// Open client connections of the process (`connections`), 1 to 1,000,000. Default: 10,000.
        package var connections = 10_000
        /// Those of one IPv4 address or one /64 network of IPv6 (`connections_per_address`), 1 to 1,000,000. Default: nil, a quarter of
        /// `connections`, at least 256.
        package var connectionsPerAddress: Int?
        /// Bytes of a request's head (`head_size`), 1 KiB to 1 MiB. Default: 64 KiB.
        package var headSize = 65_536
        /// Fields of a request's head (`head_fields`), 1 to 4,096. Default: 128.
        package var headFields = 128
        /// Bytes of a request's body (`body_size`), 0 to 1 TiB. Default: nil, no bound.
        package var bodySize: Int?
        /// From the first byte of a head to its last (`head_timeout`), 1 ms to 1 h. Default: 10 s.
        package var headTimeout = Duration.seconds(10)
        /// The TLS handshake and the PROXY header together (`handshake_timeout`), 1 ms to 1 h. Default: 10 s.
        package var handshakeTimeout = Duration.seconds(10)
        /// Between requests, and without progress of a body in either direction (`idle_timeout`), 1 ms to 1 d. Default:
        /// 75 s.
        package var idleTimeout = Duration.seconds(75)
        /// Bytes a second that a request's body must bring on average after its first 10 s (`body_rate`), 0 to 1 GiB. 0: any.
        /// Default: 240.
        package var bodyRate = 240
        /// From a head's first byte to the answer's last (`request_timeout`), 1 ms to 1 d. Default: nil, no bound.
        package var requestTimeout: Duration?

        /// How long a stream may be open (`max_stream`), 1 ms to 30 d. Default: 1 h.
        package var maxStream = Duration.seconds(3_600)
        /// How long a stream may outlive its token (`stream_grace`), 0 to 1 h; full seconds count. Default: 0.
        package var streamGrace = Duration.zero
        /// How long a stream may be without bytes in either direction (`stream_idle_timeout`), 1 ms to 1 d. Default: 10 min.
        package var streamIdleTimeout = Duration.seconds(600)

        /// The defaults.
        package init() {}
    }
}

extension Configuration.Limits {
    /// The bounds of a body's size, here and on a route.
    static let bodySizes = 0...1_099_511_627_776
    /// The bounds of the time limits of a request, here, on an upstream and on a route.
    static let times = Duration.milliseconds(1)...Duration.days(1)
    /// The bounds of how long a stream may be open, and of how long it may outlive its token, here and on a route.
    static let streamTimes = Duration.milliseconds(1)...Duration.days(30)
    static let graces = Duration.zero...Duration.hours(1)

    init(_ mapping: MappingReader) {
        self.init()
        mapping.set(&connections, "connections") { $0.integer(in: 1...1_000_000) }
        mapping.set(&connectionsPerAddress, "connections_per_address") { $0.integer(in: 1...1_000_000) }
        mapping.set(&headSize, "head_size") { $0.size(in: 1_024...1_048_576) }
        mapping.set(&headFields, "head_fields") { $0.integer(in: 1...4_096) }
        mapping.set(&bodySize, "body_size") { $0.size(in: Self.bodySizes) }
        mapping.set(&headTimeout, "head_timeout") { $0.duration(in: .milliseconds(1) ... .hours(1)) }
        mapping.set(&handshakeTimeout, "handshake_timeout") { $0.duration(in: .milliseconds(1) ... .hours(1)) }
        mapping.set(&idleTimeout, "idle_timeout") { $0.duration(in: Self.times) }
        mapping.set(&bodyRate, "body_rate") { $0.size(in: 0...1_073_741_824) }
        mapping.set(&requestTimeout, "request_timeout") { $0.duration(in: Self.times) }
        mapping.set(&maxStream, "max_stream") { $0.duration(in: Self.streamTimes) }
        mapping.set(&streamGrace, "stream_grace") { $0.duration(in: Self.graces) }
        mapping.set(&streamIdleTimeout, "stream_idle_timeout") { $0.duration(in: Self.times) }
    }
}

extension Duration {
    static func minutes(_ count: Int) -> Duration { .seconds(count * 60) }
    static func hours(_ count: Int) -> Duration { .seconds(count * 3_600) }
    static func days(_ count: Int) -> Duration { .seconds(count * 86_400) }
}
