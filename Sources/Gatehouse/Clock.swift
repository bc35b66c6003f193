#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The two clocks that the gateway reads, injected so that tests never wait.
public struct GatewayClock: Sendable {
    /// Wall-clock time, in seconds since 1970.
    public var now: @Sendable () -> Int64
    /// Time that only moves forward, in nanoseconds since an arbitrary start.
    public var monotonic: @Sendable () -> UInt64

    /// A clock made of two readings.
    public init(now: @escaping @Sendable () -> Int64, monotonic: @escaping @Sendable () -> UInt64) {
        self.now = now
        self.monotonic = monotonic
    }

    /// The machine's clocks.
    public static let system = GatewayClock(
        now: {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Int64(time.tv_sec)
        },
        monotonic: {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
        })
}
