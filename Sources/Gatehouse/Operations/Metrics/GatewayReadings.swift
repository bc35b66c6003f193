/// Everything that the gateway's metrics are made of, as the gateway reads it from its parts.
public struct GatewayReadings: Sendable {
    /// One set of signing keys.
    public struct KeySet: Sendable {
        /// Its URL without a query.
        public var url: String
        /// Seconds since it was last fetched; nil before the first time.
        public var age: Double?
        /// How many keys it has.
        public var keys: Int
        /// How many fetches succeeded, and how many failed.
        public var fetches, failures: UInt64

        /// The state of a set.
        public init(url: String, age: Double?, keys: Int, fetches: UInt64, failures: UInt64) {
            self.url = url
            self.age = age
            self.keys = keys
            self.fetches = fetches
            self.failures = failures
        }
    }

    /// The workers' numbers, added up.
    public var counters: CountersSnapshot
    /// What each route is called, by its index: its pattern. Routes of the same name are counted together.
    public var routes: [String]
    /// What each upstream is called, by its index.
    public var upstreams: [String]
    /// The key sets in use.
    public var keySets: [KeySet] = []
    /// Seconds since the store's view was last known to be complete; nil before the first time.
    public var storeAge: Double?
    /// Users and sessions in the store's view.
    public var storeUsers = 0, storeSessions = 0
    /// Records of the store that were invalid when they were last read.
    public var storeFaulty = 0
    /// Whether the store takes writes.
    public var storeIsWritable = true
    /// How a shared store is doing; nil: it is embedded.
    public var storeHealth: StoreHealth?
    /// What providers are asked about opaque tokens, in the order of the configuration.
    public var introspections: [Introspection] = []
    /// What Identity Toolkit is asked about accounts; nil: nothing.
    public var accountLookups: AccountLookups?
    /// The certificates of the listeners.
    public var certificates: [Certificate] = []
    /// How often they were read anew, and how often what was read was unfit.
    public var certificateRenewals: UInt64 = 0, certificateFailures: UInt64 = 0
    /// The servers of the upstreams, in the order of the configuration.
    var upstreamServers: [UpstreamServerReading] = []
    /// Lines that the access log's writer lost.
    public var accessLogLost: UInt64 = 0
    /// Connections that the admin listener closed for want of room.
    var adminClosed: UInt64 = 0
    /// Lines of the process log that were not written; `nil`: the process logs elsewhere.
    public var processLog: ProcessLog.Counts?
    /// How reloads have ended.
    var reloads = ReloadAccount()
    /// The number of the configuration that is served.
    var generation: UInt64 = 1
    /// Whether `/readyz` says so.
    public var isReady = false
    /// The insecure options that are on, by their configuration keys.
    public var insecureOptions: [String] = []
    /// How many workers there are.
    public var workers: Int
    /// Unix seconds when the process began to serve.
    public var startTime: Int64

    /// Readings whose other parts are absent.
    public init(
        counters: CountersSnapshot, routes: [String], upstreams: [String], workers: Int, startTime: Int64
    ) {
        self.counters = counters
        self.routes = routes
        self.upstreams = upstreams
        self.workers = workers
        self.startTime = startTime
    }
}
