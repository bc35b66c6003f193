/// The offsets of the numbers in a worker's block of counters.
struct CounterLayout: Sendable, Equatable {
    // These are computed instead of stored: a stored static may be checked on each access, but these fold to constants.

    /// The offset of the gauges among an upstream's cells, after its counters.
    static var upstreamGauges: Int { WorkerCounters.UpstreamCounter.status5xx.rawValue &+ 1 }
    /// The number of cells of one upstream.
    static var upstreamRow: Int { upstreamGauges &+ WorkerCounters.UpstreamGauge.requestsWaiting.rawValue &+ 1 }
    /// The number of cells of one timing: its buckets, then the sum in nanoseconds.
    static var timingRow: Int { LatencyBuckets.count &+ 1 }

    /// The rows of routes begin at offset 0, "no route" first, with one cell for each decision code.
    let routes: Int
    let upstreamCount: Int
    let counters: Int
    /// One cell for each decision phase.
    let denials: Int
    let gauges: Int
    let timings: Int
    let upstreams: Int
    let count: Int

    init(routes: Int, upstreams upstreamCount: Int) {
        self.routes = routes
        self.upstreamCount = upstreamCount
        counters = (routes + 1) * DecisionCode.count
        denials = counters + WorkerCounters.Counter.allCases.count
        gauges = denials + DecisionPhase.allCases.count
        timings = gauges + WorkerCounters.Gauge.allCases.count
        upstreams = timings + WorkerCounters.Timing.allCases.count * Self.timingRow
        count = upstreams + upstreamCount * Self.upstreamRow
    }
}
