import GatewayCore
import Revocation

/// The counters from which a sample is computed, as the difference to those of the sample before.
struct HistoryTotals {
    /// The name of requests without a route.
    static let noRoute = "none"
    /// The histograms with a series, in the order of `latencies`.
    static let latencyNames = ["request", "decision", "upstream", "queue", "connect", "tls_handshake", "store_read"]

    /// Finished requests by code, and by the pattern of the route.
    var codes = [UInt64](repeating: 0, count: DecisionCode.count)
    var routes: [(name: String, count: UInt64)] = []
    /// The counts per bucket of `LatencyBuckets`.
    var latencies = [[UInt64]](repeating: [], count: latencyNames.count)
    var cacheHits: UInt64 = 0, cacheMisses: UInt64 = 0, cacheEvictions: UInt64 = 0
    /// Processor time in microseconds. `nil` if the system does not report it.
    var cpu: UInt64?

    /// Creates the totals of a process that has just started.
    init() {}

    init(_ readings: GatewayReadings) {
        let counters = readings.counters
        // Routes with the same pattern share a series.
        var places: [String: Int] = [:]
        for route in -1..<counters.routes {
            var sum: UInt64 = 0
            for code in DecisionCode.allCases {
                let count = counters.requests(route: route, code: code)
                codes[Int(code.rawValue)] &+= count
                sum &+= count
            }
            guard route < readings.routes.count else { continue }
            let name = route < 0 ? Self.noRoute : readings.routes[route]
            if let place = places[name] {
                routes[place].count &+= sum
            } else {
                places[name] = routes.count
                routes.append((name, sum))
            }
        }
        let routeTimings: [WorkerCounters.RouteTiming] = [.request, .decision, .upstream]
        let timings: [WorkerCounters.Timing] = [.queue, .connect, .handshake, .storeRead]
        latencies =
            routeTimings.map { Self.sum(of: $0, counters) }
            + timings.map { Array(counters.buckets($0)) }
        cacheHits = counters[.tokenCacheHits]
        cacheMisses = counters[.tokenCacheMisses]
        cacheEvictions = counters[.tokenCacheEvictions]
        cpu = readings.usage.map { UInt64(min(max(0, $0.cpuSeconds), 1e12) * 1e6) }
    }

    private static func sum(of timing: WorkerCounters.RouteTiming, _ counters: CountersSnapshot) -> [UInt64] {
        var sum = [UInt64](repeating: 0, count: LatencyBuckets.count)
        // The routes beyond the limit share the histogram that follows the timed ones.
        for route in -1..<min(counters.timedRoutes + 1, counters.routes) {
            for (bucket, count) in counters.buckets(timing, route: route).enumerated() { sum[bucket] &+= count }
        }
        return sum
    }

    /// Returns the counts of a histogram's values since earlier totals.
    func latencies(_ index: Int, since earlier: HistoryTotals) -> [UInt64] {
        latencies[index].enumerated().map { bucket, count in
            let before = earlier.latencies[index]
            return bucket < before.count ? Self.growth(count, before[bucket]) : count
        }
    }

    /// Returns the growth of a counter. A reload may have cleared it, and then it began at 0 again.
    static func growth(_ count: UInt64, _ earlier: UInt64) -> UInt64 { count >= earlier ? count - earlier : count }
}

/// One sample in the making.
struct HistoryRow {
    private typealias Columns = GatewayHistory.Columns

    private(set) var cells: [UInt32]
    /// Finished requests since the sample before.
    private(set) var requests: UInt64 = 0

    init() {
        cells = Array(repeating: 0, count: Columns.count)
        // A removed key set or server is unknown, not 0.
        for column in Array(Columns.keySets..<Columns.store) + Array(Columns.servers..<Columns.gauges) {
            cells[column] = SampleRing.unknown
        }
    }

