/// Where Redis is, as whom to speak to it, and how long to wait.
///
/// Its description shows no password.
public struct RedisConfiguration: Sendable {
    /// Where the data is.
    public enum Location: Sendable, Equatable {
        /// On this server.
        case server(RedisEndpoint)
        /// On the server that these sentinels call the master of that name.
        case sentinels([RedisEndpoint], master: String)
    }

    /// Where the data is.
    public var location: Location
    /// The number of the database.
    public var database = 0
    /// A user of the server's ACL; nil with a password: the user `default`.
    public var username: String?
    /// Nil: the server asks for none.
    public var password: String?
    /// A user of the sentinels' ACL, which is not the servers'.
    public var sentinelUsername: String?
    /// Nil: the sentinels ask for none.
    public var sentinelPassword: String?
    /// Whether a server that is, or has become, a copy of another (`REPLICAOF`) is left alone: what it says can be old, for as long as it is cut off
    /// from its master. With sentinels it always is.
    public var refusesCopies = false
    /// Nil: nothing is encrypted. Otherwise both servers and sentinels speak TLS.
    public var tls: RedisTLS?

    /// How long a connection may take to be made, and then how long TLS, password and the first answers may take.
    public var connectTimeout: Duration = .seconds(2)
    /// How long the server may stay silent beyond the time that its oldest command had, before the connection is given up.
    public var replyTimeout: Duration = .seconds(1)
    /// How often a connection asks whether the server is there, and whether it still is the master where that matters.
    public var heartbeatInterval: Duration = .seconds(1)
    /// The most commands that wait for replies; those beyond it fail at once.
    public var maximumInFlight = 4096
    /// The most bytes of commands that wait to be sent because the server does not take them, and the largest command of all.
    public var maximumUnsentSize = 16 << 20
    /// What a reply may cost.
    public var replyLimits = RedisReplyLimits.standard
    /// How long to wait before connecting again.
    public var backoff = RedisBackoff()

    /// Everything but the location has its default.
    public init(_ location: Location) {
        self.location = location
    }

    /// One server, without a password.
    public init(host: String, port: Int = 6379) {
        self.init(.server(RedisEndpoint(host: host, port: port)))
    }
}

/// Where a server or sentinel listens.
public struct RedisEndpoint: Sendable, Hashable, CustomStringConvertible {
    /// A name or an address.
    public var host: String
    /// From 1 to 65535.
    public var port: Int

    /// A host and a port.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Whether there can be such a port.
    var hasValidPort: Bool { (1...65_535).contains(port) }

    /// `host:port`, with brackets around an IPv6 address.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension RedisConfiguration: CustomStringConvertible, CustomReflectable {
    /// Where it is, and nothing secret.
    public var description: String {
        let scheme = tls == nil ? "redis" : "rediss"
        return switch location {
        case .server(let server): "\(scheme)://\(server)/\(database)"
        case .sentinels(let sentinels, let master):
            "\(scheme)+sentinel://\(sentinels.map(\.description).joined(separator: ","))/\(master)/\(database)"
        }
    }

    /// No children, lest a dump show a password.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
