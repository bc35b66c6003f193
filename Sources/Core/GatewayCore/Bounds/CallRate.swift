/// How many calls a second there may be: a token bucket that holds one second's, told by when it would be full (GCRA), as a pure value.
package struct CallRate {
    private static let second: UInt64 = 1_000_000_000

    /// Nanoseconds between two calls at the full rate.
    private let interval: UInt64
    private var fullAt: UInt64 = 0

    /// - Parameter rate: calls a second, at least 1.
    package init(rate: Int) {
        interval = Self.second / UInt64(max(rate, 1))
    }

    /// When the next call may start; a time that has come means now.
    package var nextAt: UInt64 {
        let full = fullAt &+ interval
        return full > Self.second ? full - Self.second : 0
    }

    /// Takes a call out of the bucket; false while there is none.
    package mutating func take(now: UInt64) -> Bool {
        guard nextAt <= now else { return false }
        fullAt = max(fullAt, now) &+ interval
        return true
    }
}
