import GatewayCore

/// The state of the gateway that a service manager displays.
struct ServingStatus: Sendable, Equatable {
    /// The addresses of the listeners, as for display.
    var listeners: [String]
    /// The number of the active configuration.
    var generation: UInt64
    /// Whether `/readyz` responds with 200.
    var isReady = true
    /// Whether the last reload was rejected.
    var isReloadRejected = false

    /// The maximum length of an address in the text, in characters.
    private static let longestAddress = 120

    /// One line for people.
    var text: String {
        let first = listeners.first.map { " on \($0.prefix(Self.longestAddress))" } ?? ""
        let others = listeners.count > 1 ? " and \(listeners.count - 1) more" : ""
        let missing = isReady ? "" : "; not ready: see /readyz"
        let rejected = isReloadRejected ? "; the last reload was rejected: see the log" : ""
        return "Serving\(first)\(others), configuration \(generation)\(missing)\(rejected)"
    }
}

/// The life of the service as a service manager knows it, as a pure value: events in, messages of sd_notify(3) out.
///
/// `READY=1` ends the start and each reload, so that the manager is never left in one of these states.
struct ServiceState {
    private enum Phase {
        case starting, serving, reloading, stopping
    }

    /// The message that proves that the process works.
    static let watchdogPing = "WATCHDOG=1"

    private var phase = Phase.starting

    /// The gateway serves, or its status changed. Returns `nil` if the message has to wait for the end of a reload.
    mutating func serving(_ status: ServingStatus) -> String? {
        switch phase {
        case .starting:
            phase = .serving
            return "READY=1\n\(Self.line(status.text))"
        case .serving: return Self.line(status.text)
        case .reloading, .stopping: return nil
        }
    }

    /// A reload begins. A reload before the end of the start is a part of the start.
    ///
    /// - Parameter time: The monotonic clock in nanoseconds.
    mutating func reloadBegan(at time: UInt64) -> String? {
        guard case .serving = phase else { return nil }
        phase = .reloading
        // The manager compares the time with its request, so that the end of an earlier reload does not end this one.
        return "RELOADING=1\nMONOTONIC_USEC=\(time / 1000)\n\(Self.line("Reloading the configuration"))"
    }

    /// A reload ended, accepted or rejected.
    mutating func reloadEnded(_ status: ServingStatus) -> String? {
        guard case .reloading = phase else { return nil }
        phase = .serving
        return "READY=1\n\(Self.line(status.text))"
    }

    /// The gateway stops.
    ///
    /// - Parameter limit: The maximum duration of the stop. The manager waits as long, even if its own limit is
    ///   shorter.
    mutating func stopping(within limit: Duration) -> String? {
        guard phase != .stopping else { return nil }
        phase = .stopping
        let microseconds = limit.nanoseconds / 1000
        let text = "Stopping within \(limit.components.seconds) s"
        return "STOPPING=1\n\(Self.line(text))\nEXTEND_TIMEOUT_USEC=\(microseconds)"
    }

    /// Returns the assignment of a status. A line feed would begin another assignment.
    private static func line(_ text: String) -> String {
        "STATUS=" + String(text.map { $0.isNewline ? " " : $0 })
    }
}
