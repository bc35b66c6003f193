/// The delay between connection attempts: exponential backoff with full jitter, so that gateways do not reconnect at
/// once.
public struct RedisBackoff: Sendable, Equatable {
    /// The upper bound after the first failure.
    public var first: Duration
    /// The maximum of the upper bound.
    public var maximum: Duration

    /// Creates a backoff. The defaults are 50 ms, doubling to 2 s.
    public init(first: Duration = .milliseconds(50), maximum: Duration = .seconds(2)) {
        self.first = first
        self.maximum = maximum
    }

    /// The minimum of the upper bound, in nanoseconds. It prevents a tight loop of attempts.
    private static let leastBound: UInt64 = 1_000_000

    /// Returns a random delay in nanoseconds.
    ///
    /// - Parameter failures: The number of consecutive failures, at least one.
    func delay(afterFailures failures: Int, using generator: inout some RandomNumberGenerator) -> UInt64 {
        let doublings = min(max(failures - 1, 0), 32)
        let bound = min(
            first.nanosecondsClamped.multipliedClamped(by: 1 << UInt64(doublings)), maximum.nanosecondsClamped)
        return UInt64.random(in: 0...max(bound, Self.leastBound), using: &generator)
    }
}

extension Duration {
    /// The duration in whole nanoseconds: 0 if negative, at most about 292 years.
    var nanosecondsClamped: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let whole = UInt64(seconds).multipliedClamped(by: 1_000_000_000)
        return min(whole, UInt64(Int64.max) - 1_000_000_000) + UInt64(attoseconds) / 1_000_000_000
    }
}

extension UInt64 {
    func multipliedClamped(by factor: UInt64) -> UInt64 {
        let (product, isTooLarge) = multipliedReportingOverflow(by: factor)
        return isTooLarge ? .max : product
    }

    /// Adds with saturation, for deadlines.
    func adding(_ other: UInt64) -> UInt64 {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }
}
