package import GatewayConfiguration
import GatewayCore
import NIOCore

/// One upstream as requests see it; times in nanoseconds. Built with its snapshot, with what its files hold.
package struct UpstreamSettings: Sendable {
    /// One of its servers, as it is configured.
    package struct Server: Sendable {
        /// As the configuration spells it.
        package let url: String
        /// A name or an address; empty for a socket of this machine.
        let host: String
        let port: Int
        let weight: Int
        /// Where it is, where that is known without resolving a name.
        let address: SocketAddress?
        /// The name that its certificate must bear; nil: it is not reached over TLS, or by its address.
        let tlsName: String?
        let isSecure: Bool

        var isName: Bool { address == nil }
    }

    package let name: String
    /// Its place in the counters.
    package let counterPlace: Int
    package let servers: [Server]
    let connectTimeout: UInt64
    package let responseTimeout: UInt64
    /// The most connections of one worker, all servers together.
    package let connections: Int
    /// The most requests of one worker that wait for a connection.
    let pending: Int
    /// How names are resolved again.
    let resolveEvery: UInt64
    let choice: UpstreamServers.Rule
    /// What the server is chosen by; nil: nothing of the request.
    package let hashOn: BalanceValue?
    package let health: Configuration.Upstream.HealthCheck?
    let retry: UpstreamRetry
    /// TLS to its `https://` servers; nil: it has none.
    let tls: UpstreamTLS?
    /// What it is made of: equal for two snapshots where nothing of it has changed.
    let identity: UpstreamIdentity

    /// How long a connection is kept without a request: below the usual 60 s of servers, so that we close first.
    static let idleTimeout: UInt64 = 50_000_000_000
    /// How many servers are tried for one request when they cannot be reached.
    static let connectAttempts = 3
    /// The most addresses of one name that are used.
    static let addressesEach = 64
}

extension UpstreamSettings: Equatable {
    package static func == (left: UpstreamSettings, right: UpstreamSettings) -> Bool {
        left.counterPlace == right.counterPlace && left.identity == right.identity
    }
}

/// What an upstream's settings are made of: its configuration and the bytes of its files.
struct UpstreamIdentity: Hashable, Sendable {
    let configuration: Configuration.Upstream
    let files: [[UInt8]]

    init(_ configuration: Configuration.Upstream, files: [[UInt8]]) {
        var configuration = configuration
        // Where it stands in its file does not matter.
        configuration.tls.location = SourceLocation(origin: "upstreams")
        self.configuration = configuration
        self.files = files
    }
}

/// When a request may be sent once more.
struct UpstreamRetry: Sendable {
    /// Why it would be.
    enum Reason: Int, CaseIterable, Sendable {
        case reset, status, timeout
    }

    /// Whether other servers are tried when one cannot be reached.
    var onConnect = true
    var onReset = true
    var onTimeout = false
    /// The statuses after which it is.
    var statuses: [Int] = []
    var attempts = 1
    /// Percent of all requests.
    var budget = 20

    static let none = UpstreamRetry(onConnect: false, onReset: false, attempts: 0, budget: 0)

    /// Whether answers are looked at before they are passed on.
    var looksAtAnswers: Bool { !statuses.isEmpty }

    func covers(_ reason: Reason) -> Bool {
        switch reason {
        case .reset: onReset
        case .status: looksAtAnswers
        case .timeout: onTimeout
        }
    }
}

/// A place that requests are sent to: one address of one server.
package struct UpstreamEndpoint: Hashable, Sendable {
    /// The server's place in the settings.
    package let server: Int
    /// Nil: the server's name has not been resolved yet; each connection resolves it.
    let address: SocketAddress?
}
