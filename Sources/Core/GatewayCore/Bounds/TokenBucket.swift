/// The parameters of a token bucket (GCRA), as a pure value. The state of a bucket is the time at which it is full
/// again. Times are monotonic nanoseconds.
package struct TokenBucket: Sendable {
    private static let minute: UInt64 = 60_000_000_000
    private static let second: UInt64 = 1_000_000_000
    /// The minimum burst for any rate, so that mistyped input can be corrected.
    static let leastBurst = 5

    /// The number of calls in a full bucket.
    package let burst: Int
    /// The nanoseconds until one more call is available.
    package let interval: UInt64
    /// The maximum time until a bucket is full at which it still has one call.
    private let tolerance: UInt64

    /// Creates a bucket by its rate.
    ///
    /// - Parameter rate: Calls per minute, at least 1.
    package init(perMinute rate: Int) {
        let rate = max(rate, 1)
        burst = max(rate / 3, Self.leastBurst)
        let (whole, rest) = Self.minute.quotientAndRemainder(dividingBy: UInt64(rate))
        interval = whole + (rest == 0 ? 0 : 1)
        tolerance = interval * UInt64(burst - 1)
    }

    /// Creates a bucket.
    ///
    /// - Parameters:
    ///   - requests: The number of requests that are refilled in `every` nanoseconds, at least 1.
    ///   - burst: The capacity, at least 1.
    package init(requests: Int, every: UInt64, burst: Int) {
        let (whole, rest) = every.quotientAndRemainder(dividingBy: UInt64(max(requests, 1)))
        interval = max(whole + (rest == 0 ? 0 : 1), 1)
        self.burst = max(burst, 1)
        let (product, overflows) = interval.multipliedReportingOverflow(by: UInt64(self.burst - 1))
        tolerance = overflows ? Self.longestTolerance : min(product, Self.longestTolerance)
    }

    /// More than a century, but without overflow in sums of times.
    package static let longestTolerance: UInt64 = 1 << 62

    /// Returns the initial state of a bucket that replaces others. `fullAt` is the time at which the emptiest of them
    /// is full. The new bucket contains at most as many calls as that one.
    func begin(asEmptyAs fullAt: UInt64, now: UInt64) -> UInt64 { min(fullAt, now + tolerance + interval) }

    /// Returns the time at which a bucket that is full at `fullAt` has a token.
    func availableAt(fullAt: UInt64) -> UInt64 { fullAt > tolerance ? fullAt - tolerance : 0 }

    package enum Outcome: Equatable {
        /// A call was taken. The bucket is full at the given time.
        case taken(fullAt: UInt64)
        /// The next call is available after this many seconds, at least 1.
        case empty(retryAfter: Int)
    }

    /// Takes a call from a bucket that is full at `fullAt`. A past time means that it is full now.
    package func take(fullAt: UInt64, now: UInt64) -> Outcome {
        let full = max(fullAt, now)
        guard full - now > tolerance else { return .taken(fullAt: full + interval) }
        let (seconds, rest) = (full - now - tolerance).quotientAndRemainder(dividingBy: Self.second)
        return .empty(retryAfter: Int(seconds) + (rest == 0 ? 0 : 1))
    }
}

/// A rate limiter whose bucket has the calls of one second.
package struct RateLimiter {
    private let bucket: TokenBucket
    private var fullAt: UInt64 = 0

    /// Creates a limiter.
    ///
    /// - Parameter rate: Calls per second, at least 1.
    package init(perSecond rate: Int) {
        bucket = TokenBucket(requests: rate, every: 1_000_000_000, burst: rate)
    }

    /// The earliest time of the next call. A past time means now.
    package var nextAt: UInt64 { bucket.availableAt(fullAt: fullAt) }

    /// Takes a call. Returns `false` if none is available.
    package mutating func take(now: UInt64) -> Bool {
        guard case .taken(let fullAt) = bucket.take(fullAt: fullAt, now: now) else { return false }
        self.fullAt = fullAt
        return true
    }
}
