/// The state machine of the queries to all sentinels, or to all masters of a cluster. Times are nanoseconds of a
/// monotonic clock.
///
/// In each round, every sentinel is asked for the address of the master once. Masters of a cluster vote in failovers as
/// sentinels do.
struct SentinelPoll {
    /// The result of one round.
    struct Finding: Equatable {
        /// The address that more than half of the sentinels named.
        var named: RedisEndpoint?
        /// Whether at least half of the sentinels have named the same server within the limit, and fewer have named
        /// any other.
        ///
        /// A failover needs the votes of more than half of them. Every such majority includes one of the sentinels
        /// that respond, which knows the new master soon after the failover. It then disagrees with the sentinels that
        /// do not know the new master, and their number alone is no evidence.
        var isQuorate: Bool
    }

    /// The least number of rounds that fail before the quorum counts as lost, so that a pause of this process is no
    /// evidence.
    static let leastFailures = 3

    private var count: Int
    private let quorumLimit: UInt64
    private var answers: [RedisEndpoint] = []
    private var missing = 0
    private var begunAt: UInt64 = 0
    private var quorateAt: UInt64?
    private var failures = 0

    /// Creates a machine for `count` sentinels.
    init(count: Int, quorumLimit: UInt64) {
        self.count = count
        self.quorumLimit = quorumLimit
    }

    /// Begins a round.
    ///
    /// - Parameter count: The number of sentinels or masters from now on. `nil` for the same number.
    mutating func begin(at now: UInt64, asking count: Int? = nil) {
        if let count { self.count = count }
        answers = []
        missing = self.count
        begunAt = now
        if quorateAt == nil { quorateAt = now }
    }

    /// Records the answer of one sentinel, `nil` if it named no address in time. Returns the finding after the last
    /// answer of the round.
    mutating func answered(_ address: RedisEndpoint?) -> Finding? {
        guard missing > 0 else { return nil }
        missing -= 1
        if let address { answers.append(address) }
        guard missing == 0 else { return nil }
        let isQuorate = isAgreed
        failures = isQuorate ? 0 : failures + 1
        if isQuorate { quorateAt = begunAt }
        let isOverdue = begunAt >= (quorateAt ?? begunAt).adding(quorumLimit)
        return Finding(named: majority, isQuorate: isQuorate || !isOverdue || failures < Self.leastFailures)
    }

    private var counts: [RedisEndpoint: Int] {
        answers.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    private var majority: RedisEndpoint? {
        counts.first { 2 * $0.value > count }?.key
    }

    /// Whether at least half of the sentinels named the same server, and fewer named any other.
    private var isAgreed: Bool {
        counts.values.count { 2 * $0 >= count } == 1
    }
}
