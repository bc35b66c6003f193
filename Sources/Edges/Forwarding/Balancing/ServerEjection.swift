/// The ejection state of one server after failed requests, as a pure value. Times are monotonic nanoseconds.
package struct ServerEjection: Sendable {
    /// The threshold and the duration of ejections.
    struct Rule: Sendable, Hashable {
        /// The number of consecutive failures.
        var failures: Int
        /// The duration of the first ejection. Each further one is twice as long.
        var time: UInt64
        var maxTime: UInt64
        /// The maximum percentage of ejected servers.
        var maxShare: Int
    }

    private var failuresInRow = 0
    /// The end of the ejection. 0 if the server is not ejected.
    private(set) var until: UInt64 = 0
    /// Whether it has returned and not responded since. It then receives one request at a time, and the first failure
    /// ejects it again.
    private(set) var isOnTrial = false
    /// The number of recent ejections.
    private var times = 0
    private var returnedAt: UInt64 = 0

    package init() {}

    package var isEjected: Bool { until > 0 }

    /// Whether a success changes the state.
    @inline(__always)
    var isBlemished: Bool { failuresInRow > 0 || isOnTrial || times > 0 }

    /// Records a failure.
    ///
    /// - Parameter mayEject: Whether one more server may be ejected.
    /// - Returns: The duration if the server is now ejected. `nil` if not, or if it was already.
    mutating func failed(now: UInt64, rule: Rule, mayEject: @autoclosure () -> Bool) -> UInt64? {
        guard !isEjected else { return nil }
        failuresInRow += 1
        guard isOnTrial || failuresInRow >= rule.failures, mayEject() else { return nil }
        let time = Self.time(rule, times: times)
        (until, times, isOnTrial) = (max(1, now &+ time), times + 1, false)
        return time
    }

    /// Records a success.
    mutating func succeeded(now: UInt64, rule: Rule) {
        guard !isEjected else { return }
        failuresInRow = 0
        isOnTrial = false
        // Old ejections are forgotten.
        if times > 0, now > returnedAt, now - returnedAt > rule.maxTime { times = 0 }
    }

    /// Ends an expired ejection. Returns whether the server has returned, on trial.
    mutating func returns(now: UInt64) -> Bool {
        guard isEjected, now >= until else { return false }
        pardon(now: now)
        return true
    }

    /// Ends the ejection early.
    mutating func pardon(now: UInt64) {
        (until, isOnTrial, failuresInRow, returnedAt) = (0, true, 0, now)
    }

    private static func time(_ rule: Rule, times: Int) -> UInt64 {
        var time = rule.time
        for _ in 0..<min(times, 40) where time < rule.maxTime { time *= 2 }
        return min(time, rule.maxTime)
    }
}
