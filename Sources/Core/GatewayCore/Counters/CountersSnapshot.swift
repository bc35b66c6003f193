/// The counters of one worker at one time, or the sum of several workers.
package struct CountersSnapshot: Sendable, Equatable {
    private let layout: CounterLayout
    private var cells: [UInt64]
    /// The numbers of checked App Check tokens.
    package private(set) var appChecks: AppCheckCounts

    init(layout: CounterLayout, cells: [UInt64], appChecks: AppCheckCounts = AppCheckCounts()) {
        self.layout = layout
        self.cells = cells
        self.appChecks = appChecks
    }

    /// Creates a snapshot of zeros, to merge others into.
    package init(routes: Int, upstreams: Int) {
        layout = CounterLayout(routes: routes, upstreams: upstreams)
        cells = Array(repeating: 0, count: layout.count)
        appChecks = AppCheckCounts()
    }

    /// The number of routes with separate counters.
    package var routes: Int { layout.routes }
    /// The number of routes with separate histograms.
    package var timedRoutes: Int { layout.timedRoutes }
    /// The number of upstreams with separate counters.
    package var upstreams: Int { layout.upstreamCount }

    /// Adds another worker's numbers. Gauges are added too, since workers share nothing. Returns `false`, without a
    /// change, if the number of routes or upstreams differs.
    @discardableResult
    package mutating func merge(_ other: CountersSnapshot) -> Bool {
        guard other.layout == layout else { return false }
        for index in cells.indices { cells[index] &+= other.cells[index] }
        appChecks.merge(other.appChecks)
        return true
    }

    /// Returns the number of requests on that route with that result; -1 is "no route".
    package func requests(route: Int, code: DecisionCode) -> UInt64 {
        cells[(route + 1) * DecisionCode.count + Int(code.rawValue)]
    }

    /// Returns the number of requests that this phase denied.
    package func denials(in phase: DecisionPhase) -> UInt64 {
        cells[layout.denials + Int(phase.rawValue)]
    }

    /// A counter's value.
    package subscript(counter: WorkerCounters.Counter) -> UInt64 {
        cells[layout.counters + counter.rawValue]
    }

    /// A gauge's value.
    package subscript(gauge: WorkerCounters.Gauge) -> Int64 {
        Int64(bitPattern: cells[layout.gauges + gauge.rawValue])
    }

    /// The value of an upstream's counter.
    package subscript(counter: WorkerCounters.UpstreamCounter, upstream upstream: Int) -> UInt64 {
        cells[layout.upstreams + upstream * CounterLayout.upstreamRow + counter.rawValue]
    }

    /// The value of a gauge of an upstream's pool.
    package subscript(gauge: WorkerCounters.UpstreamGauge, upstream upstream: Int) -> Int64 {
        let column = CounterLayout.upstreamGauges + gauge.rawValue
        return Int64(bitPattern: cells[layout.upstreams + upstream * CounterLayout.upstreamRow + column])
    }

    /// Returns the counts of a timing by bucket of `LatencyBuckets`, not cumulative.
    package func buckets(_ timing: WorkerCounters.Timing) -> ArraySlice<UInt64> {
        let row = layout.timings + timing.rawValue * CounterLayout.timingRow
        return cells[row..<row + LatencyBuckets.count]
    }

    /// Returns the sum of a timing's values, in nanoseconds.
    package func sumNanoseconds(_ timing: WorkerCounters.Timing) -> UInt64 {
        cells[layout.timings + timing.rawValue * CounterLayout.timingRow + LatencyBuckets.count]
    }

    /// Returns the counts of a timing of a route; -1 is "no route", and all indices from `timedRoutes` on have the same
    /// counts.
    package func buckets(_ timing: WorkerCounters.RouteTiming, route: Int) -> ArraySlice<UInt64> {
        let row = layout.offset(of: timing, route: route)
        return cells[row..<row + LatencyBuckets.count]
    }

    /// Returns the sum of a route's values, in nanoseconds.
    package func sumNanoseconds(_ timing: WorkerCounters.RouteTiming, route: Int) -> UInt64 {
        cells[layout.offset(of: timing, route: route) + LatencyBuckets.count]
    }
}
