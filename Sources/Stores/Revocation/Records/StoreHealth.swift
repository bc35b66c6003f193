/// How a store that other processes write to, too, is doing; for operators.
package struct StoreHealth: Sendable, Equatable {
    /// How often all records were read for one reason.
    package struct Readings: Sendable, Equatable {
        /// `start`, `gap` or `hourly`.
        package var reason: String
        /// How often.
        package var count: UInt64

        /// A count.
        package init(reason: String, count: UInt64) {
            self.reason = reason
            self.count = count
        }
    }

    /// Whether the connection that follows changes is up.
    package var isConnected: Bool
    /// What is wrong and what to do, without credentials; nil: nothing.
    package var trouble: String?
    /// Changes that were followed since the start.
    package var changes: UInt64
    /// Changes that were not understood and skipped.
    package var malformedChanges: UInt64
    /// How often all records were read, by the reason.
    package var readings: [Readings]
    /// What the store has lost and the view keeps.
    package var loss = StoreLoss()

    /// The state of a store.
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

/// Records that a store does not hold any more although no change removed them.
package struct StoreLoss: Sendable, Equatable {
    /// Records of users that the view keeps.
    package var users = 0
    /// Records of sessions that the view keeps.
    package var sessions = 0
    /// Whether the store's history ended before what was already read of it: what else it lost, such as accounts and links, is unknown.
    package var wentBack = false

    /// Nothing is lost.
    package init() {}

    /// Whether anything is lost.
    package var isAny: Bool { users > 0 || sessions > 0 || wentBack }
}

extension Store {
    /// Nil for a store that nobody else writes to: there is nothing to follow.
    package var health: StoreHealth? { nil }

    /// That of following others.
    package var trouble: String? { health?.trouble }

    /// A store that others write to takes writes while it is connected.
    package var isWritable: Bool { health?.isConnected ?? true }

    /// Nothing to look after.
    package func inspect() async {}

    /// Nothing is ever lost in a store that nobody else writes to.
    @discardableResult
    package func accept() async throws(StoreError) -> StoreLoss { StoreLoss() }
}
