#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The system clock.
enum SystemTime {
    /// Returns seconds since 1970.
    static func seconds() -> Int64 { microseconds() / 1_000_000 }

    /// Returns microseconds since 1970.
    static func microseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
