/// The offsets of the numbers in a worker's block of counters.
struct CounterLayout: Sendable, Equatable {
    // These are computed instead of stored: a stored static may be checked on each access, but these fold to constants.

    /// The offset of the gauges among an upstream's cells, after its counters.
    static var upstreamGauges: Int { WorkerCounters.UpstreamCounter.status5xx.rawValue &+ 1 }
    /// The number of cells of one upstream.
    static var upstreamRow: Int { upstreamGauges &+ WorkerCounters.UpstreamGauge.streamsOpen.rawValue &+ 1 }
    /// The number of cells of one timing: its buckets, then the sum in nanoseconds.
    static var timingRow: Int { LatencyBuckets.count &+ 1 }
    /// The number of cells of the histograms of one route.
    static var routeTimingBlock: Int { (WorkerCounters.RouteTiming.decision.rawValue &+ 1) &* timingRow }

    /// The maximum number of routes with separate histograms. Each takes 2.5 KB per worker, and 318 series.
    static var timedRoutesLimit: Int { 128 }

    /// The rows of routes begin at offset 0, "no route" first, with one cell for each decision code.
    let routes: Int
    let upstreamCount: Int
    let counters: Int
    /// One cell for each decision phase.
    let denials: Int
    let gauges: Int
    let timings: Int
    /// One block of histograms for "no route", one for each timed route, and one for all other routes.
    let routeTimings: Int
    let timedRoutes: Int
    let upstreams: Int
    let count: Int

    init(routes: Int, upstreams upstreamCount: Int) {
        self.routes = routes
        self.upstreamCount = upstreamCount
        counters = (routes + 1) * DecisionCode.count
        denials = counters + WorkerCounters.Counter.allCases.count
        gauges = denials + DecisionPhase.allCases.count
        timings = gauges + WorkerCounters.Gauge.allCases.count
        routeTimings = timings + WorkerCounters.Timing.allCases.count * Self.timingRow
        timedRoutes = min(routes, Self.timedRoutesLimit)
        upstreams = routeTimings + (timedRoutes + 2) * Self.routeTimingBlock
        count = upstreams + upstreamCount * Self.upstreamRow
    }

    /// The offset of a histogram of a route: -1 is "no route", and indices from `timedRoutes` on share a block.
    @inline(__always)
    func offset(of timing: WorkerCounters.RouteTiming, route: Int) -> Int {
        let block = route >= 0 && route < routes ? min(route, timedRoutes) &+ 1 : 0
        return routeTimings &+ block &* Self.routeTimingBlock &+ timing.rawValue &* Self.timingRow
    }
}
