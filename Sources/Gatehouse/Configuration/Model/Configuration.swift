/// One checked configuration: immutable once loaded, the input of a snapshot.
///
/// Every value in it is within its documented bounds; what needs more than the configuration itself (route patterns,
/// the files and servers that it names) is checked by those who use it.
public struct Configuration: Sendable, Equatable {
    /// Where `gatehouse` looks for its configuration unless told otherwise.
    public static let defaultFile = "config/gatehouse.yaml"

    /// The public listeners, 1 to 64. Default: `127.0.0.1:8080`.
    public var listen: [Listener] = [Listener(address: ListenAddress(host: "127.0.0.1", port: 8080))]
    /// Whose word on the client's address counts, 0 to 1,024 entries. Default: nobody's.
    public var trustedProxies = TrustedNetworks()
    /// The number of event loops, 1 to 1024. Default: nil, one per core.
    public var workers: Int?
    /// What a client may cost.
    public var limits = Limits()
    /// How the process stops.
    public var drain = Drain()
    /// When the configuration is read again.
    public var reload = Reload()
    /// The admin listener.
    public var admin = Admin()
    /// Whose tokens count.
    public var identity = Identity()
    /// Where revocations are kept. Default: `sqlite:gatehouse.db`.
    public var store = StoreLocation.sqlite(path: "gatehouse.db")
    /// How fresh revocations must be.
    public var revocation = Revocation()
    /// The gateway's own accounts and sessions. Default: nil, there are none.
    public var accounts: Accounts?
    /// What the upstream is told about the user.
    public var headers = IdentityHeaders()
    /// The rules of every route that authenticates (`rules`). Default: nil, there are none.
    public var rules: RulesFile?
    /// The services behind the gateway, in the order of the file, each name once.
    public var upstreams: [Upstream] = []
    /// The routes, in the order of the file, at least one.
    public var routes: [Route] = []
    /// Answer fields of all routes and of the gateway's own answers (`response_headers`). Default: none.
    public var responseHeaders = ResponseHeaders()
    /// What happens to clients' trace context (`trace_context`). Default: accept.
    public var traceContext = TraceContext.accept
    /// What is logged.
    public var log = Log()
    /// What loads and should nevertheless be known, in the order of the file.
    public var warnings: [ConfigurationWarning] = []

    /// A configuration of defaults: it has no routes yet.
    public init() {}

    /// The upstream of that name.
    public func upstream(named name: String) -> Upstream? {
        upstreams.first { $0.name == name }
    }
}
