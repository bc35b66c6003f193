#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The two clocks that the gateway reads, injected so that tests never wait.
package struct GatewayClock: Sendable {
    /// Wall-clock time, in seconds since 1970.
    package var now: @Sendable () -> Int64
    /// Time that only moves forward, in nanoseconds since an arbitrary start.
    package var monotonic: @Sendable () -> UInt64
    /// Wall-clock time, in milliseconds since 1970; for logs.
    package var milliseconds: @Sendable () -> Int64

    /// A clock made of its readings; milliseconds are whole seconds where they are not given.
    package init(
        now: @escaping @Sendable () -> Int64, monotonic: @escaping @Sendable () -> UInt64,
        milliseconds: (@Sendable () -> Int64)? = nil
    ) {
        self.now = now
        self.monotonic = monotonic
        self.milliseconds = milliseconds ?? { now() * 1000 }
    }

    /// The machine's clocks.
    package static let system = GatewayClock(
        now: {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Int64(time.tv_sec)
        },
        monotonic: {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
        },
        milliseconds: {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000
        })
}

extension Duration {
    /// The duration in whole nanoseconds; a negative one is 0, a longer one than a century counts as a century, so that
    /// sums of a few never overflow.
    package var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return UInt64(min(seconds, 3_155_760_000)) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000
    }
}
