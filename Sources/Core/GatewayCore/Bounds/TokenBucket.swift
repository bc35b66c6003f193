/// The shape of a token bucket whose state is the time when it will be full again (GCRA), as a pure value. Times are monotonic nanoseconds.
package struct TokenBucket: Sendable {
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

    /// When a bucket that is full at `fullAt` has a token.
    func availableAt(fullAt: UInt64) -> UInt64 { fullAt > tolerance ? fullAt - tolerance : 0 }

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

/// A bucket that holds one second's calls.
package struct RateLimiter {
    private let bucket: TokenBucket
    private var fullAt: UInt64 = 0

    /// - Parameter rate: calls a second, at least 1.
    package init(perSecond rate: Int) {
        bucket = TokenBucket(requests: rate, every: 1_000_000_000, burst: rate)
    }

    /// When the next call may start; a time that has come means now.
    package var nextAt: UInt64 { bucket.availableAt(fullAt: fullAt) }

    /// Takes a call out of the bucket; false while there is none.
    package mutating func take(now: UInt64) -> Bool {
        guard case .taken(let fullAt) = bucket.take(fullAt: fullAt, now: now) else { return false }
        self.fullAt = fullAt
        return true
    }
}
