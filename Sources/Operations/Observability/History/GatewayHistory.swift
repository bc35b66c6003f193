import GatewayCore
import Synchronization

/// The readings of the last two hours, in bounded memory.
///
/// Samples are taken off the request path. The memory does not depend on the traffic or the configuration:
/// ``memoryLimit`` bytes, and the names of the series.
package final class GatewayHistory: Sendable {
    /// The time between two samples, in seconds.
    package static let interval = 10
    /// The maximum number of samples: two hours.
    package static let capacity = 720
    /// The maximum numbers of routes, key sets and servers with series of their own.
    static let routeLimit = 64
    static let keySetLimit = 16
    static let serverLimit = 32
    /// The memory of the samples, in bytes.
    package static var memoryLimit: Int { (Columns.count * 4 + 8) * capacity }

    struct State {
        var ring = SampleRing(columns: Columns.count, capacity: GatewayHistory.capacity)
        var routes = SeriesSlots(limit: GatewayHistory.routeLimit)
        var keySets = SeriesSlots(limit: GatewayHistory.keySetLimit)
        var servers = SeriesSlots(limit: GatewayHistory.serverLimit)
        var earlier = HistoryTotals()
        var load: Load?
    }

    /// The load in the interval before the last sample.
    package struct Load: Sendable, Equatable {
        /// Finished requests.
        package var requests: UInt64
        /// Processor time in microseconds. `nil` if the system does not report it.
        package var cpu: UInt64?
        /// The duration of the interval, in seconds, at least 1.
        package var seconds: UInt64
    }

    private let state = Mutex(State())

    /// Creates an empty history.
    package init() {}

    /// Adds a sample.
    ///
    /// - Parameter time: The time of the readings, in seconds since 1970.
    package func record(_ readings: GatewayReadings, at time: Int64) {
        let totals = HistoryTotals(readings)
        state.withLock { state in
            var row = HistoryRow()
            row.addRequests(totals, since: state.earlier, slots: state.routeSlots(of: totals))
            row.addLatencies(totals, since: state.earlier)
            row.addGauges(readings, totals, since: state.earlier)
            row.addKeySets(readings.keySets, slots: state.keySetSlots(of: readings))
            row.addServers(readings.upstreamServers, slots: state.serverSlots(of: readings))
            let before = state.ring.last ?? time - Int64(Self.interval)
            state.load = Load(
                requests: row.requests, cpu: totals.cpu.map { HistoryTotals.growth($0, state.earlier.cpu ?? 0) },
                seconds: UInt64(clamping: max(1, time.subtractingReportingOverflow(before).partialValue)))
            state.ring.append(row.cells, at: time)
            state.earlier = totals
        }
    }

    /// The load. `nil` before the first sample.
    package var load: Load? { state.withLock { $0.load } }

    /// Returns the samples after a time. `nil` for all.
    package func report(since time: Int64? = nil) -> HistoryReport {
        state.withLock { HistoryReport($0, since: time ?? .min) }
    }
}

extension GatewayHistory {
    /// The columns of a sample.
    enum Columns {
        static let codes = 0
        static let routes = codes + DecisionCode.count
        /// Requests without a route, and those of routes without a series.
        static let noRoute = routes + GatewayHistory.routeLimit
        static let otherRoutes = noRoute + 1
        static let latencies = otherRoutes + 1
        static let cache = latencies + HistoryTotals.latencyNames.count * quantiles.count
        static let keySets = cache + cacheNames.count
        static let store = keySets + GatewayHistory.keySetLimit * keySetNames.count
        static let servers = store + storeNames.count
        static let gauges = servers + GatewayHistory.serverLimit * serverNames.count
        static let count = gauges + gaugeNames.count

        static let quantiles: [(name: String, percent: UInt64)] = [("p50", 50), ("p90", 90), ("p99", 99)]
        static let cacheNames = ["hits", "misses", "evictions", "entries"]
        static let keySetNames = ["age", "refresh_in", "failing"]
        static let storeNames = ["age_ms", "connected", "writable"]
        static let serverNames = ["addresses", "healthy", "ejected", "requests"]
        static let gaugeNames = ["connections", "in_flight", "streams", "memory_bytes", "cpu_us"]
        /// The gauge that is stored in KiB.
        static let memory = 3
    }
}

extension GatewayHistory.State {
    mutating func routeSlots(of totals: HistoryTotals) -> [String: Int] {
        let (slots, replaced) = routes.assign(totals.routes.map(\.name).filter { $0 != HistoryTotals.noRoute })
        for slot in replaced { ring.clear(GatewayHistory.Columns.routes + slot, to: 0) }
        return slots
    }

    mutating func keySetSlots(of readings: GatewayReadings) -> [String: Int] {
        let (slots, replaced) = keySets.assign(readings.keySets.map(\.url))
        let width = GatewayHistory.Columns.keySetNames.count
        for slot in replaced { clear(GatewayHistory.Columns.keySets + slot * width, width) }
        return slots
    }

    mutating func serverSlots(of readings: GatewayReadings) -> [String: Int] {
        let (slots, replaced) = servers.assign(readings.upstreamServers.map(\.historyName))
        let width = GatewayHistory.Columns.serverNames.count
        for slot in replaced { clear(GatewayHistory.Columns.servers + slot * width, width) }
        return slots
    }

    private mutating func clear(_ first: Int, _ count: Int) {
        for column in first..<first + count { ring.clear(column, to: SampleRing.unknown) }
    }
}

extension UpstreamServerReading {
    /// The name of the server's series.
    var historyName: String { "\(upstream) \(server)" }
}
