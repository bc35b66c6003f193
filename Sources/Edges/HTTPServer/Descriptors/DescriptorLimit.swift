#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// How many file descriptors the process may have.
package enum DescriptorLimit {
    /// Raises the limit as far as the process itself may, and returns it.
    package static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return .max }
        var raised = limit
        raised.rlim_cur = most(limit.rlim_max)
        if raised.rlim_cur > limit.rlim_cur, setrlimit(resource, &raised) == 0 { limit = raised }
        return Int(clamping: limit.rlim_cur)
    }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif

    #if canImport(Darwin)
        /// The system takes no more, whatever it says.
        private static func most(_ hard: rlim_t) -> rlim_t { min(hard, rlim_t(OPEN_MAX)) }
    #else
        private static func most(_ hard: rlim_t) -> rlim_t { hard }
    #endif
}
