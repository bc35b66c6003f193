/// A circuit breaker of a service, as a pure value.
///
/// A failure opens it for the time that the service requests, or for a second. It is then half-open: one call at a time
/// probes the service until one succeeds, so that a recovering service does not receive all postponed calls at once.
package struct CircuitBreaker: Sendable {
    /// The default time that the breaker stays open, in nanoseconds.
    package static let pause: UInt64 = 1_000_000_000

    /// The time at which calls may start again, in monotonic nanoseconds.
    private(set) var openUntil: UInt64 = 0
    /// Whether no call has succeeded since the last failure. At most one call may then run.
    private(set) var isHalfOpen = false

    func isOpen(now: UInt64) -> Bool { now < openUntil }

    mutating func close() { isHalfOpen = false }

    mutating func open(_ failure: LookupFailure, now: UInt64) {
        isHalfOpen = true
        openUntil = max(openUntil, now &+ Self.pause(after: failure))
    }

    /// Returns the delay of calls after a failure, in nanoseconds.
    package static func pause(after failure: LookupFailure) -> UInt64 {
        failure.retryAfter.map { UInt64($0) * 1_000_000_000 } ?? pause
    }
}
