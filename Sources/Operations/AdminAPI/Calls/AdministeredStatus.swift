package import Observability

/// The state of a gateway in the admin API.
package struct AdministeredStatus: Sendable {
    /// The store of revocations.
    package struct Store: Sendable, Equatable {
        /// `sqlite`, `memory` or `redis`.
        package var kind: String
        /// Seconds since the gateway's view was last known to be complete. `nil` before its first read.
        package var age: Int64?
        /// Whether the store accepts writes.
        package var isWritable: Bool
        /// The numbers of users and sessions with a record.
        package var users, sessions: Int
        /// The current problem and its remedy, without credentials. `nil` without a problem.
        package var trouble: String?
        /// Whether the gateway receives changes of the store. `nil` for an embedded store.
        package var isConnected: Bool?

        /// Creates the state of a store.
        package init(
            kind: String, age: Int64?, isWritable: Bool, users: Int = 0, sessions: Int = 0, trouble: String? = nil,
            isConnected: Bool? = nil
        ) {
            self.kind = kind
            self.age = age
            self.isWritable = isWritable
            self.users = users
            self.sessions = sessions
            self.trouble = trouble
            self.isConnected = isConnected
        }
    }

    /// The version of the program.
    package var version: String
    /// The number of the active configuration.
    package var generation: UInt64
    /// When the process began to serve, in seconds since 1970.
    package var startedAt: Int64
    /// The conditions of readiness.
    package var checks: [ReadinessCheck]
    package var store: Store
    package var keySets: [AdministeredKeySet]
    /// The servers of all upstreams, in the order of the configuration.
    package var servers: [UpstreamServerReading]
    /// The certificates of the listeners.
    package var certificates: [GatewayReadings.Certificate]
    /// The numbers of open client connections, of current requests, and of open streams.
    package var connections, requestsInFlight, streams: Int64

    /// Creates a state.
    package init(
        version: String, generation: UInt64, startedAt: Int64, checks: [ReadinessCheck], store: Store,
        keySets: [AdministeredKeySet], servers: [UpstreamServerReading],
        certificates: [GatewayReadings.Certificate] = [], connections: Int64 = 0, requestsInFlight: Int64 = 0,
        streams: Int64 = 0
    ) {
        self.version = version
        self.generation = generation
        self.startedAt = startedAt
        self.checks = checks
        self.store = store
        self.keySets = keySets
        self.servers = servers
        self.certificates = certificates
        self.connections = connections
        self.requestsInFlight = requestsInFlight
        self.streams = streams
    }
}

/// The samples of a gateway in the admin API.
package struct AdministeredHistory: Sendable {
    /// The current time, and when the process began to serve, in seconds since 1970.
    package var now, startedAt: Int64
    package var report: HistoryReport

    /// Creates a document.
    package init(now: Int64, startedAt: Int64, report: HistoryReport) {
        self.now = now
        self.startedAt = startedAt
        self.report = report
    }
}
