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

extension Store {
    /// Nil for a store that nobody else writes to: there is nothing to follow.
    public var health: StoreHealth? { nil }
}
