/// A token bucket of calls, told by when it will be full again (GCRA), as a pure value. Times are monotonic nanoseconds.
package struct CallBucket: Sendable {
    private static let minute: UInt64 = 60_000_000_000
    private static let second: UInt64 = 1_000_000_000
    /// However low the rate is, a person who mistypes may call so often at once.
    static let leastBurst = 5

    /// How many calls a full bucket holds.
    let burst: Int
    /// Nanoseconds until one more call is in the bucket.
    let interval: UInt64
    /// How long before it is full a bucket still holds one call.
    private let tolerance: UInt64

    /// - Parameter rate: calls a minute, at least 1.
    package init(perMinute rate: Int) {
        let rate = max(rate, 1)
        burst = max(rate / 3, Self.leastBurst)
        let (whole, rest) = Self.minute.quotientAndRemainder(dividingBy: UInt64(rate))
        interval = whole + (rest == 0 ? 0 : 1)
        tolerance = interval * UInt64(burst - 1)
    }

    /// - Parameters:
    ///   - requests: how many come back into the bucket in a time of `every` nanoseconds; at least 1.
    ///   - burst: how many a full one holds; at least 1.
    package init(requests: Int, every: UInt64, burst: Int) {
        let (whole, rest) = every.quotientAndRemainder(dividingBy: UInt64(max(requests, 1)))
        interval = max(whole + (rest == 0 ? 0 : 1), 1)
        self.burst = max(burst, 1)
        let (product, overflows) = interval.multipliedReportingOverflow(by: UInt64(self.burst - 1))
        tolerance = overflows ? Self.longestTolerance : min(product, Self.longestTolerance)
    }

    /// Centuries, and yet far from where sums of times would overflow.
    private static let longestTolerance: UInt64 = 1 << 62

    /// What a bucket begins with that takes the place of others, the emptiest of which is full at `fullAt`: no more than that one has, and not
    /// less than nothing.
    func begin(asEmptyAs fullAt: UInt64, now: UInt64) -> UInt64 { min(fullAt, now + tolerance + interval) }

    enum Outcome: Equatable {
        /// There was a call in the bucket, which will be full then.
        case taken(fullAt: UInt64)
        /// There is one in so many seconds, at least 1.
        case empty(retryAfter: Int)
    }

    /// Takes a call out of a bucket that is full at `fullAt`; a time that has come means now.
    func take(fullAt: UInt64, now: UInt64) -> Outcome {
        let full = max(fullAt, now)
        guard full - now > tolerance else { return .taken(fullAt: full + interval) }
        let (seconds, rest) = (full - now - tolerance).quotientAndRemainder(dividingBy: Self.second)
        return .empty(retryAfter: Int(seconds) + (rest == 0 ? 0 : 1))
    }
}
