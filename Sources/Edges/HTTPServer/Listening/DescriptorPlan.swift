#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The allocation of the process's file descriptors. Clients must not exhaust the descriptors that responses need.
package struct DescriptorPlan: Equatable, Sendable {
    /// Too few file descriptors to serve clients.
    package struct Shortage: Error, CustomStringConvertible {
        /// The shortage and the remedy.
        package let description: String
    }

    /// The number of descriptors that the configuration requires in total.
    package let needed: Int
    /// The maximum number of descriptors of the process.
    package let available: Int
    /// The maximum number of client connections.
    package let connections: Int

    /// For listeners, the store, logs, key fetches, and closing connections.
    private static let reserve = 64
    /// The descriptors of one event loop, without its listeners.
    private static let perWorker = 3
    /// The minimum number of client connections for a useful service.
    static let leastConnections = 64

    /// Computes the allocation.
    ///
    /// - Parameters:
    ///   - connections: The client connections that the configuration allows.
    ///   - upstreamConnections: The connections of one worker to all upstreams together.
    /// - Throws: `Shortage` if too few client connections would remain.
    package init(
        connections wanted: Int, upstreamConnections: Int, adminConnections: Int, workers: Int, listeners: Int,
        available: Int
    ) throws(Shortage) {
        let others =
            workers * (upstreamConnections + Self.perWorker + listeners) + adminConnections + Self.reserve
        needed = wanted + others
        self.available = available
        connections = min(wanted, available - others)
        guard connections >= min(wanted, Self.leastConnections) else {
            throw Shortage(
                description:
                    "the process may open \(available) files but needs \(needed), so that too few are left for clients; \(Self.remedy)"
            )
        }
    }

    /// Whether fewer client connections are possible than configured.
    package var isShort: Bool { needed > available }

    package static let remedy = """
        raise LimitNOFILE= (systemd) or ulimit -n, or lower limits.connections, upstreams.*.connections or workers
        """
}

/// The limit of file descriptors of the process.
package enum DescriptorLimit {
    /// Raises the soft limit to the permitted maximum and returns it.
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
        /// Returns the hard limit, up to the maximum that the system accepts whatever it reports.
        private static func most(_ hard: rlim_t) -> rlim_t { min(hard, rlim_t(OPEN_MAX)) }
    #else
        private static func most(_ hard: rlim_t) -> rlim_t { hard }
    #endif
}
