#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The clocks of the gateway, injected so that tests never wait.
package struct GatewayClock: Sendable {
    /// The wall clock in seconds since 1970.
    package var now: @Sendable () -> Int64
    /// A monotonic clock in nanoseconds since an arbitrary start.
    package var monotonic: @Sendable () -> UInt64
    /// The wall clock in milliseconds since 1970, for logs.
    package var milliseconds: @Sendable () -> Int64

    /// The wall clock in nanoseconds since 1970, for traces.
    package var nanoseconds: @Sendable () -> UInt64

    /// Creates a clock. The default milliseconds and nanoseconds are whole seconds.
    package init(
        now: @escaping @Sendable () -> Int64, monotonic: @escaping @Sendable () -> UInt64,
        milliseconds: (@Sendable () -> Int64)? = nil, nanoseconds: (@Sendable () -> UInt64)? = nil
    ) {
        self.now = now
        self.monotonic = monotonic
        self.milliseconds = milliseconds ?? { now() * 1000 }
        self.nanoseconds = nanoseconds ?? { UInt64(clamping: now()) &* 1_000_000_000 }
    }

    /// The system clocks.
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
        },
        nanoseconds: {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec)
        })
}

extension Duration {
    /// The duration in whole nanoseconds: 0 if negative, at most a century, so that sums do not overflow.
    package var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return UInt64(min(seconds, 3_155_760_000)) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000
    }
}
