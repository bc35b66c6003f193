import Synchronization

/// The policy of a store for the messages of its outbox. A reload of the configuration replaces it.
package final class OutboxSwitch: Sendable {
    package struct Policy: Sendable {
        /// The destinations for which messages are added: providers, and `OutboxMessage.webhook` for events.
        package let destinations: [String]
        /// The maximum number of messages for one destination, with parked ones.
        package let limit: Int
        /// The part of `limit` that only deletions of accounts use.
        package let reserve: Int
        /// Called after messages were added, with the number of those that were not accepted.
        package let added: @Sendable (_ dropped: Int) -> Void

        /// Creates a policy.
        package init(
            destinations: [String], limit: Int, reserve: Int, added: @escaping @Sendable (_ dropped: Int) -> Void
        ) {
            (self.destinations, self.limit, self.reserve, self.added) = (destinations, limit, reserve, added)
        }

        /// Returns the maximum number of messages for one destination after which a removal adds no more.
        package func limit(isDeletion: Bool) -> Int { isDeletion ? limit : limit - reserve }
    }

    /// The maximum delay of a waiting message, in seconds.
    package static let longestDelay: Int64 = 3_600
    /// The time after which a parked message is removed: 30 days, in seconds.
    package static let retention: Int64 = 2_592_000
    /// The maximum number of removals that one user requests within 24 hours.
    package static let removalsPerDay = 32
    /// The period of `removalsPerDay`, in seconds.
    package static let removalPeriod: Int64 = 86_400
    /// The maximum number of links to one address within an hour.
    package static let linksPerHour = 5
    /// The period of `linksPerHour`, in seconds.
    package static let linkPeriod: Int64 = 3_600

    private let policy = Mutex<Policy?>(nil)
    private let dropped = Atomic<UInt64>(0)

    package init() {}

    /// The current policy. `nil` if no messages are added.
    package var current: Policy? { policy.withLock { $0 } }

    /// The number of messages of this gateway that the outbox did not accept.
    package var droppedCount: UInt64 { dropped.load(ordering: .relaxed) }

    /// Sets the policy. `nil` if no messages are added.
    package func set(_ policy: Policy?) {
        self.policy.withLock { $0 = policy }
    }

    /// Records the messages of an acknowledged change.
    package func record(added: Int, dropped: Int) {
        guard added > 0 || dropped > 0 else { return }
        self.dropped.add(UInt64(max(dropped, 0)), ordering: .relaxed)
        current?.added(dropped)
    }
}

/// The deliveries of a gateway, and the state of the outbox as of the last poll of each destination.
package struct OutboxStatus: Sendable, Equatable {
    /// The deliveries to one destination, and the state of its queue.
    package struct Lane: Sendable, Equatable {
        package var delivered: UInt64 = 0
        package var failed: UInt64 = 0
        package var parkedCount: UInt64 = 0
        /// Events with links that could not be delivered in time.
        package var discarded: UInt64 = 0
        /// Tokens that their provider did not know. Nothing is left to be sent.
        package var unknown: UInt64 = 0
        /// Results that could not be stored. The message is not sent again before its result is stored, or the lease
        /// ends.
        package var unsettled: UInt64 = 0
        /// The number of waiting messages, and the age of the oldest one in seconds. `nil` if none waits.
        package var count = 0
        package var age: Int64?
        /// The number of parked messages.
        package var parked = 0
        /// Whether this gateway has the lease.
        package var isHolder = false
        /// The reason of the last failure. `nil` after a success.
        package var failing: String?

        package init() {}
    }

    /// The state by destination.
    package var lanes: [String: Lane] = [:]
    /// The number of messages that the outbox did not accept.
    package var dropped: UInt64 = 0

    package init() {}

    /// The number of waiting messages of all destinations, and the age of the oldest one in seconds.
    package var count: Int { lanes.values.reduce(0) { $0 + $1.count } }
    package var age: Int64? { lanes.values.compactMap(\.age).max() }
    /// The number of parked messages of all destinations.
    package var parked: Int { lanes.values.reduce(0) { $0 + $1.parked } }
    /// Whether this gateway has a lease.
    package var isHolder: Bool { lanes.values.contains { $0.isHolder } }
    /// The last failures, each with its destination. `nil` if no destination fails.
    package var failing: String? {
        let failures = lanes.compactMap { name, lane in lane.failing.map { "\(name): \($0)" } }.sorted()
        return failures.isEmpty ? nil : failures.joined(separator: ", ")
    }
}
