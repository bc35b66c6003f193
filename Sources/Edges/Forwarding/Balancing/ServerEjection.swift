/// Whether one server is left out because requests failed there, as a pure value. Times are monotonic nanoseconds.
package struct ServerEjection: Sendable {
    /// How soon, and for how long.
    struct Rule: Sendable, Hashable {
        /// After so many failures in a row.
        var failures: Int
        /// The first time; each further time is twice as long.
        var time: UInt64
        var maxTime: UInt64
        /// At most that percentage of the servers.
        var maxShare: Int
    }

    private var failuresInRow = 0
    /// Until when it is left out; 0: it is not.
    private(set) var until: UInt64 = 0
    /// It is back and has not answered since: it gets one request at a time, and the first failure leaves it out again.
    private(set) var isOnTrial = false
    /// How often it was left out, lately.
    private var times = 0
    private var returnedAt: UInt64 = 0

    package init() {}

    package var isEjected: Bool { until > 0 }

    /// Whether a success would change anything.
    @inline(__always)
    var isBlemished: Bool { failuresInRow > 0 || isOnTrial || times > 0 }

    /// - Parameter mayEject: whether one more server may be left out.
    /// - Returns: for how long it is left out from now on; nil: it is not, or was already.
    mutating func failed(now: UInt64, rule: Rule, mayEject: @autoclosure () -> Bool) -> UInt64? {
        guard !isEjected else { return nil }
        failuresInRow += 1
        guard isOnTrial || failuresInRow >= rule.failures, mayEject() else { return nil }
        let time = Self.time(rule, times: times)
        (until, times, isOnTrial) = (max(1, now &+ time), times + 1, false)
        return time
    }

    /// A request was answered.
    mutating func succeeded(now: UInt64, rule: Rule) {
        guard !isEjected else { return }
        failuresInRow = 0
        isOnTrial = false
        // What was long ago does not count.
        if times > 0, now > returnedAt, now - returnedAt > rule.maxTime { times = 0 }
    }

    /// - Returns: whether its time is over: it is back, on trial.
    mutating func returns(now: UInt64) -> Bool {
        guard isEjected, now >= until else { return false }
        pardon(now: now)
        return true
    }

    /// It is back before its time is over.
    mutating func pardon(now: UInt64) {
        (until, isOnTrial, failuresInRow, returnedAt) = (0, true, 0, now)
    }

    private static func time(_ rule: Rule, times: Int) -> UInt64 {
        var time = rule.time
        for _ in 0..<min(times, 40) where time < rule.maxTime { time *= 2 }
        return min(time, rule.maxTime)
    }
}