    mutating func addRequests(_ totals: HistoryTotals, since earlier: HistoryTotals, slots: [String: Int]) {
        for code in totals.codes.indices {
            let growth = HistoryTotals.growth(totals.codes[code], earlier.codes[code])
            set(Columns.codes + code, growth)
            requests &+= growth
        }
        let before = Dictionary(earlier.routes.map { ($0.name, $0.count) }, uniquingKeysWith: { first, _ in first })
        var others: UInt64 = 0
        for (name, count) in totals.routes {
            let growth = HistoryTotals.growth(count, before[name] ?? 0)
            if name == HistoryTotals.noRoute {
                set(Columns.noRoute, growth)
            } else if let slot = slots[name] {
                set(Columns.routes + slot, growth)
            } else {
                others &+= growth
            }
        }
        set(Columns.otherRoutes, others)
    }

    mutating func addLatencies(_ totals: HistoryTotals, since earlier: HistoryTotals) {
        for index in totals.latencies.indices {
            let buckets = totals.latencies(index, since: earlier)
            for (place, quantile) in Columns.quantiles.enumerated() {
                let column = Columns.latencies + index * Columns.quantiles.count + place
                set(column, Self.quantile(quantile.percent, of: buckets))
            }
        }
    }

    /// Returns the upper bound of the bucket with a quantile, in microseconds. `nil` without values.
    static func quantile(_ percent: UInt64, of buckets: [UInt64]) -> UInt64? {
        let count = buckets.reduce(0, &+)
        guard count > 0 else { return nil }
        let (product, overflow) = count.multipliedReportingOverflow(by: percent)
        let rank = overflow ? count / 100 * percent : (product + 99) / 100
        var seen: UInt64 = 0
        let bucket = buckets.firstIndex { count in
            seen &+= count
            return seen >= rank
        }
        return bucket.map { LatencyBuckets.upperBound(of: $0) ?? 1 << 27 }
    }

    mutating func addGauges(_ readings: GatewayReadings, _ totals: HistoryTotals, since earlier: HistoryTotals) {
        let counters = readings.counters
        set(Columns.cache, HistoryTotals.growth(totals.cacheHits, earlier.cacheHits))
        set(Columns.cache + 1, HistoryTotals.growth(totals.cacheMisses, earlier.cacheMisses))
        set(Columns.cache + 2, HistoryTotals.growth(totals.cacheEvictions, earlier.cacheEvictions))
        set(Columns.cache + 3, counters[.tokenCacheEntries])
        set(Columns.store, readings.storeAge.map { UInt64(max(0, min($0, 4e6)) * 1000) })
        set(Columns.store + 1, readings.storeHealth.map { $0.isConnected ? 1 : 0 })
        set(Columns.store + 2, readings.storeIsWritable ? 1 : 0)
        set(Columns.gauges, counters[.connectionsOpen])
        set(Columns.gauges + 1, counters[.requestsInFlight])
        set(Columns.gauges + 2, counters[.streamsOpen])
        set(Columns.gauges + Columns.memory, readings.usage.map { UInt64(max(0, $0.residentBytes)) / 1024 })
        set(Columns.gauges + 4, totals.cpu.map { HistoryTotals.growth($0, earlier.cpu ?? 0) })
    }

    mutating func addKeySets(_ sets: [GatewayReadings.KeySet], slots: [String: Int]) {
        for set in sets {
            guard let slot = slots[set.url] else { continue }
            let column = Columns.keySets + slot * Columns.keySetNames.count
            self.set(column, set.age.map { UInt64(max(0, min($0, 4e9))) })
            self.set(column + 1, set.refreshIn)
            self.set(column + 2, set.isFailing ? 1 : 0)
        }
    }

    mutating func addServers(_ servers: [UpstreamServerReading], slots: [String: Int]) {
        for server in servers {
            guard let slot = slots[server.historyName] else { continue }
            let column = Columns.servers + slot * Columns.serverNames.count
            set(column, Int64(server.addresses))
            set(column + 1, Int64(server.healthy))
            set(column + 2, Int64(server.ejected))
            set(column + 3, Int64(server.requests))
        }
    }

    /// Sets a cell, at most to the largest known value.
    private mutating func set(_ column: Int, _ value: UInt64?) {
        cells[column] = value.map { UInt32(clamping: min($0, UInt64(SampleRing.unknown - 1))) } ?? SampleRing.unknown
    }

    private mutating func set(_ column: Int, _ value: Int64) { set(column, UInt64(clamping: value)) }
}
