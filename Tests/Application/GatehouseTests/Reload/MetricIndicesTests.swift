import GatewayConfiguration
import Testing

@testable import Gatehouse
@testable import GatewayCore

struct MetricIndicesTests {
    private func configuration(_ paths: [String], upstreams: [String] = ["api"]) -> Configuration {
        var configuration = Configuration()
        configuration.routes = paths.map {
            Configuration.Route(path: $0, upstream: "api", location: SourceLocation(origin: "test"))
        }
        configuration.upstreams = upstreams.map { Configuration.Upstream(name: $0, servers: []) }
        return configuration
    }

    @Test func `a name keeps its row in any order`() throws {
        let first = configuration(["/a", "/b"])
        let indices = MetricIndices(first)
        let (a, b) = (indices.route("/a"), indices.route("/b"))
        let cleared = try #require(
            indices.adopt(MetricIndices.Names(configuration(["/c", "/b", "/a"])), besides: MetricIndices.Names(first)))
        #expect(cleared.routes.isEmpty && cleared.upstreams.isEmpty)
        #expect(indices.route("/a") == a && indices.route("/b") == b)
        #expect(indices.route("/c") == 2)
        #expect(indices.routeNames == ["/a", "/b", "/c"])
    }

    @Test func `routes with the same name are counted together`() {
        let indices = MetricIndices(configuration(["/a", "/a", "/b"]))
        #expect(indices.routeNames == ["/a", "/b"])
    }

    @Test func `a row is reused if no active configuration has its name`() throws {
        var current = configuration(["/0"])
        let indices = MetricIndices(current)
        for number in 1...2_000 {
            let next = configuration(["/\(number)"])
            let cleared = try #require(indices.adopt(MetricIndices.Names(next), besides: MetricIndices.Names(current)))
            // The previous configuration keeps its row.
            #expect(indices.route("/\(number - 1)") >= 0)
            #expect(!cleared.routes.contains(indices.route("/\(number - 1)")))
            #expect(cleared.routes.isEmpty || cleared.routes == [indices.route("/\(number)")])
            current = next
        }
        #expect(indices.routeNames.count == indices.routeCapacity)
    }

    @Test func `more names than rows are rejected without losing a row`() {
        let first = configuration(["/a"])
        let indices = MetricIndices(first)
        #expect(
            indices.adopt(
                MetricIndices.Names(configuration((0...indices.routeCapacity).map { "/\($0)" })),
                besides: MetricIndices.Names(first)) == nil)
        #expect(indices.route("/a") == 0)
        #expect(indices.routeNames == ["/a"])
    }

    @Test func `a reused row starts at zero`() {
        let counters = WorkerCounters(routes: 3, upstreams: 2)
        for route in -1..<3 { counters.count(.ok, route: route) }
        counters.add(to: .requests, upstream: 0)
        counters.add(to: .requests, upstream: 1)
        counters.clear(MetricIndices.Cleared(routes: [1], upstreams: [0]))
        let numbers = counters.snapshot()
        #expect((-1..<3).map { numbers.requests(route: $0, code: .ok) } == [1, 1, 0, 1])
        #expect(numbers[.requests, upstream: 0] == 0)
        #expect(numbers[.requests, upstream: 1] == 1)
    }
}
