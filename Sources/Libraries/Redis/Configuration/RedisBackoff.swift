/// How long to wait before connecting again: anything from nothing to a bound that doubles each time, so that many gateways do not
/// come back at the same moment.
public struct RedisBackoff: Sendable, Equatable {
    /// The bound after the first failure.
    public var first: Duration
    /// What the bound grows to.
    public var maximum: Duration

    /// 50 ms, doubling to 2 s, unless told otherwise.
    public init(first: Duration = .milliseconds(50), maximum: Duration = .seconds(2)) {
        self.first = first
        self.maximum = maximum
    }

    /// The least bound: without one, a server that refuses would be asked as fast as it can refuse.
    private static let leastBound: UInt64 = 1_000_000

    /// Nanoseconds to wait.
    ///
    /// - Parameter failures: how many attempts failed in a row, at least one.
    func delay(afterFailures failures: Int, using generator: inout some RandomNumberGenerator) -> UInt64 {
        let doublings = min(max(failures - 1, 0), 32)
        let bound = min(
            first.nanosecondsClamped.multipliedClamped(by: 1 << UInt64(doublings)), maximum.nanosecondsClamped)
        return UInt64.random(in: 0...max(bound, Self.leastBound), using: &generator)
    }
}

extension Duration {
    /// In whole nanoseconds: 0 for less than none, at most 292 years.
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

    /// For deadlines: as late as can be rather than wrapped.
    func adding(_ other: UInt64) -> UInt64 {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }
}
