import GatewayCore
import Testing

@Suite struct WorkerCountersTests {
    let counters = WorkerCounters(routes: 3, upstreams: 2)

    @Test func requestsAreCountedByRouteAndCode() {
        counters.count(.ok, route: 2)
        counters.count(.ok, route: 2)
        counters.count(.idTokenExpired, route: 0)
        let snapshot = counters.snapshot()
        #expect(snapshot.requests(route: 2, code: .ok) == 2)
        #expect(snapshot.requests(route: 0, code: .idTokenExpired) == 1)
        #expect(snapshot.requests(route: 1, code: .ok) == 0)
    }

    @Test(arguments: [-1, -7, 3, Int.max])
    func aRequestWithoutARouteIsCountedAsNone(route: Int) {
        counters.count(.routeNotFound, route: route)
        #expect(counters.snapshot().requests(route: -1, code: .routeNotFound) == 1)
    }

    @Test func theLastCellOfEachKindIsItsOwn() {
        counters.count(.overloaded, route: 2)
        counters.add(3, to: .accessLogDropped)
        counters.set(.tokenCacheEntries, to: 5)
        counters.record(.decision, nanoseconds: .max)
        counters.adjust(.requestsWaiting, by: 7, upstream: 1)
        let snapshot = counters.snapshot()
        #expect(snapshot.requests(route: 2, code: .overloaded) == 1)
        #expect(snapshot[.accessLogDropped] == 3)
        #expect(snapshot[.tokenCacheEntries] == 5)
        #expect(snapshot.buckets(.decision).last == 1)
        #expect(snapshot.sumNanoseconds(.decision) == .max)
        #expect(snapshot[.requestsWaiting, upstream: 1] == 7)
        #expect(snapshot[.requests, upstream: 0] == 0)
    }

    @Test func gaugesRiseAndFallBelowZeroWithoutATrap() {
        counters.adjust(.connectionsOpen, by: 1)
        counters.adjust(.connectionsOpen, by: -2)
        #expect(counters.snapshot()[.connectionsOpen] == -1)
    }

    @Test func aPoolsGaugeIsSet() {
        counters.set(.connectionsBusy, to: 5, upstream: 1)
        counters.set(.connectionsBusy, to: 4, upstream: 1)
        #expect(counters.snapshot()[.connectionsBusy, upstream: 1] == 4)
    }

    @Test(arguments: [(200, WorkerCounters.UpstreamCounter.status2xx), (101, .status1xx), (599, .status5xx)])
    func anAnswerIsCountedByTheFirstDigitOfItsStatus(status: Int, counter: WorkerCounters.UpstreamCounter) {
        counters.countStatus(status, upstream: 1)
        #expect(counters.snapshot()[counter, upstream: 1] == 1)
    }

    @Test func anUpstreamThatDoesNotExistIsIgnored() {
        counters.add(to: .requests, upstream: 2)
        counters.add(to: .requests, upstream: -1)
        counters.countStatus(200, upstream: 2)
        counters.countStatus(99, upstream: 0)
        counters.adjust(.connectionsIdle, by: 1, upstream: 2)
        counters.set(.connectionsIdle, to: 1, upstream: 2)
        #expect(counters.snapshot() == CountersSnapshot(routes: 3, upstreams: 2))
    }

    @Test func aSnapshotDoesNotChangeAfterwards() {
        let before = counters.snapshot()
        counters.add(to: .tokenCacheHits)
        #expect(before[.tokenCacheHits] == 0)
    }

    @Test func workersAddUp() {
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
    }

    @Test func countersOfAnotherConfigurationDoNotMerge() {
        var total = counters.snapshot()
        let merged = total.merge(CountersSnapshot(routes: 2, upstreams: 2))
        #expect(!merged)
        #expect(total == counters.snapshot())
    }
}
