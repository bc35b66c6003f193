/// Why there is no connection to Redis: what is wrong, and what to do about it. It holds nothing secret, and no text of a server that
/// might repeat a password.
public struct RedisProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: String, Sendable, CaseIterable {
        // Reaching it
        case notStarted = "not-started"
        case connecting
        case stopped
        case unreachable
        case connectTimedOut = "connect-timed-out"
        case closedByServer = "closed-by-server"
        case silent
        // TLS
        case certificateNotTrusted = "certificate-not-trusted"
        case certificateName = "certificate-name"
        case tls
        // Being let in
        case wrongPassword = "wrong-password"
        case passwordRequired = "password-required"
        case noPermission = "no-permission"
        case noDatabase = "no-database"
        // The server's state
        case loading
        case readOnly = "read-only"
        case masterDown = "master-down"
        case notMaster = "not-master"
        case cluster
        case refused
        // Sentinels
        case masterUnknown = "master-unknown"
        // What it sends
        case notRedis = "not-redis"
        case replyTooLarge = "reply-too-large"
        case unaskedReply = "unasked-reply"
        case misaligned
    }

    /// What is wrong.
    public let code: Code
    /// Where; nil where it is of no server.
    public var endpoint: RedisEndpoint?
    /// More about it, such as the system's error.
    public let detail: String?

    /// A problem of a server.
    public init(_ code: Code, at endpoint: RedisEndpoint? = nil, detail: String? = nil) {
        self.code = code
        self.endpoint = endpoint
        self.detail = detail
    }

    /// A sentence for who operates the gateway.
    public var description: String {
        let place = endpoint.map { "\($0): " } ?? ""
        let more = detail.map { " (\($0))" } ?? ""
        return place + code.explanation + more
    }
}

extension RedisProblem.Code {
    /// What it is, and what to do.
    public var explanation: String {
        switch self {
        case .notStarted: "not started"
        case .connecting: "connecting"
        case .stopped: "stopped"
        case .unreachable: "no connection can be made; check host, port and firewall, and that the server runs"
        case .connectTimedOut:
            "no answer while connecting; check host, port and firewall, and whether the server speaks TLS"
        case .closedByServer: "the server closed the connection; see its log, maxclients, and whether it speaks TLS"
        case .silent: "the server stopped answering; it is frozen, overloaded or cut off"
        case .certificateNotTrusted:
            "the certificate is not signed by a trusted authority or has expired; check the authority's file"
        case .certificateName: "the certificate does not name this host; connect by a name or address that it lists"
        case .tls: "TLS failed; check that the server speaks TLS and whether it asks for a client's certificate"
        case .wrongPassword: "the user or password is not accepted; check both, and that the user is on"
        case .passwordRequired: "the server asks for a password and none is configured"
        case .noPermission: "the user may not run a needed command; see the server's ACL LOG and the user's rules"
        case .noDatabase: "there is no database of this number, or the user may not select it"
        case .loading: "the server is loading its data; it will answer when it is done"
        case .readOnly: "the server is a read-only replica; connect to the master"
        case .masterDown: "the server is a replica that has lost its master"
        case .notMaster: "the server is not the master; a failover may be under way"
        case .cluster: "the server is part of a Redis Cluster and does not hold the key"
        case .refused: "the server refused a command that opens the connection"
        case .masterUnknown: "the sentinel knows no master of this name; check the name"
        case .notRedis: "what the server sends is not the protocol of Redis; check the port, and whether it speaks TLS"
        case .replyTooLarge: "the server sent a larger reply than is allowed"
        case .unaskedReply: "the server sent a reply that nobody asked for"
        case .misaligned:
            "a reply was lost, repeated or out of order; check what is between the gateway and the server"
        }
    }
}
