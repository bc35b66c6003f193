import GatewayCore
import Testing

@Suite struct WorkerCountersTests {
    let counters = WorkerCounters(routes: 3, upstreams: 2)

    @Test func `requests are counted by route and code`() {
        counters.count(.ok, route: 2)
        counters.count(.ok, route: 2)
        counters.count(.idTokenExpired, route: 0)
        let snapshot = counters.snapshot()
        #expect(snapshot.requests(route: 2, code: .ok) == 2)
        #expect(snapshot.requests(route: 0, code: .idTokenExpired) == 1)
        #expect(snapshot.requests(route: 1, code: .ok) == 0)
    }

    @Test(arguments: [-1, -7, 3, Int.max])
    func `a request without a route is counted under no route`(route: Int) {
        counters.count(.routeNotFound, route: route)
        #expect(counters.snapshot().requests(route: -1, code: .routeNotFound) == 1)
    }

    @Test func `the last cells of all kinds do not overlap`() {
        counters.count(.overloaded, route: 2)
        counters.add(3, to: .accessLogDropped)
        counters.set(.tokenCacheEntries, to: 5)
        counters.record(.handshake, nanoseconds: .max)
        counters.record(.request, route: -1, nanoseconds: 3)
        counters.record(.decision, route: 2, nanoseconds: .max)
        counters.adjust(.requestsWaiting, by: 7, upstream: 1)
        let snapshot = counters.snapshot()
        #expect(snapshot.requests(route: 2, code: .overloaded) == 1)
        #expect(snapshot[.accessLogDropped] == 3 && snapshot[.tokenCacheEntries] == 5)
        #expect(snapshot.buckets(.handshake).last == 1 && snapshot.sumNanoseconds(.handshake) == .max)
        #expect(snapshot.buckets(.request, route: -1).first == 1 && snapshot.sumNanoseconds(.request, route: -1) == 3)
        #expect(snapshot.buckets(.decision, route: 2).last == 1)
        #expect(snapshot.sumNanoseconds(.decision, route: 2) == .max)
        #expect(snapshot[.requestsWaiting, upstream: 1] == 7 && snapshot[.requests, upstream: 0] == 0)
    }

    @Test func `histograms are separate for each route up to a limit`() {
        let counters = WorkerCounters(routes: 200, upstreams: 0)
        for route in [-7, -1, 0, 127, 128, 199, 200] { counters.record(.upstream, route: route, nanoseconds: 1) }
        let snapshot = counters.snapshot()
        #expect(snapshot.timedRoutes == 128)
        let counts = [-1, 0, 1, 127, 128, 199].map { snapshot.buckets(.upstream, route: $0)[...].reduce(0, +) }
        #expect(counts == [3, 1, 0, 1, 2, 2])
        #expect(snapshot.buckets(.request, route: 0).allSatisfy { $0 == 0 })
    }

    @Test func `a row that is reassigned begins with empty histograms`() throws {
        let indices = MetricIndices(routes: ["/a"], upstreams: [])
        let counters = WorkerCounters(indices)
        counters.record(.request, route: 0, nanoseconds: 1)
        counters.record(.request, route: 1, nanoseconds: 1)
        let full = (0..<indices.routeCapacity).map { "/\($0)" }
        let adopted = indices.adopt(.init(routes: full, upstreams: []), besides: .init(routes: [], upstreams: []))
        let cleared = try #require(adopted)
        counters.clear(cleared)
        let snapshot = counters.snapshot()
        #expect(snapshot.sumNanoseconds(.request, route: 0) == 0 && snapshot.sumNanoseconds(.request, route: 1) == 1)
    }

    @Test func `gauges rise and fall below zero without a trap`() {
        counters.adjust(.connectionsOpen, by: 1)
        counters.adjust(.connectionsOpen, by: -2)
        #expect(counters.snapshot()[.connectionsOpen] == -1)
        for value in [5, 4] as [Int64] { counters.set(.connectionsBusy, to: value, upstream: 1) }
        #expect(counters.snapshot()[.connectionsBusy, upstream: 1] == 4)
    }

    @Test(arguments: [(200, WorkerCounters.UpstreamCounter.status2xx), (101, .status1xx), (599, .status5xx)])
    func `a response is counted by the first digit of its status`(status: Int, counter: WorkerCounters.UpstreamCounter)
    {
        counters.countStatus(status, upstream: 1)
        #expect(counters.snapshot()[counter, upstream: 1] == 1)
    }

    @Test func `an upstream that does not exist is ignored`() {
        counters.add(to: .requests, upstream: 2)
        counters.add(to: .requests, upstream: -1)
        counters.countStatus(200, upstream: 2)
        counters.countStatus(99, upstream: 0)
        counters.adjust(.connectionsIdle, by: 1, upstream: 2)
        counters.set(.connectionsIdle, to: 1, upstream: 2)
        #expect(counters.snapshot() == CountersSnapshot(routes: 3, upstreams: 2))
    }

    @Test func `a snapshot does not change afterwards`() {
        let before = counters.snapshot()
        counters.add(to: .tokenCacheHits)
        #expect(before[.tokenCacheHits] == 0)
    }

    @Test func `the counters of workers add up`() {
        let other = WorkerCounters(routes: 3, upstreams: 2)
        counters.count(.ok, route: 1)
        other.count(.ok, route: 1)
        counters.set(.connectionsOpen, to: 4)
        other.set(.connectionsOpen, to: 5)
        var total = counters.snapshot()
        let merged = total.merge(other.snapshot())
        #expect(merged)
        #expect(total.requests(route: 1, code: .ok) == 2)
        #expect(total[.connectionsOpen] == 9)
        let before = total
        let mergedOther = total.merge(CountersSnapshot(routes: 2, upstreams: 2))
        #expect(!mergedOther && total == before, "another configuration")
    }
}

@Suite struct LatencyBucketsTests {
    @Test func `the first bounds are whole microseconds`() {
        let bounds = (0..<13).map { LatencyBuckets.upperBound(of: $0) }
        #expect(bounds == [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20])
    }

    @Test func `bounds increase and only the last bucket is unbounded`() {
        let bounds = (0..<LatencyBuckets.count).map { LatencyBuckets.upperBound(of: $0) }
        #expect(bounds.last == .some(nil))
        let finite = bounds.compactMap { $0 }
        #expect(finite.count == LatencyBuckets.count - 1)
        #expect(zip(finite, finite.dropFirst()).allSatisfy(<))
        #expect(finite.last == 1 << 27)
    }

    @Test func `a bound is inclusive`() throws {
        for index in 0..<LatencyBuckets.count - 1 {
            let bound = try #require(LatencyBuckets.upperBound(of: index)) * 1000
            #expect(LatencyBuckets.index(nanoseconds: bound) == index)
            #expect(LatencyBuckets.index(nanoseconds: bound + 1) == index + 1)
        }
    }

    @Test(arguments: [(UInt64(0), 0), (1, 0), (1000, 0), (1001, 1), (UInt64.max, LatencyBuckets.count - 1)])
    func `the ends of the range fall into the end buckets`(nanoseconds: UInt64, bucket: Int) {
        #expect(LatencyBuckets.index(nanoseconds: nanoseconds) == bucket)
    }
}
