package import GatewayCore

/// The health of a store with other writers, for operators.
package struct StoreHealth: Sendable, Equatable {
    /// The number of complete readings for one reason.
    package struct Readings: Sendable, Equatable {
        /// `start`, `gap` or `hourly`.
        package var reason: String
        /// The number of readings.
        package var count: UInt64

        /// Creates a count.
        package init(reason: String, count: UInt64) {
            self.reason = reason
            self.count = count
        }
    }

    /// The renewals of credentials that change.
    package struct Credentials: Sendable, Equatable {
        /// The number of successful renewals since the start.
        package var renewals: UInt64 = 0
        /// The number of failed renewals since the start.
        package var failures: UInt64 = 0
        /// The time at which the current credentials expire. `nil` if it is unknown, or without credentials.
        package var expires: UnixTime?
        /// The reason that the last renewal failed, without secrets. `nil` if it succeeded.
        package var failing: String?

        /// Creates credentials that were not renewed yet.
        package init() {}
    }

    /// The state of a Redis Cluster.
    package struct Cluster: Sendable, Equatable {
        /// The number of redirected commands by kind.
        package var redirects: [Readings]
        /// The time since at least half of the masters reported their topology, in seconds. `nil` before the first
        /// time.
        package var topologyAge: Double?

        /// Creates a state.
        package init(redirects: [Readings], topologyAge: Double?) {
            self.redirects = redirects
            self.topologyAge = topologyAge
        }
    }

    /// Whether the connection that follows changes is open.
    package var isConnected: Bool
    /// The current problem and its remedy, without credentials. `nil` without a problem.
    package var trouble: String?
    /// The number of changes since the start.
    package var changes: UInt64
    /// The number of unrecognised changes that were skipped.
    package var malformedChanges: UInt64
    /// The number of complete readings, by reason.
    package var readings: [Readings]
    /// The records that the store has lost and the view keeps.
    package var loss = StoreLoss()
    /// The renewals of credentials. `nil` if they do not change.
    package var credentials: Credentials?
    /// `nil` for a store that is not a cluster.
    package var cluster: Cluster?

    /// Creates a health report.
    package init(
        isConnected: Bool, trouble: String? = nil, changes: UInt64 = 0, malformedChanges: UInt64 = 0,
        readings: [Readings] = []
    ) {
        self.isConnected = isConnected
        self.trouble = trouble
        self.changes = changes
        self.malformedChanges = malformedChanges
        self.readings = readings
    }
}

/// Records that are missing from a store although no change removed them.
package struct StoreLoss: Sendable, Equatable {
    /// The number of user records that the view keeps.
    package var users = 0
    /// The number of session records that the view keeps.
    package var sessions = 0
    /// Whether the store's history ends before a position that was already read. Other data, such as accounts and
    /// links, may then be lost too.
    package var wentBack = false

    /// Creates an empty loss.
    package init() {}

    /// Whether any data is lost.
    package var isAny: Bool { users > 0 || sessions > 0 || wentBack }
}

extension Store {
    /// `nil`: an embedded store has no other writers.
    package var health: StoreHealth? { nil }

    /// The problem of the health report.
    package var trouble: String? { health?.trouble }

    /// True for an embedded store; otherwise whether the store is connected.
    package var isWritable: Bool { health?.isConnected ?? true }

    /// Does nothing.
    package func inspect() async {}

    /// Does nothing: an embedded store loses no records.
    @discardableResult
    package func accept() async throws(StoreError) -> StoreLoss { StoreLoss() }
}
