/// Rate limit buckets of all gateways, a facet of a store beside `Store`.
package protocol RateStore: Sendable {
    /// Charges accepted requests to their buckets.
    ///
    /// A charge that fails may have been made.
    ///
    /// - Parameter charges: At most ``RateCharge/limit`` charges of different buckets.
    /// - Returns: For each charge, the time until its bucket is full, in nanoseconds.
    func charge(_ charges: [RateCharge]) async throws(StoreError) -> [UInt64]
}

/// A charge to one bucket.
package struct RateCharge: Sendable, Equatable {
    /// The maximum number of charges of one call.
    package static let limit = 50

    /// The name of the bucket: visible ASCII without braces, at most 64 bytes.
    package let name: String
    /// The number of accepted requests. A negative number returns requests.
    package let requests: Int
    /// The time in which one request is refilled, in nanoseconds.
    package let interval: UInt64
    /// The maximum time until the bucket is full, in nanoseconds. Debts above it are forgiven.
    package let longest: UInt64

    /// Creates a charge.
    package init(name: String, requests: Int, interval: UInt64, longest: UInt64) {
        self.name = name
        self.requests = requests
        self.interval = interval
        self.longest = longest
    }
}
