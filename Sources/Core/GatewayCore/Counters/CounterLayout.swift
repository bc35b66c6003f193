/// Where each number stands in a worker's block of counters.
struct CounterLayout: Sendable, Equatable {
    // Computed from the last case, not stored: a stored static may cost a check on each access, and these fold to constants.

    /// Where the gauges begin in an upstream's cells, after its counters.
    static var upstreamGauges: Int { WorkerCounters.UpstreamCounter.status5xx.rawValue &+ 1 }
    /// The cells of one upstream.
    static var upstreamRow: Int { upstreamGauges &+ WorkerCounters.UpstreamGauge.requestsWaiting.rawValue &+ 1 }
    /// The cells of one timing: its buckets, then the sum in nanoseconds.
    static var timingRow: Int { LatencyBuckets.count &+ 1 }

    /// Rows by route, "no route" first, of one cell for each decision code, begin at 0.
    let routes: Int
    let upstreamCount: Int
    let counters: Int
    /// One cell for each phase of the decision.
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
