package import GatewayConfiguration
import GatewayCore
import HTTPServer
import NIOCore

/// The settings of one upstream; times in nanoseconds. Created with its snapshot, including the contents of its files.
package struct UpstreamSettings: Sendable {
    /// One configured server.
    package struct Server: Sendable {
        /// The URL as spelled in the configuration.
        package let url: String
        /// A name or an address. Empty for a Unix socket.
        package let host: String
        package let port: Int
        let weight: Int
        /// The address. `nil` if a name must be resolved.
        let address: SocketAddress?
        /// The name that its certificate must contain. `nil` without TLS, or if the certificate must contain the
        /// address.
        let tlsName: String?
        let isSecure: Bool

        var isName: Bool { address == nil }
    }

    package let name: String
    /// The index of the upstream's metrics.
    package let counterPlace: Int
    package let servers: [Server]
    let connectTimeout: UInt64
    package let responseTimeout: UInt64
    /// The maximum number of connections of one worker, for all servers together.
    package let connections: Int
    /// The maximum number of one worker's requests that wait for a connection.
    let pending: Int
    /// The interval at which names are resolved again.
    let resolveEvery: UInt64
    let choice: UpstreamServers.Rule
    /// The value by which the server is chosen. `nil` if the choice does not depend on the request.
    package let hashOn: BalanceValue?
    package let health: Configuration.Upstream.HealthCheck?
    let retry: UpstreamRetry
    package let `protocol`: Configuration.Upstream.UpstreamProtocol
    /// The settings of HTTP/2. Unused with HTTP/1.1.
    let http2: HTTP2Limits
    /// TLS to its `https://` servers. `nil` without such servers.
    let tls: UpstreamTLS?
    /// The identity for comparing snapshots. It is equal if the upstream is unchanged.
    let identity: UpstreamIdentity

    /// The timeout of idle connections. It is below the usual 60 s of servers, so that the gateway closes first.
    static let idleTimeout: UInt64 = 50_000_000_000
    /// The maximum number of unreachable servers that are tried for one request.
    static let connectAttempts = 3
    /// The maximum number of addresses used per name.
    static let addressesEach = 64
}

extension UpstreamSettings: Equatable {
    package static func == (left: UpstreamSettings, right: UpstreamSettings) -> Bool {
        left.counterPlace == right.counterPlace && left.identity == right.identity
    }
}

/// The settings of HTTP/2 to the servers of an upstream.
struct HTTP2Limits: Sendable {
    let streamsPerConnection: Int
    /// The flow-control windows, in bytes.
    let streamWindow: Int
    let connectionWindow: Int
    /// The age after which a connection receives no more streams.
    let connectionAge: Duration
    /// When a silent server is sent PING, and disconnected. `nil` if it is not.
    let keepAlive: KeepAlive.Limits?

    /// The maximum size of a response's field list, in bytes. A longer one ends the connection, so it is far above the
    /// limit of a response's head, which ends one request.
    static let fieldListSize = 1_048_576
}

/// The identity of an upstream's settings: its configuration and the bytes of its files.
struct UpstreamIdentity: Hashable, Sendable {
    let configuration: Configuration.Upstream
    let files: [[UInt8]]

    init(_ configuration: Configuration.Upstream, files: [[UInt8]]) {
        var configuration = configuration
        // The location in the configuration file is irrelevant.
        configuration.tls.location = SourceLocation(origin: "upstreams")
        self.configuration = configuration
        self.files = files
    }
}

/// The conditions for retries.
struct UpstreamRetry: Sendable {
    /// The reason for a retry.
    enum Reason: Int, CaseIterable, Sendable {
        case reset, status, timeout
    }

    /// Whether other servers are tried if one is unreachable.
    var onConnect = true
    var onReset = true
    var onTimeout = false
    /// The statuses that cause a retry.
    var statuses: [Int] = []
    var attempts = 1
    /// The budget in percent of all requests.
    var budget = 20

    static let none = UpstreamRetry(onConnect: false, onReset: false, attempts: 0, budget: 0)

    /// Whether the status is checked before a response is passed on.
    var retriesOnStatus: Bool { !statuses.isEmpty }

    func covers(_ reason: Reason) -> Bool {
        switch reason {
        case .reset: onReset
        case .status: retriesOnStatus
        case .timeout: onTimeout
        }
    }
}

/// One address of one server, to which requests are sent.
package struct UpstreamEndpoint: Hashable, Sendable {
    /// The index of the server in the settings.
    package let server: Int
    /// `nil` if the server's name is not resolved yet; each connection then resolves it.
    let address: SocketAddress?
}
