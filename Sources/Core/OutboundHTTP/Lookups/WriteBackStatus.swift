/// The number of deliveries by destination and result, and the state of the queue as of the last poll.
package struct WriteBackStatus: Sendable, Equatable {
    /// The deliveries to one destination.
    package struct Deliveries: Sendable, Equatable {
        package var updated: UInt64 = 0
        package var unchanged: UInt64 = 0
        package var missing: UInt64 = 0
        package var rejected: UInt64 = 0
        package var forbidden: UInt64 = 0
        package var failed: UInt64 = 0
        package var parked: UInt64 = 0
    }

    /// The deliveries for one Firebase project to one destination, which fail and recover together.
    package struct Lane: Sendable, Hashable, Comparable {
        package let destination: String
        package let project: String

        package init(destination: String, project: String) {
            (self.destination, self.project) = (destination, project)
        }

        package static func < (left: Lane, right: Lane) -> Bool {
            (left.project, left.destination) < (right.project, right.destination)
        }
    }

    /// The deliveries by destination.
    package var deliveries: [String: Deliveries] = [:]
    /// The reasons of the last failures of lanes whose last delivery failed.
    package var failures: [Lane: String] = [:]
    /// The reason that the queue cannot be read. `nil` if it can.
    package var queueFailure: String?
    /// The number of entries, and the age of the oldest one in seconds. `nil` for an empty queue.
    package var count = 0
    package var age: Int64?
    /// The number of entries whose project or destination is not configured.
    package var parked = 0
    /// Whether this gateway has the lease.
    package var isHolder = false
    /// The number of changes that the full queue did not accept.
    package var dropped: UInt64 = 0

    package init() {}

    /// The deliveries to a destination.
    package subscript(_ destination: String) -> Deliveries {
        get { deliveries[destination] ?? Deliveries() }
        set { deliveries[destination] = newValue }
    }

    /// Whether the last delivery of a lane failed, or the queue cannot be read.
    package var isFailing: Bool { queueFailure != nil || !failures.isEmpty }
}
