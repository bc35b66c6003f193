#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What a system call gives once it was not interrupted. Calls with a time limit are, wherever a machine stands still and goes on, as
/// virtual ones do (signal(7)). A `connect` goes on where it was on Linux alone.
func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}
