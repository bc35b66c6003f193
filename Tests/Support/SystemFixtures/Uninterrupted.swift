#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Repeats a system call that was interrupted. Calls with a timeout are interrupted when a virtual machine pauses
/// (signal(7)). Only Linux continues an interrupted `connect`.
func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}
