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

extension Configuration.Drain {
    init(_ mapping: MappingReader) {
        self.init()
        mapping.set(&delay, "delay") { $0.duration(in: .zero ... .minutes(10)) }
        mapping.set(&timeout, "timeout") { $0.duration(in: .zero ... .hours(1)) }
    }
}

extension Configuration.Reload {
    init(_ mapping: MappingReader) {
        self.init()
        mapping.set(&watch, "watch") { $0.duration(in: .milliseconds(100) ... .hours(1)) }
    }
}

extension Duration {
    static func minutes(_ count: Int) -> Duration { .seconds(count * 60) }
    static func hours(_ count: Int) -> Duration { .seconds(count * 3_600) }
    static func days(_ count: Int) -> Duration { .seconds(count * 86_400) }
}
