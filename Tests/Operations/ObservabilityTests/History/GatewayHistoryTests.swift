import GatewayCore
import Revocation
import Testing

@testable import Observability

struct GatewayHistoryTests {
    private let history = GatewayHistory()
    private let counters = WorkerCounters(routes: 3, upstreams: 1)

    private func readings(_ change: (inout GatewayReadings) -> Void = { _ in }) -> GatewayReadings {
        var readings = GatewayReadings(
            counters: counters.snapshot(), routes: ["/a", "/b"], upstreams: ["api"], workers: 1, startTime: 5)
        change(&readings)
        return readings
    }

    private func values(_ path: String..., in report: HistoryReport) -> [UInt64?]? {
        var members = report.series
        for name in path.dropLast() {
            guard case .group(let next) = members.first(where: { $0.name == name })?.part else { return nil }
            members = next
        }
        guard case .values(let values) = members.first(where: { $0.name == path.last })?.part else { return nil }
        return values
    }

    @Test func `a sample counts the requests since the one before, by code and route`() {
        counters.count(.ok, route: 0)
        counters.count(.ok, route: 0)
        counters.count(.routeNotFound, route: -1)
        history.record(readings(), at: 10)
        counters.count(.ok, route: 0)
        counters.count(.permissionDenied, route: 1)
        history.record(readings(), at: 20)
        history.record(readings(), at: 30)
        let report = history.report()
        #expect(report.times == [10, 20, 30])
        #expect(values("codes", "ok", in: report) == [2, 1, 0])
        #expect(values("codes", "route/not-found", in: report) == [1, 0, 0])
        #expect(values("codes", "auth/permission-denied", in: report) == [0, 1, 0])
        #expect(values("routes", "/a", in: report) == [2, 1, 0])
        #expect(values("routes", "/b", in: report) == [0, 1, 0])
        #expect(values("routes", "none", in: report) == [1, 0, 0])
        #expect(values("routes", "other", in: report) == nil)
        #expect(values("codes", "gateway/overloaded", in: report) == nil)
    }

    @Test func `only samples after the time are reported`() {
        for time in [10, 20, 30] as [Int64] {
            counters.count(.ok, route: 0)
            history.record(readings(), at: time)
        }
        let report = history.report(since: 10)
        #expect(report.times == [20, 30] && values("codes", "ok", in: report) == [1, 1])
        #expect(history.report(since: 30).times == [])
        #expect(history.report(since: .max).times == [])
    }

    @Test func `quantiles are those of the interval`() {
        for _ in 0..<90 { counters.record(.request, route: 0, nanoseconds: 1_500) }
        for _ in 0..<9 { counters.record(.request, route: 1, nanoseconds: 9_500) }
        counters.record(.request, route: -1, nanoseconds: 1_000_000_000_000)
        counters.record(.connect, nanoseconds: 3_500)
        history.record(readings(), at: 10)
        counters.record(.request, route: 0, nanoseconds: 4_500)
        history.record(readings(), at: 20)
        history.record(readings(), at: 30)
        let report = history.report()
        #expect(values("latency", "request", "p50", in: report) == [2, 5, nil])
        #expect(values("latency", "request", "p90", in: report) == [2, 5, nil])
        #expect(values("latency", "request", "p99", in: report) == [10, 5, nil])
        #expect(values("latency", "connect", "p50", in: report) == [4, nil, nil])
        #expect(values("latency", "store_read", "p50", in: report) == [nil, nil, nil])
        #expect(HistoryRow.quantile(99, of: [0, .max]) == 2)
        #expect(HistoryRow.quantile(50, of: [0, 0]) == nil)
    }

    @Test func `a counter that a reload cleared begins at 0`() {
        for _ in 0..<5 { counters.count(.ok, route: 1) }
        history.record(readings(), at: 10)
        let fresh = WorkerCounters(routes: 3, upstreams: 1)
        fresh.count(.ok, route: 1)
        history.record(readings { $0.counters = fresh.snapshot() }, at: 20)
        #expect(values("routes", "/b", in: history.report()) == [5, 1])
    }

    @Test func `the store, memory and processor time may be unknown`() throws {
        counters.add(3, to: .tokenCacheHits)
        counters.set(.streamsOpen, to: 4)
        history.record(readings(), at: 10)
        let usage = try #require(
            ProcessUsage(
                stat: "1 (x) S " + Array(repeating: "0", count: 10).joined(separator: " ")
                    + " 150 50 0 0 0 0 0 0 9 8192 5",
                units: ProcessUsage.Units(ticksPerSecond: 100, pageSize: 4096, bootTime: 0)))
        history.record(
            readings {
                $0.usage = usage
                $0.storeAge = 1.5
                $0.storeHealth = StoreHealth(isConnected: true)
                $0.storeIsWritable = false
            }, at: 20)
        let report = history.report()
        #expect(values("store", "age_ms", in: report) == [nil, 1500])
        #expect(values("store", "connected", in: report) == [nil, 1])
        #expect(values("store", "writable", in: report) == [1, 0])
        #expect(values("memory_bytes", in: report) == [nil, 20480])
        #expect(values("cpu_us", in: report) == [nil, 2_000_000])
        #expect(values("token_cache", "hits", in: report) == [3, 0])
        #expect(values("streams", in: report) == [4, 4])
    }

    @Test func `a removed server is unknown from then on`() {
        let server = { (name: String) in
            var reading = UpstreamServerReading(upstream: "api", server: name)
            (reading.addresses, reading.healthy, reading.ejected) = (2, 1, 1)
            return reading
        }
        history.record(readings { $0.upstreamServers = [server("http://a")] }, at: 10)
        history.record(readings { $0.upstreamServers = [server("http://b")] }, at: 20)
        let report = history.report()
        #expect(values("upstreams", "api http://a", "healthy", in: report) == [1, nil])
        #expect(values("upstreams", "api http://b", "ejected", in: report) == [nil, 1])
    }

    @Test func `the memory is bounded, whatever the number of samples and names`() {
        #expect(GatewayHistory.memoryLimit < 1_100_000)
        for sample in 0..<GatewayHistory.capacity + 5 {
            history.record(
                readings { $0.routes = ["/\(sample)", "/kept"] + (sample == 0 ? ["/x"] : []) }, at: Int64(sample))
        }
        let report = history.report()
        #expect(report.times.count == GatewayHistory.capacity)
        #expect(report.times.first == 5 && report.times.last == Int64(GatewayHistory.capacity + 4))
    }

    @Test func `a clock that was set back does not change the order`() {
        for time in [10, 5, 20] as [Int64] { history.record(readings(), at: time) }
        #expect(history.report().times == [10, 10, 20])
    }
}

struct SeriesSlotsTests {
    @Test func `names keep their slots, and a new name takes that of a removed one`() {
        var slots = SeriesSlots(limit: 2)
        #expect(slots.assign(["a", "b", "c"]).slots == ["a": 0, "b": 1])
        let (next, replaced) = slots.assign(["b", "c"])
        #expect(next == ["b": 1, "c": 0] && replaced == [0] && slots.names == ["c", "b"])
    }

    @Test func `a repeated name has one slot`() {
        var slots = SeriesSlots(limit: 3)
        #expect(slots.assign(["a", "a"]).slots == ["a": 0])
    }
}
