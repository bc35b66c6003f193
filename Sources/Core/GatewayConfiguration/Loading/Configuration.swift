package import GatewayCore

/// A validated configuration, immutable once loaded: the input of a snapshot.
///
/// Every value is within its documented bounds. The users of a value check what requires more than the configuration:
/// route patterns, files and servers.
package struct Configuration: Sendable, Equatable {
    /// The default path in an installation.
    package static let installedFile = "/etc/gatehouse/gatehouse.yaml"
    /// The default path in a checkout.
    package static let checkoutFile = "config/gatehouse.yaml"
    /// The default paths of the configuration file, in the order of preference. Where the gateway is installed, another
    /// user's file in the working directory must not select the admin listener that receives the operator's token.
    package static let defaultFiles = [installedFile, checkoutFile]

    /// Returns the first of ``defaultFiles`` that exists. `nil` if none does.
    ///
    /// A file that cannot be examined or read exists, so that another one does not replace it.
    package static func defaultFile(exists: (String) -> Bool = FileFingerprint.exists) -> String? {
        defaultFiles.first(where: exists)
    }

    /// The public listeners, 1 to 64. Default: `127.0.0.1:8080`.
    package var listen: [Listener] = [Listener(address: ListenAddress(host: "127.0.0.1", port: 8080))]
    /// The proxies that may report the client's address, 0 to 1,024 entries. Default: none.
    package var trustedProxies = TrustedNetworks()
    /// The number of event loops, 1 to 1024. Default: `nil`, one for each core.
    package var workers: Int?
    /// The listener for the decision of other proxies and services. Default: `nil`, disabled.
    package var decisions: Decisions?
    /// The limits on clients.
    package var limits = Limits()
    /// The shutdown of the process.
    package var drain = Drain()
    /// The reload of the configuration.
    package var reload = Reload()
    /// The admin listener.
    package var admin = Admin()
    /// The accepted identity providers.
    package var identity = Identity()
    /// The store of revocations. Default: `sqlite:gatehouse.db`.
    package var store = StoreLocation.sqlite(path: "gatehouse.db")
    /// The required freshness of revocations.
    package var revocation = Revocation()
    /// The gateway's own accounts and sessions. Default: `nil`, disabled.
    package var accounts: Accounts?
    /// The identity fields for upstreams.
    package var headers = IdentityHeaders()
    /// The rules for all routes with authentication (`rules`). Default: `nil`, none.
    package var rules: RulesFile?
    /// The upstreams in the order of the file, with unique names.
    package var upstreams: [Upstream] = []
    /// The routes in the order of the file, at least one.
    package var routes: [Route] = []
    /// The response fields of all routes and of the gateway's own responses (`response_headers`). Default: none.
    package var responseHeaders = ResponseHeaders()
    /// The handling of clients' trace context (`trace_context`). Default: accept.
    package var traceContext = TraceContext.accept
    /// Logging.
    package var log = Log()
    /// The export of traces and metrics (`telemetry`). Default: `nil`, disabled.
    package var telemetry: Telemetry?
    /// The warnings in the order of the file.
    package var warnings: [ConfigurationWarning] = []
    /// The SHA-256 of the file as written, before substitution. Empty without a file.
    package var digest: [UInt8] = []
    /// An error for those who open the store: there are two of them. Calls of the admin API do not need the store.
    package var storeConflict: ConfigurationError?

    /// Creates a configuration of defaults, without routes.
    package init() {}

    /// The providers with an authorization-code flow that the gateway runs. Empty without `accounts.public_url`.
    package var flowProviders: [Provider] {
        accounts?.publicURL == nil ? [] : identity.providers.filter { $0.codeFlow != nil }
    }

    /// The destinations of messages about changes of accounts: providers at which tokens are revoked, and `webhook` for
    /// events.
    package var outboxDestinations: [String] {
        flowProviders.filter { $0.codeFlow?.revokesTokens == true }.map(\.id)
            + (accounts?.webhook == nil ? [] : ["webhook"])
    }

    /// Whether messages about changes of accounts are delivered.
    package var hasOutbox: Bool { !outboxDestinations.isEmpty }

    /// Returns the upstream with that name, if any.
    package func upstream(named name: String) -> Upstream? {
        upstreams.first { $0.name == name }
    }
}
