package import OutboundHTTP
package import GatewayCore
package import Revocation

/// Everything that the gateway's metrics are made of, as the gateway reads it from its parts.
package struct GatewayReadings: Sendable {
    /// One set of signing keys.
    package struct KeySet: Sendable {
        /// Its URL without a query.
        package var url: String
        /// Seconds since it was last fetched; nil before the first time.
        package var age: Double?
        /// How many keys it has.
        package var keys: Int
        /// How many fetches succeeded, and how many failed.
        package var fetches, failures: UInt64

        /// The state of a set.
        package init(url: String, age: Double?, keys: Int, fetches: UInt64, failures: UInt64) {
            self.url = url
            self.age = age
            self.keys = keys
            self.fetches = fetches
            self.failures = failures
        }
    }

    /// A certificate that a listener serves.
    package struct Certificate: Sendable {
        /// The listener's address, as configured.
        package var listener: String
        /// Its first DNS name.
        package var subject: String
        /// When it ends, in seconds since 1970.
        package var expiry: Int64

        /// A certificate.
        package init(listener: String, subject: String, expiry: Int64) {
            self.listener = listener
            self.subject = subject
            self.expiry = expiry
        }
    }

    /// The workers' numbers, added up.
    package var counters: CountersSnapshot
    /// What each route is called, by its index: its pattern. Routes of the same name are counted together.
    package var routes: [String]
    /// What each upstream is called, by its index.
    package var upstreams: [String]
    /// The key sets in use.
    package var keySets: [KeySet] = []
    /// Seconds since the store's view was last known to be complete; nil before the first time.
    package var storeAge: Double?
    /// Users and sessions in the store's view.
    package var storeUsers = 0, storeSessions = 0
    /// Records of the store that were invalid when they were last read.
    package var storeFaulty = 0
    /// Whether the store takes writes.
    package var storeIsWritable = true
    /// How a shared store is doing; nil: it is embedded.
    package var storeHealth: StoreHealth?
    /// What providers are asked about opaque tokens, in the order of the configuration.
    package var introspections: [LookupStatus] = []
    /// What Identity Toolkit is asked about accounts; nil: nothing.
    package var accountLookups: LookupStatus?
    /// The certificates of the listeners.
    package var certificates: [Certificate] = []
    /// How often they were read anew, and how often what was read was unfit.
    package var certificateRenewals: UInt64 = 0, certificateFailures: UInt64 = 0
    /// The servers of the upstreams, in the order of the configuration.
    package var upstreamServers: [UpstreamServerReading] = []
    /// Lines that the access log's writer lost.
    package var accessLogLost: UInt64 = 0
    /// Connections that the admin listener closed for want of room.
    package var adminClosed: UInt64 = 0
    /// Lines of the process log that were not written; `nil`: the process logs elsewhere.
    package var processLog: ProcessLog.Counts?
    /// How reloads have ended.
    package var reloads = ReloadOutcomes()
    /// The number of the configuration that is served.
    package var generation: UInt64 = 1
    /// Whether `/readyz` says so.
    package var isReady = false
    /// The insecure options that are on, by their configuration keys.
    package var insecureOptions: [String] = []
    /// How many workers there are.
    package var workers: Int
    /// Unix seconds when the process began to serve.
    package var startTime: Int64

    /// Readings whose other parts are absent.
    package init(
        counters: CountersSnapshot, routes: [String], upstreams: [String], workers: Int, startTime: Int64
    ) {
        self.counters = counters
        self.routes = routes
        self.upstreams = upstreams
        self.workers = workers
        self.startTime = startTime
    }
}

/// How reloads have ended so far.
package struct ReloadOutcomes: Sendable {
    package var accepted: UInt64 = 0
    package var refused: UInt64 = 0
    /// Why the last one was refused; nil: it was not.
    package var lastRefusal: String?

    package init() {}
}
