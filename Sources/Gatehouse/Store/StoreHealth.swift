/// How a store that other processes write to, too, is doing; for operators.
public struct StoreHealth: Sendable, Equatable {
    /// How often all records were read for one reason.
    public struct Readings: Sendable, Equatable {
        /// `start`, `gap` or `hourly`.
        public var reason: String
        /// How often.
        public var count: UInt64

        /// A count.
        public init(reason: String, count: UInt64) {
            self.reason = reason
            self.count = count
        }
    }

    /// Whether the connection that follows changes is up.
    public var isConnected: Bool
    /// What is wrong and what to do, without credentials; nil: nothing.
    public var trouble: String?
    /// Changes that were followed since the start.
    public var changes: UInt64
    /// Changes that were not understood and skipped.
    public var malformedChanges: UInt64
    /// How often all records were read, by the reason.
    public var readings: [Readings]
    /// What the store has lost and the view keeps.
    public var loss = StoreLoss()

    /// The state of a store.
    public init(
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
public struct StoreLoss: Sendable, Equatable {
    /// Records of users that the view keeps.
    public var users = 0
    /// Records of sessions that the view keeps.
    public var sessions = 0
    /// Whether the store's history ended before what was already read of it: what else it lost, such as accounts and links, is unknown.
    public var wentBack = false

    /// Nothing is lost.
    public init() {}

    /// Whether anything is lost.
    public var isAny: Bool { users > 0 || sessions > 0 || wentBack }
}

extension Store {
    /// Nil for a store that nobody else writes to: there is nothing to follow.
    public var health: StoreHealth? { nil }

    /// That of following others.
    public var trouble: String? { health?.trouble }

    /// A store that others write to takes writes while it is connected.
    public var isWritable: Bool { health?.isConnected ?? true }

    /// Nothing to look after.
    public func inspect() async {}

    /// Nothing is ever lost in a store that nobody else writes to.
    @discardableResult
    public func accept() async throws(StoreError) -> StoreLoss { StoreLoss() }
}
