#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The settings of a service manager such as systemd, from the environment of the process.
///
/// sd_notify(3) defines `NOTIFY_SOCKET`; sd_watchdog_enabled(3) defines `WATCHDOG_USEC` and `WATCHDOG_PID`.
package struct SupervisorSettings: Sendable, Equatable {
    /// The socket of the service manager.
    let socket: NotifyAddress
    /// The time after which the service manager restarts a process without a ping. `nil` if it does not watch this
    /// process.
    let watchdog: Duration?

    /// The variables in which a service manager passes the settings.
    package static let variables = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]

    /// The maximum watchdog interval. A longer one counts as a century.
    private static let longestInterval: UInt64 = 3_155_760_000_000_000

    /// Reads the settings. `nil` without a service manager, or if its socket has an unknown kind of address.
    ///
    /// - Parameters:
    ///   - environment: The values of ``variables``.
    ///   - processID: This process. The watchdog of another process is ignored.
    package init?(_ environment: [String: String], processID: Int32) {
        guard let socket = environment["NOTIFY_SOCKET"].flatMap(NotifyAddress.init) else { return nil }
        self.socket = socket
        watchdog = Self.watchdog(environment, processID: processID)
    }

    private static func watchdog(_ environment: [String: String], processID: Int32) -> Duration? {
        guard let microseconds = environment["WATCHDOG_USEC"].flatMap({ UInt64($0) }), microseconds > 0 else {
            return nil
        }
        // Without WATCHDOG_PID, the interval is for any process that receives it.
        guard environment["WATCHDOG_PID"].map({ Int32($0) == processID }) ?? true else { return nil }
        return .microseconds(Int64(min(microseconds, longestInterval)))
    }

    /// Reads the settings of this process, and removes them from its environment.
    ///
    /// Call it before other threads read the environment.
    package static func takeFromEnvironment() -> SupervisorSettings? {
        SupervisorSettings(ProcessEnvironment.take(variables), processID: getpid())
    }
}

/// The environment of the process.
enum ProcessEnvironment {
    /// Removes variables and returns their values.
    static func take(_ names: [String]) -> [String: String] {
        var values: [String: String] = [:]
        for name in names {
            guard let value = getenv(name) else { continue }
            values[name] = String(cString: value)
            unsetenv(name)
        }
        return values
    }
}
