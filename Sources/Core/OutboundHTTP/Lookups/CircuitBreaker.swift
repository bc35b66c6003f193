/// Whether a service may be called, as a pure value.
///
/// A failure opens the breaker for as long as the service asks for, else for a second. From then on it is half-open: one call at a time probes the
/// service until one succeeds, so that a service that recovers does not receive all postponed calls at once.
package struct CircuitBreaker: Sendable {
    /// How long the breaker stays open if the service does not say, in nanoseconds.
    package static let pause: UInt64 = 1_000_000_000

    /// When calls may start again, in monotonic nanoseconds.
    private(set) var openUntil: UInt64 = 0
    /// Whether a call failed and none has succeeded since: at most one call may run.
    private(set) var isHalfOpen = false

    func isOpen(now: UInt64) -> Bool { now < openUntil }

    mutating func close() { isHalfOpen = false }

    mutating func open(_ failure: LookupFailure, now: UInt64) {
        isHalfOpen = true
        openUntil = max(openUntil, now &+ Self.pause(after: failure))
    }

    /// How long not to call a service after a failure, in nanoseconds.
    package static func pause(after failure: LookupFailure) -> UInt64 {
        failure.retryAfter.map { UInt64($0) * 1_000_000_000 } ?? pause
    }
}
