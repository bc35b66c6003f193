extension Configuration {
    /// The limits on clients (`limits`).
    package struct Limits: Sendable, Hashable {
        /// The maximum number of open client connections of the process (`connections`), 1 to 1,000,000. Default:
        /// 10,000.
        package var connections = 10_000
        /// The maximum number of connections of one IPv4 address or one IPv6 /64 network (`connections_per_address`),
        /// 1 to 1,000,000. Default: `nil`, a quarter of `connections`, at least 256.
        package var connectionsPerAddress: Int?
        /// The maximum size of a request head (`head_size`), 1 KiB to 1 MiB. Default: 64 KiB.
        package var headSize = 65_536
        /// The maximum number of fields of a request (`head_fields`), 1 to 4,096. Default: 128.
        package var headFields = 128
        /// The maximum size of a request body (`body_size`), 0 to 1 TiB. Default: `nil`, unlimited.
        package var bodySize: Int?
        /// The timeout from the first to the last byte of a head (`head_timeout`), 1 ms to 1 h. Default: 10 s.
        package var headTimeout = Duration.seconds(10)
        /// The timeout of the TLS handshake and the PROXY header together (`handshake_timeout`), 1 ms to 1 h.
        /// Default: 10 s.
        package var handshakeTimeout = Duration.seconds(10)
        /// The timeout between requests, and without progress of a body in either direction (`idle_timeout`), 1 ms to
        /// 1 d. Default: 75 s.
        package var idleTimeout = Duration.seconds(75)
        /// The minimum average rate of a request body after its first 10 s, in bytes per second (`body_rate`), 0 to 1
        /// GiB. 0 disables it. Default: 240.
        package var bodyRate = 240
        /// The timeout from the first byte of a head to the last byte of the response (`request_timeout`), 1 ms to 1
        /// d. Default: `nil`, unlimited.
        package var requestTimeout: Duration?

        /// The maximum duration of a stream (`max_stream`), 1 ms to 30 d. Default: 1 h.
        package var maxStream = Duration.seconds(3_600)
        /// The time that a stream can outlive its token (`stream_grace`), 0 to 1 h, in whole seconds. Default: 0.
        package var streamGrace = Duration.zero
        /// The maximum time of a stream without bytes in either direction (`stream_idle_timeout`), 1 ms to 1 d.
        /// Default: 10 min.
        package var streamIdleTimeout = Duration.seconds(600)
        /// The limits of HTTP/2 connections (`http2`).
        package var http2 = HTTP2()

        /// Creates the defaults.
        package init() {}
    }
}

extension Configuration.Limits {
    /// The limits of an HTTP/2 connection (`limits.http2`).
    package struct HTTP2: Sendable, Hashable {
        /// The maximum number of concurrent streams (`streams`), 1 to 1,000. Default: 100.
        package var streams = 100
        /// The bytes that a client may send ahead on a stream (`stream_window`), 64 KiB to 16 MiB. Default: 64 KiB.
        package var streamWindow = 65_536
        /// The bytes that a client may send ahead on all streams (`connection_window`), 64 KiB to 1 GiB. Default: 1
        /// MiB.
        package var connectionWindow = 1_048_576
        /// The maximum number of resets within 30 s (`resets`), 1 to 100,000. Default: 200.
        package var resets = 200
        /// The maximum number of control frames per second (`control_frames`), 10 to 100,000. Default: 200.
        package var controlFrames = 200
        /// The age from which a connection accepts no further streams (`max_connection_age`), 1 s to 30 d. Default: 1
        /// h. `nil` if there is no limit.
        package var maxConnectionAge: Duration? = Duration.seconds(3_600)
        /// The time without received bytes after which a PING is sent (`ping_interval`), 1 s to 1 d. Default: `nil`, no
        /// PING.
        package var pingInterval: Duration?
        /// The time after a PING in which the client must have sent bytes (`ping_timeout`), 100 ms to 1 h. Default: 20
        /// s.
        package var pingTimeout = Duration.seconds(20)

        /// Creates the defaults.
        package init() {}

        fileprivate init?(_ value: ConfigurationValue) {
            guard let mapping = value.mapping(.http2Limits) else { return nil }
            mapping.set(&streams, "streams") { $0.integer(in: 1...1_000) }
            mapping.set(&streamWindow, "stream_window") { $0.size(in: 65_536...16_777_216) }
            mapping.set(&connectionWindow, "connection_window") { $0.size(in: 65_536...1_073_741_824) }
            mapping.set(&resets, "resets") { $0.integer(in: 1...100_000) }
            mapping.set(&controlFrames, "control_frames") { $0.integer(in: 10...100_000) }
            mapping.set(&maxConnectionAge, "max_connection_age") { $0.duration(in: .seconds(1) ... .days(30)) }
            mapping.set(&pingInterval, "ping_interval") { $0.duration(in: Configuration.Limits.pingIntervals) }
            mapping.set(&pingTimeout, "ping_timeout") { $0.duration(in: Configuration.Limits.pingTimeouts) }
        }
    }
}

extension Configuration.Limits {
    /// The bounds of body sizes, here and in routes.
    static let bodySizes = 0...1_099_511_627_776
    /// The bounds of request timeouts, here, in upstreams and in routes.
    static let times = Duration.milliseconds(1)...Duration.days(1)
    /// The bounds of stream durations, and of the grace after the token's expiry, here and in routes.
    static let streamTimes = Duration.milliseconds(1)...Duration.days(30)
    static let graces = Duration.zero...Duration.hours(1)
    /// The bounds of the times of PING frames, here and in upstreams.
    static let pingIntervals = Duration.seconds(1)...Duration.days(1)
    static let pingTimeouts = Duration.milliseconds(100)...Duration.hours(1)

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
        mapping.set(&http2, "http2") { HTTP2($0) }
    }
}

extension Duration {
    static func minutes(_ count: Int) -> Duration { .seconds(count * 60) }
    static func hours(_ count: Int) -> Duration { .seconds(count * 3_600) }
    static func days(_ count: Int) -> Duration { .seconds(count * 86_400) }
}
