import Synchronization

/// Counters of the results of a ruleset's expressions, in one lane for each evaluator.
///
/// A lane has one writer at a time, so that an increment is a load and a store: it takes no lock, allocates nothing,
/// and shares no cache line with other writers. Any thread may read. A lane has 24 bytes for each expression of the
/// source and 8 for each `allow`.
public final class RuleCounters: Sendable {
    /// How often an expression had each result.
    public struct Counts: Sendable, Hashable {
        /// How often it was true.
        public var wasTrue = 0
        /// How often it was false.
        public var wasFalse = 0
        /// How often its evaluation failed, or a condition was neither true nor false.
        public var failed = 0

        /// Creates counts.
        public init(wasTrue: Int = 0, wasFalse: Int = 0, failed: Int = 0) {
            (self.wasTrue, self.wasFalse, self.failed) = (wasTrue, wasFalse, failed)
        }
    }

    /// The counters of one evaluator. It must not outlive the ruleset.
    struct Lane {
        fileprivate let cells: UnsafeMutablePointer<Atomic<UInt64>>
        fileprivate let permits: Int

        @inline(__always)
        func count(_ expression: Int32, _ isTrue: Bool) { increment(Int(expression) &* 3 &+ (isTrue ? 0 : 1)) }

        @inline(__always)
        func countFailure(_ expression: Int32) { increment(Int(expression) &* 3 &+ 2) }

        func countPermit(_ rule: Int) { increment(permits &+ rule) }

        @inline(__always)
        private func increment(_ cell: Int) {
            cells[cell].store(cells[cell].load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        }
    }

    /// When counting began, in seconds since 1970.
    public let since: Int64
    private let expressions: Int
    private let rules: Int
    private let lanes: Int
    /// The distance of lanes in cells, with at least 128 bytes between the used ones.
    private let stride: Int
    // Safe to share: the memory consists of atomics, lives as long as this object, and the pointer never changes.
    private nonisolated(unsafe) let cells: UnsafeMutablePointer<Atomic<UInt64>>

    init(expressions: Int, rules: Int, lanes: Int, since: Int64) {
        (self.expressions, self.rules, self.lanes, self.since) = (expressions, rules, lanes, since)
        stride = expressions * 3 + rules + 16
        cells = .allocate(capacity: stride * lanes)
        for index in 0..<stride * lanes { (cells + index).initialize(to: Atomic(0)) }
    }

    deinit {
        cells.deallocate()
    }

    /// Returns whether the counters fit a ruleset.
    func fit(expressions: Int, rules: Int, lanes: Int) -> Bool {
        self.expressions == expressions && self.rules == rules && self.lanes == lanes
    }

    @inline(__always)
    func lane(_ number: Int) -> Lane? {
        guard number >= 0, number < lanes else { return nil }
        return Lane(cells: cells + number &* stride, permits: expressions &* 3)
    }

    /// Returns the counts of each expression, by its index in `Ruleset.expressions`.
    public var counts: [Counts] {
        (0..<expressions).map { expression in
            Counts(
                wasTrue: sum(expression * 3), wasFalse: sum(expression * 3 + 1), failed: sum(expression * 3 + 2))
        }
    }

    /// Returns how often each `allow` permitted a request, by its index in `Ruleset.rules`.
    public var permits: [Int] { (0..<rules).map { sum(expressions * 3 + $0) } }

    private func sum(_ cell: Int) -> Int {
        let sum = (0..<lanes).reduce(UInt64(0)) { $0 &+ cells[$1 * stride + cell].load(ordering: .relaxed) }
        return Int(clamping: sum)
    }
}
