/// The limit of retries: a percentage of recent requests, and a fixed minimum per second. Without it, retries would
/// multiply the load of failing servers.
struct RetryBudget: Sendable {
    /// The number of retries per second that are always permitted.
    static let floor = 3
    /// The approximate time in seconds for which earned retries are kept.
    static let memory: UInt64 = 10

    /// The credit for each request, in hundredths of a retry.
    private let percent: Int
    private var earned = 0
    private var free = RetryBudget.floor
    private var second: UInt64 = 0

    init(percent: Int) {
        self.percent = percent
    }

    /// Records a request.
    @inline(__always)
    mutating func recordRequest() { earned &+= percent }

    /// Updates the budget. Called several times per second with monotonic nanoseconds.
    mutating func tick(now: UInt64) {
        let now = now / 1_000_000_000
        guard now > second else { return }
        free = Self.floor
        let passed = min(now - second, Self.memory)
        for _ in 0..<passed { earned -= earned / Int(Self.memory) }
        if passed == Self.memory { earned = 0 }
        second = now
    }

    /// Takes one retry. `false` if the budget is exhausted.
    mutating func take() -> Bool {
        if free > 0 {
            free -= 1
            return true
        }
        guard earned >= 100 else { return false }
        earned -= 100
        return true
    }
}
