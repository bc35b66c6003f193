/// How many requests may be sent once more: a share of all requests of the last seconds, and a few a second in any case. Without it,
/// retries would multiply the load of servers that fail because of it.
struct RetryBudget: Sendable {
    /// That many a second may be sent again, however few requests there are.
    static let floor = 3
    /// What was earned lasts for about so many seconds.
    static let memory: UInt64 = 10

    /// Earned for each request, in hundredths of a retry.
    private let percent: Int
    private var earned = 0
    private var free = RetryBudget.floor
    private var second: UInt64 = 0

    init(percent: Int) {
        self.percent = percent
    }

    /// A request came.
    @inline(__always)
    mutating func requestCame() { earned &+= percent }

    /// Called a few times a second, with monotonic nanoseconds.
    mutating func tick(now: UInt64) {
        let now = now / 1_000_000_000
        guard now > second else { return }
        free = Self.floor
        let passed = min(now - second, Self.memory)
        for _ in 0..<passed { earned -= earned / Int(Self.memory) }
        if passed == Self.memory { earned = 0 }
        second = now
    }

    /// Takes one out; false: there is none.
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
