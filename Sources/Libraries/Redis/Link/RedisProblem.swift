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
        case noPermission = "no-permission"
        case noDatabase = "no-database"
        // State of the server
        case loading
        case readOnly = "read-only"
        case masterDown = "master-down"
        case notMaster = "not-master"
        case cluster
        case refused
        // Sentinels
        case masterUnknown = "master-unknown"
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
            self.init(.unreachable, at: endpoint, detail: "the host's name has no address")
        }
    }

    private init(_ error: NIOSSLError, at endpoint: RedisEndpoint) {
        // swift-nio-ssl distinguishes these errors only by their text.
        let text = String(describing: error)
        if text.contains("CERTIFICATE_VERIFY_FAILED") {
            self.init(.certificateNotTrusted, at: endpoint)
        } else if text.contains("WRONG_VERSION_NUMBER") {
            self.init(.tls, at: endpoint, detail: "what it answers is not TLS")
        } else if text.contains("CERTIFICATE_REQUIRED") {
            self.init(.tls, at: endpoint, detail: "it asks for a client's certificate")
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
        case .timedOut: "Redis did not answer in time"
        case .overloaded: "too many commands wait for Redis"
        case .connectionLost(let problem): "the connection to Redis was lost: \(problem)"
        case .closed: "the connection to Redis is closed"
        }
    }
}
