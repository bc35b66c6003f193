import GatewayCore
import OutboundHTTP

/// The reason that a request to the receiver failed.
struct ExportFailure: Sendable {
    /// The failure for the log.
    let cause: LookupFailure
    /// Whether the same request may succeed later.
    let isTransient: Bool

    /// Creates the failure of a request without a response. A receiver that restarts refuses connections for a while.
    init(_ failure: LookupFailure) {
        cause = failure
        isTransient = [.unreachable, .closed, .timedOut].contains(failure.kind)
    }

    /// Creates the failure for a status other than 2xx. Only the statuses of OTLP (section "Retryable Response Codes")
    /// are transient.
    ///
    /// - Parameter now: The current time in seconds since 1970.
    init(_ response: OutboundResponse, now: Int64) {
        cause = LookupFailure(response, ownCredentials: [401, 403], now: now)
        isTransient = [429, 502, 503, 504].contains(response.status)
    }
}

/// The attempts at one request, as a pure value: exponential back-off with jitter.
struct ExportRetry: Sendable {
    /// The maximum number of attempts.
    static let attempts = 5
    /// The bounds of the back-off before its jitter, in nanoseconds.
    private static let firstDelay: UInt64 = 1_000_000_000
    private static let longestDelay: UInt64 = 16_000_000_000

    private var failures = 0

    /// Returns the delay of the next attempt in nanoseconds. `nil` if the request is given up.
    ///
    /// The delay that the receiver requests is used without change, 1 s to 60 s. Otherwise it is random, from half of
    /// 1 s, 2 s, 4 s ... up to all of it.
    ///
    /// - Parameter random: A random number.
    mutating func delay(after failure: ExportFailure, random: UInt64) -> UInt64? {
        failures += 1
        guard failure.isTransient, failures < Self.attempts else { return nil }
        if let seconds = failure.cause.retryAfter { return UInt64(clamping: seconds) &* 1_000_000_000 }
        let longest = min(Self.firstDelay << UInt64(failures - 1), Self.longestDelay)
        return longest / 2 + random % (longest / 2 + 1)
    }
}
