package import OutboundHTTP
package import GatewayCore
package import Revocation

/// The readings from which the gateway's metrics are computed.
package struct GatewayReadings: Sendable {
    /// One set of signing keys.
    package struct KeySet: Sendable {
        /// The URL without its query.
        package var url: String
        /// Seconds since the last fetch. `nil` before the first fetch.
        package var age: Double?
        /// The number of keys.
        package var keys: Int
        /// The numbers of successful and failed fetches.
        package var fetches, failures: UInt64
        /// Seconds until the next fetch. `nil` if none is planned.
        package var refreshIn: UInt64?
        /// Whether the last fetch failed.
        package var isFailing = false

        /// Creates the state of a set.
        package init(url: String, age: Double?, keys: Int, fetches: UInt64, failures: UInt64) {
            self.url = url
            self.age = age
            self.keys = keys
            self.fetches = fetches
            self.failures = failures
        }
    }

    /// A certificate served by a listener.
    package struct Certificate: Sendable {
        /// The listener's address, as configured.
        package var listener: String
        /// Its first DNS name.
        package var subject: String
        /// When it expires, in seconds since 1970.
        package var expiry: Int64

        /// Creates a certificate.
        package init(listener: String, subject: String, expiry: Int64) {
            self.listener = listener
            self.subject = subject
            self.expiry = expiry
        }
    }

    /// The sum of all workers' counters.
    package var counters: CountersSnapshot
    /// The pattern of each route, by index. Routes with the same pattern are counted together.
    package var routes: [String]
    /// The name of each upstream, by index.
    package var upstreams: [String]
    /// The names of the apps of App Check, by index.
    package var apps: [String] = []
    /// The key sets in use.
    package var keySets: [KeySet] = []
    /// Seconds since the store's view was last known to be complete. `nil` before the first time.
    package var storeAge: Double?
    /// The numbers of users and sessions in the store's view.
    package var storeUsers = 0, storeSessions = 0
    /// The number of store records that were invalid when last read.
    package var storeFaulty = 0
    /// Whether the store accepts writes.
    package var storeIsWritable = true
    /// The health of a shared store. `nil` for an embedded store.
    package var storeHealth: StoreHealth?
    /// The introspection of opaque tokens, by provider in the order of the configuration.
    package var introspections: [LookupStatus] = []
    /// The lookups at Identity Toolkit. `nil` if accounts are not looked up.
    package var accountLookups: LookupStatus?
    /// The calls that consume App Check tokens. `nil` if no route consumes them.
    package var appConsumptions: LookupStatus?
    /// The write-back of changes of users. `nil` if nothing is written back.
    package var writeBack: WriteBackStatus?
    /// The calls for each configured project of Firebase.
    package var firebaseCalls: [FirebaseCalls] = []
    /// The delivery of messages about changes of accounts. `nil` if nothing is delivered.
    package var outbox: OutboxStatus?
    /// The received security events.
    package var securityEvents: [SecurityEvents] = []
    package var eventPolls: [EventPolls] = []
    /// The certificates of the listeners.
    package var certificates: [Certificate] = []
    /// The numbers of successful and failed reloads of certificates.
    package var certificateRenewals: UInt64 = 0, certificateFailures: UInt64 = 0
    /// The servers of the upstreams, in the order of the configuration.
    package var upstreamServers: [UpstreamServerReading] = []
    /// Lines that the access log's writer failed to write.
    package var accessLogLost: UInt64 = 0
    /// Connections that the admin listener closed because of the limit.
    package var adminClosed: UInt64 = 0
    /// Lines of the process log that were not written. `nil` if the process does not use it.
    package var processLog: ProcessLog.Counts?
    /// The streams of decisions. `nil` without the admin listener.
    package var decisionFeed: DecisionFeedReading?
    /// The shared rate limits. `nil` before the first request with one.
    package var rateLimits: RateLimitReading?
    /// The export by OTLP. `nil` if it is disabled.
    package var telemetry: TelemetryReading?
    /// The outcomes of reloads.
    package var reloads = ReloadOutcomes()
    /// The number of the active configuration.
    package var generation: UInt64 = 1
    /// Whether `/readyz` reports readiness.
    package var isReady = false
    /// The enabled insecure options, by their configuration keys.
    package var insecureOptions: [String] = []
    /// The version of the program.
    package var version = "unknown"
    /// The resources of the process. `nil` where the system does not report them.
    package var usage: ProcessUsage?
    /// The number of workers.
    package var workers: Int
    /// When the process began to serve, in Unix seconds.
    package var startTime: Int64

    /// Creates readings whose other parts are absent.
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

/// The outcomes of all reloads.
package struct ReloadOutcomes: Sendable {
    package var accepted: UInt64 = 0
    package var refused: UInt64 = 0
    /// The reason why the last reload was rejected. `nil` if it was not.
    package var lastRefusal: String?
    /// When the last reload ended, in seconds since 1970. `nil` before the first one.
    package var lastTime: Int64?

    package init() {}
}
