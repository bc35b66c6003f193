extension Configuration.Upstream {
    /// The protocols to servers (`protocol`).
    package enum UpstreamProtocol: String, Sendable, Hashable, CaseIterable {
        case http1 = "http/1.1"
        /// HTTP/2 with TLS, negotiated by ALPN.
        case h2
        /// HTTP/2 without TLS, by prior knowledge (RFC 9113 section 3.3).
        case h2c

        /// Whether requests share connections.
        package var isMultiplexed: Bool { self != .http1 }
    }

    /// The settings of HTTP/2 to the servers (`http2`).
    package struct HTTP2: Sendable, Hashable {
        /// The maximum number of concurrent streams of a connection (`streams_per_connection`), 1 to 1,000. A server's
        /// SETTINGS_MAX_CONCURRENT_STREAMS may lower it. Default: 100.
        package var streamsPerConnection = 100
        /// The flow-control window of each stream for responses (`stream_window`), 64 KiB - 1 to 16 MiB. Default:
        /// 256 KiB.
        package var streamWindow = 262_144
        /// The flow-control window of a connection for responses (`connection_window`), 64 KiB - 1 to 64 MiB. Default:
        /// 1 MiB.
        package var connectionWindow = 1_048_576
        /// The age after which a connection receives no more requests (`connection_age`), 1 s to 1 d, with a jitter of
        /// a tenth. Default: 1 h.
        package var connectionAge = Duration.seconds(3_600)
        /// The time without received bytes after which a connection with requests is sent PING (`ping_interval`), 1 s
        /// to 1 d. Default: `nil`, no PING.
        package var pingInterval: Duration?
        /// The time after a PING in which the server must have sent bytes (`ping_timeout`), 100 ms to 1 h. Default: 20
        /// s.
        package var pingTimeout = Duration.seconds(20)

        /// The smallest window: the initial one of the protocol (RFC 9113 section 6.9.2).
        static let leastWindow = 65_535

        /// Creates the defaults.
        package init() {}
    }

    mutating func readProtocol(_ mapping: MappingReader) {
        mapping.set(&self.protocol, "protocol") { $0.choice() }
        mapping.set(&http2, "http2") { Self.http2($0) }
        if let value = mapping.value("http2"), !self.protocol.isMultiplexed {
            mapping.fail("http2", "\(value.name) without HTTP/2", "add protocol: h2 or h2c, or remove it")
        }
        switch self.protocol {
        case .http1: break
        case .h2:
            if let server = servers.first(where: { !$0.isSecure }) {
                mapping.fail(
                    "protocol", "protocol: h2 with \(server), which has no TLS", "write https://, or protocol: h2c")
            }
        case .h2c:
            if let server = servers.first(where: \.isSecure) {
                mapping.fail(
                    "protocol", "protocol: h2c with \(server), which has TLS", "write protocol: h2, or http://")
            }
        }
    }

    private static func http2(_ value: ConfigurationValue) -> HTTP2? {
        guard let section = value.mapping(.upstreamHTTP2) else { return nil }
        var http2 = HTTP2()
        section.set(&http2.streamsPerConnection, "streams_per_connection") { $0.integer(in: 1...1_000) }
        section.set(&http2.streamWindow, "stream_window") { $0.size(in: HTTP2.leastWindow...(16 << 20)) }
        section.set(&http2.connectionWindow, "connection_window") { $0.size(in: HTTP2.leastWindow...(64 << 20)) }
        section.set(&http2.connectionAge, "connection_age") { $0.duration(in: .seconds(1) ... .hours(24)) }
        section.set(&http2.pingInterval, "ping_interval") { $0.duration(in: Configuration.Limits.pingIntervals) }
        section.set(&http2.pingTimeout, "ping_timeout") { $0.duration(in: Configuration.Limits.pingTimeouts) }
        return http2
    }
}
