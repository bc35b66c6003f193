extension Configuration {
    /// A service behind the gateway (`upstreams`).
    public struct Upstream: Sendable, Hashable {
        /// Its name: letters, digits, `-`, `_`, `.`, at most 64.
        public var name: String
        /// Where it runs (`servers`), 1 to 256, none twice.
        public var servers: [UpstreamServer]
        /// How long a connection may take to open (`connect_timeout`), 1 ms to 5 min. Default: 2 s.
        public var connectTimeout = Duration.seconds(2)
        /// From the request's last byte to the first byte of the answer (`response_timeout`), 1 ms to 1 d. Default: 60
        /// s.
        public var responseTimeout = Duration.seconds(60)
        /// Open connections per worker, to all servers together (`connections`), 1 to 65,536. Default: 256.
        public var connections = 256

        /// An upstream with the defaults of everything else.
        public init(name: String, servers: [UpstreamServer]) {
            self.name = name
            self.servers = servers
        }
    }

    /// One server of an upstream, spoken to in plain HTTP/1.1 (`http://HOST:PORT`).
    public struct UpstreamServer: Sendable, Hashable, CustomStringConvertible {
        /// An IPv4 or IPv6 address without brackets, or a name.
        public var host: String
        /// 1 to 65535.
        public var port: Int

        /// A server of parts that are known to be valid.
        public init(host: String, port: Int) {
            self.host = host
            self.port = port
        }

        /// `http://HOST:PORT`.
        public var description: String {
            "http://\(ListenAddress(host: host, port: port))"
        }
    }
}
