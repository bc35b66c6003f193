/// The number of deliveries by result, and the state of the queue as of the last poll.
package struct WriteBackStatus: Sendable, Equatable {
    package var updated: UInt64 = 0
    package var unchanged: UInt64 = 0
    package var missing: UInt64 = 0
    package var rejected: UInt64 = 0
    package var forbidden: UInt64 = 0
    package var failed: UInt64 = 0
    /// The number of entries, and the age of the oldest one in seconds. `nil` for an empty queue.
    package var count = 0
    package var age: Int64?
    /// Whether this gateway has the lease.
    package var isHolder = false
    /// The reason of the last failure. `nil` after a success.
    package var failing: String?
    /// The number of changes that the full queue did not accept.
    package var dropped: UInt64 = 0

    package init() {}
}
