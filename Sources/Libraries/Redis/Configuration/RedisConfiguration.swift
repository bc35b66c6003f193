/// The address, credentials and timeouts of a Redis connection.
///
/// The description contains no password.
public struct RedisConfiguration: Sendable {
    /// The way to find the server.
    public enum Location: Sendable, Equatable {
        /// A fixed server.
        case server(RedisEndpoint)
        /// The master with this name, as reported by the sentinels.
        case sentinels([RedisEndpoint], master: String)
        /// A sentinel itself, for queries about the master with this name.
        case sentinel(RedisEndpoint, master: String)
        /// The master of a Redis Cluster that serves the slot of the keyspace, as reported by these nodes.
        case cluster([RedisEndpoint], ClusterKeyspace)
        /// A node of a Redis Cluster itself, for queries about the master of the slot.
        case clusterNode(RedisEndpoint, ClusterKeyspace)
    }

    /// The way to find the server.
    public var location: Location
    /// The number of the database.
    public var database = 0
    /// The ACL user. If it is `nil` and there is a password, the user is `default`.
    public var username: String?
    /// The password of the server. `nil` if the server requires none.
    public var password: String?
    /// Credentials that change, in place of `username` and `password`. `nil` if they do not change.
    public var renewal: RenewedCredentials?
    /// The ACL user of the sentinels, which is independent of the servers' users.
    public var sentinelUsername: String?
    /// The password of the sentinels. `nil` if they require none.
    public var sentinelPassword: String?
    /// Whether connections to a replica (`REPLICAOF`) are rejected: a replica that is cut off from its master returns
    /// old data. With sentinels, and in a cluster, replicas are always rejected.
    public var refusesCopies = false
    /// The agreement of all links on one master. `nil` if each link finds the master itself.
    public var agreement: MasterAgreement?
    /// The counts of redirects in a Redis Cluster. `nil` if they are not counted.
    public var clusterActivity: ClusterActivity?
    /// The TLS settings for servers and sentinels. `nil` for plaintext connections.
    public var tls: RedisTLS?

    /// The timeout for the TCP connection, and again for TLS and the handshake commands.
    public var connectTimeout: Duration = .seconds(2)
    /// The time that the server may stay silent after the deadline of its oldest command before the connection is
    /// closed.
    public var replyTimeout: Duration = .seconds(1)
    /// The interval of the heartbeat, which also verifies the server's role if one is required.
    public var heartbeatInterval: Duration = .seconds(1)
    /// The maximum number of outstanding replies. Further commands fail at once.
    public var maximumInFlight = 4096
    /// The maximum size of unsent commands in bytes, and of a single command.
    public var maximumUnsentSize = 16 << 20
    /// The bounds on one reply.
    public var replyLimits = RedisReplyLimits.standard
    /// The interval of the queries to all sentinels, or to all masters of a cluster.
    public var sentinelInterval: Duration = .seconds(1)
    /// The time after which links are closed while fewer than half of the sentinels, or of the masters of a cluster,
    /// respond and name the same server.
    public var quorumLimit: Duration = .seconds(4)
    /// The delay between connection attempts.
    public var backoff = RedisBackoff()

    /// The place of all keys in a Redis Cluster. `nil` for a single server.
    public var keyspace: ClusterKeyspace? {
        if case .cluster(_, let keyspace) = location { keyspace } else { nil }
    }

    /// The bounds on one reply of a connection. In a cluster, the topology is such a reply.
    var connectionLimits: RedisReplyLimits {
        switch location {
        case .cluster, .clusterNode: replyLimits.including(.topology)
        case .server, .sentinels, .sentinel: replyLimits
        }
    }

    /// The credentials for the next authentication. `nil` if the server requires none, or before the first renewal.
    var credentials: RedisCredentials? {
        if let renewal { return renewal.current }
        return password.map { RedisCredentials(username: username, password: $0) }
    }

    /// Creates a configuration with default settings.
    public init(_ location: Location) {
        self.location = location
    }

    /// Creates a configuration for one server without a password.
    public init(host: String, port: Int = 6379) {
        self.init(.server(RedisEndpoint(host: host, port: port)))
    }
}

/// The address of a server or sentinel.
public struct RedisEndpoint: Sendable, Hashable, CustomStringConvertible {
    /// A host name or an IP address.
    public var host: String
    /// The port, from 1 to 65535.
    public var port: Int

    /// Creates an endpoint.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Creates an endpoint that a server reports. `nil` for bytes that are no host name or address, and for an invalid
    /// port. The host appears in logs.
    init?(host: UnsafeRawBufferPointer, port: Int64) {
        let isHost = host.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"):
                true
            default: ".-_:%".utf8.contains(byte)
            }
        }
        self.init(host: String(decoding: host, as: UTF8.self), port: Int(clamping: port))
        guard isHost, (1...255).contains(host.count), hasValidPort else { return nil }
    }

    /// Whether the port is from 1 to 65535.
    var hasValidPort: Bool { (1...65_535).contains(port) }

    /// `host:port`, with brackets around an IPv6 address.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension RedisConfiguration: CustomStringConvertible, CustomReflectable {
    /// The location as a URL, without credentials.
    public var description: String {
        let scheme = tls == nil ? "redis" : "rediss"
        return switch location {
        case .server(let server): "\(scheme)://\(server)/\(database)"
        case .sentinels(let sentinels, let master):
            "\(scheme)+sentinel://\(sentinels.map(\.description).joined(separator: ","))/\(master)/\(database)"
        case .sentinel(let sentinel, let master): "\(scheme)+sentinel://\(sentinel)/\(master)"
        case .cluster(let nodes, let keyspace):
            "\(scheme)+cluster://\(nodes.map(\.description).joined(separator: ","))/\(keyspace.tag)"
        case .clusterNode(let node, let keyspace): "\(scheme)+cluster://\(node)/\(keyspace.tag)"
        }
    }

    /// An empty mirror, so that `dump` does not show a password.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
