package import GatewayCore

/// One checked configuration: immutable once loaded, the input of a snapshot.
///
/// Every value in it is within its documented bounds; what needs more than the configuration itself (route patterns,
/// the files and servers that it names) is checked by those who use it.
package struct Configuration: Sendable, Equatable {
    /// Where `gatehouse` looks for its configuration unless told otherwise.
    package static let defaultFile = "config/gatehouse.yaml"

    /// The public listeners, 1 to 64. Default: `127.0.0.1:8080`.
    package var listen: [Listener] = [Listener(address: ListenAddress(host: "127.0.0.1", port: 8080))]
    /// Whose word on the client's address counts, 0 to 1,024 entries. Default: nobody's.
    package var trustedProxies = TrustedNetworks()
    /// The number of event loops, 1 to 1024. Default: nil, one per core.
    package var workers: Int?
    /// What a client may cost.
    package var limits = Limits()
    /// How the process stops.
    package var drain = Drain()
    /// When the configuration is read again.
    package var reload = Reload()
    /// The admin listener.
    package var admin = Admin()
    /// Whose tokens count.
    package var identity = Identity()
    /// Where revocations are kept. Default: `sqlite:gatehouse.db`.
    package var store = StoreLocation.sqlite(path: "gatehouse.db")
    /// How fresh revocations must be.
    package var revocation = Revocation()
    /// The gateway's own accounts and sessions. Default: nil, there are none.
    package var accounts: Accounts?
    /// What the upstream is told about the user.
    package var headers = IdentityHeaders()
    /// The rules of every route that authenticates (`rules`). Default: nil, there are none.
    package var rules: RulesFile?
    /// The services behind the gateway, in the order of the file, each name once.
    package var upstreams: [Upstream] = []
    /// The routes, in the order of the file, at least one.
    package var routes: [Route] = []
    /// Answer fields of all routes and of the gateway's own answers (`response_headers`). Default: none.
    package var responseHeaders = ResponseHeaders()
    /// What happens to clients' trace context (`trace_context`). Default: accept.
    package var traceContext = TraceContext.accept
    /// What is logged.
    package var log = Log()
    /// What loads and should nevertheless be known, in the order of the file.
    package var warnings: [ConfigurationWarning] = []

    /// A configuration of defaults: it has no routes yet.
    package init() {}

    /// The upstream of that name.
    package func upstream(named name: String) -> Upstream? {
        upstreams.first { $0.name == name }
    }
}
