#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// How the file descriptors of the process are shared out: who connects must not use up those that answering takes.
package struct DescriptorPlan: Equatable, Sendable {
    /// Too few file descriptors for any service.
    package struct Shortage: Error, CustomStringConvertible {
        /// What was found, and what to do.
        package let description: String
    }

    /// What everything that the configuration allows needs.
    package let needed: Int
    /// The most that the process may open.
    package let available: Int
    /// How many client connections there may be.
    package let connections: Int

    /// For listeners, the store, logs, fetching keys, and connections that are just being closed.
    private static let reserve = 64
    /// What one event loop has open, besides its listeners.
    private static let perWorker = 3
    /// With less than this, running is no service.
    static let leastConnections = 64

    /// - Parameters:
    ///   - connections: the client connections that the configuration allows.
    ///   - upstreamConnections: those of one worker, all upstreams together.
    /// - Throws: where too few client connections would remain.
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
                    "the process may open \(available) files and needs \(needed): too few are left for clients; \(Self.remedy)"
            )
        }
    }

    /// Whether client connections had to be given up.
    package var isShort: Bool { needed > available }

    package static let remedy = """
        raise LimitNOFILE= (systemd) or ulimit -n, or lower limits.connections, upstreams.*.connections or workers
        """
}

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
