/// The buckets of every latency histogram: log-linear, four to each power of two, in microseconds.
///
/// The upper bounds are 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, ... microseconds up to about 134 s, so a quantile read from them is off by
/// at most a quarter. A bound is inclusive, as Prometheus' `le` is.
package enum LatencyBuckets {
    /// Four linear steps to a power of two.
    private static var linearBits: UInt64 { 2 }
    private static var steps: UInt64 { 1 << linearBits }
    /// The largest bound is 2 to this power.
    private static var largestExponent: UInt64 { 27 }

    /// How many buckets there are, the last of them without an upper bound.
    package static var count: Int { Int((largestExponent - linearBits + 1) * steps + 1) }

    /// The bucket of a latency.
    @inline(__always)
    package static func index(nanoseconds: UInt64) -> Int {
        let microseconds = nanoseconds == 0 ? 0 : (nanoseconds &- 1) / 1000
        if microseconds < steps { return Int(truncatingIfNeeded: microseconds) }
        if microseconds >= 1 &<< largestExponent { return count &- 1 }
        let exponent = 63 &- UInt64(truncatingIfNeeded: microseconds.leadingZeroBitCount)
        let step = (microseconds &>> (exponent &- linearBits)) & (steps &- 1)
        return Int(truncatingIfNeeded: (exponent &- linearBits &+ 1) &* steps &+ step)
    }

    /// The inclusive upper bound of a bucket in microseconds; nil for the last one, which has none.
    package static func upperBound(of index: Int) -> UInt64? {
        let next = UInt64(index + 1)
        if next >= UInt64(count) { return nil }
        if next < steps { return next }
        return (steps + next % steps) << (next / steps - 1)
    }
}
