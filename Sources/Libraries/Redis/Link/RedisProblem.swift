internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// The reason that there is no connection to Redis, and its remedy. It contains no secrets and no text of the server,
/// which might repeat a password.
public struct RedisProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of problem.
    public enum Code: String, Sendable, CaseIterable {
        // Connecting
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
        // Authentication and authorization
        case wrongPassword = "wrong-password"
        case passwordRequired = "password-required"
        case noCredentials = "no-credentials"
        case noPermission = "no-permission"
        case noDatabase = "no-database"
        // State of the server
        case loading
        case readOnly = "read-only"
        case masterDown = "master-down"
        case notMaster = "not-master"
        case cluster
        case notCluster = "not-cluster"
        case slotMoved = "slot-moved"
        case clusterDown = "cluster-down"
        case refused
        // Sentinels
        case masterUnknown = "master-unknown"
        case anotherMaster = "another-master"
        case noQuorum = "no-quorum"
        // Protocol
        case notRedis = "not-redis"
        case replyTooLarge = "reply-too-large"
        case unaskedReply = "unasked-reply"
        case misaligned
    }

    /// The kind of problem.
    public let code: Code
    /// The address of the server or sentinel. `nil` if the problem concerns neither.
    public var endpoint: RedisEndpoint?
    /// Details, such as the system's error.
    public let detail: String?

    /// Creates a problem.
    public init(_ code: Code, at endpoint: RedisEndpoint? = nil, detail: String? = nil) {
        self.code = code
        self.endpoint = endpoint
        self.detail = detail
    }

    /// A sentence for the operator.
    public var description: String {
        let place = endpoint.map { "\($0): " } ?? ""
        let more = detail.map { " (\($0))" } ?? ""
        return place + code.explanation + more
    }
}

extension RedisProblem.Code {
    /// The problem and its remedy.
    public var explanation: String {
        switch self {
        case .notStarted: "not started"
        case .connecting: "connecting"
        case .stopped: "stopped"
        case .unreachable: "the connection failed; check host, port and firewall, and that the server is running"
        case .connectTimedOut:
            "the connection attempt timed out; check host, port and firewall, and whether the server uses TLS"
        case .closedByServer: "the server closed the connection; check its log, maxclients, and whether it uses TLS"
        case .silent: "the server stopped responding; it is frozen, overloaded or unreachable"
        case .certificateNotTrusted:
            "the certificate is not signed by a trusted authority or has expired; check the file of authorities"
        case .certificateName: "the certificate is not valid for this host; connect by a name or address that it lists"
        case .tls:
            "the TLS handshake failed; check that the server uses TLS, and whether it requires a client certificate"
        case .wrongPassword: "the server rejected the user or password; check both, and that the user is enabled"
        case .passwordRequired: "the server requires a password, but none is configured"
        case .noCredentials:
            "there is no valid password yet; check password_file, password_command or credentials of the store"
        case .noPermission:
            "the user lacks permission for a required command; check the server's ACL LOG and the user's rules"
        case .noDatabase: "the database number does not exist, or the user lacks permission to select it"
        case .loading: "the server is loading its data; it will accept commands afterwards"
        case .readOnly: "the server is a read-only replica; connect to the master"
        case .masterDown: "the server is a replica without a connection to its master"
        case .notMaster: "the server is not the master; a failover may be in progress"
        case .cluster:
            "the server is part of a Redis Cluster and does not store the key; configure redis+cluster:// in `store`"
        case .notCluster: "the server is not part of a Redis Cluster; check the nodes, and the scheme of the URL"
        case .slotMoved: "the node does not serve the hash slot of the store; the slot may have just been moved"
        case .clusterDown:
            "the Redis Cluster is down, or no master serves the hash slot of the store; check CLUSTER INFO at its nodes"
        case .refused: "the server rejected a command of the handshake"
        case .masterUnknown: "the sentinel knows no master of this name; check the name"
        case .anotherMaster: "the sentinels, or the masters of the cluster, name another master"
        case .noQuorum:
            "fewer than half of the sentinels, or of the masters of the cluster, respond and agree, so the server may have been replaced; check them and the network"
        case .notRedis: "the server does not use the Redis protocol; check the port, and whether it uses TLS"
        case .replyTooLarge: "the server sent a reply above the size limit"
        case .unaskedReply: "the server sent an unrequested reply"
        case .misaligned:
            "a reply was lost, repeated or out of order; check proxies between the gateway and the server"
        }
    }
}

extension RedisProblem {
    /// Classifies an error of the channel.
    init(_ error: any Error, at endpoint: RedisEndpoint, isEncrypted: Bool) {
        switch error {
        case let error as NIOConnectionError: self.init(error, at: endpoint)
        case ChannelError.connectTimeout: self.init(.connectTimedOut, at: endpoint)
        case let error as IOError: self.init(.closedByServer, at: endpoint, detail: error.shortText)
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            self.init(.certificateName, at: endpoint)
        case let error as NIOSSLError: self.init(error, at: endpoint)
        default: self.init(isEncrypted ? .tls : .closedByServer, at: endpoint)
        }
    }

    private init(_ error: NIOConnectionError, at endpoint: RedisEndpoint) {
        if let failure = error.connectionErrors.first?.error {
            let detail = (failure as? IOError)?.shortText
            self.init(failure is ChannelError ? .connectTimedOut : .unreachable, at: endpoint, detail: detail)
        } else {
            self.init(.unreachable, at: endpoint, detail: "the host name has no address")
        }
    }

    private init(_ error: NIOSSLError, at endpoint: RedisEndpoint) {
        // swift-nio-ssl distinguishes these errors only by their text.
        let text = String(describing: error)
        if text.contains("CERTIFICATE_VERIFY_FAILED") {
            self.init(.certificateNotTrusted, at: endpoint)
        } else if text.contains("WRONG_VERSION_NUMBER") {
            self.init(.tls, at: endpoint, detail: "the response is not TLS")
        } else if text.contains("CERTIFICATE_REQUIRED") {
            self.init(.tls, at: endpoint, detail: "the server requires a client certificate")
        } else {
            self.init(.tls, at: endpoint)
        }
    }
}

extension IOError {
    fileprivate var shortText: String { "errno \(errnoCode)" }
}

/// The reason that a command received no reply. An error of the server is a reply.
public enum RedisFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is no connection. The command was not sent.
    case notConnected(RedisProblem)
    /// No reply arrived in time. The server may or may not have executed the command.
    case timedOut
    /// Too many commands are pending. The command was not sent.
    case overloaded
    /// The connection closed before the reply. The server may or may not have executed the command.
    case connectionLost(RedisProblem)
    /// The link was stopped. The server may or may not have executed the command.
    case closed

    /// Whether the command certainly did not reach the server.
    public var wasNotSent: Bool {
        switch self {
        case .notConnected, .overloaded: true
        case .timedOut, .connectionLost, .closed: false
        }
    }

    /// The failure, without secrets.
    public var description: String {
        switch self {
        case .notConnected(let problem): "not connected to Redis: \(problem)"
        case .timedOut: "Redis did not reply in time"
        case .overloaded: "too many commands are pending"
        case .connectionLost(let problem): "the connection to Redis was lost: \(problem)"
        case .closed: "the connection to Redis is closed"
        }
    }
}
