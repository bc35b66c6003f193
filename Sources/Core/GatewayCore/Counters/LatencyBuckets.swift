/// The buckets of all latency histograms in microseconds: log-linear, with four for each power of two.
///
/// The upper bounds are 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, ... microseconds up to about 134 s, so the error
/// of a quantile is at most a quarter. A bound is inclusive, as `le` in Prometheus.
package enum LatencyBuckets {
    /// Four linear steps for each power of two.
    private static var linearBits: UInt64 { 2 }
    private static var steps: UInt64 { 1 << linearBits }
    /// The exponent of the largest bound, a power of two.
    private static var largestExponent: UInt64 { 27 }

    /// The number of buckets, including the last one without an upper bound.
    package static var count: Int { Int((largestExponent - linearBits + 1) * steps + 1) }

    /// Returns the bucket of a latency.
    @inline(__always)
    package static func index(nanoseconds: UInt64) -> Int {
        let microseconds = nanoseconds == 0 ? 0 : (nanoseconds &- 1) / 1000
        if microseconds < steps { return Int(truncatingIfNeeded: microseconds) }
        if microseconds >= 1 &<< largestExponent { return count &- 1 }
        let exponent = 63 &- UInt64(truncatingIfNeeded: microseconds.leadingZeroBitCount)
        let step = (microseconds &>> (exponent &- linearBits)) & (steps &- 1)
        return Int(truncatingIfNeeded: (exponent &- linearBits &+ 1) &* steps &+ step)
    }

    /// Returns the inclusive upper bound of a bucket in microseconds. `nil` for the last one.
    package static func upperBound(of index: Int) -> UInt64? {
        let next = UInt64(index + 1)
        if next >= UInt64(count) { return nil }
        if next < steps { return next }
        return (steps + next % steps) << (next / steps - 1)
    }
}
