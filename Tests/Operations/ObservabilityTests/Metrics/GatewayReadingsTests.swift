import GatewayCore
import Testing

@testable import Observability

struct GatewayReadingsTests {
    private func lines(_ change: (WorkerCounters, inout GatewayReadings) -> Void) -> [Substring] {
        let counters = WorkerCounters(routes: 2, upstreams: 1)
        var readings = GatewayReadings(
            counters: counters.snapshot(), routes: ["/a/{id}", "/b"], upstreams: ["api"], workers: 2, startTime: 7)
        change(counters, &readings)
        readings.counters = counters.snapshot()
        return readings.snapshot().prometheusText().split(separator: "\n")
    }

    @Test func `requests are counted by route and code`() {
        let lines = lines { counters, _ in
            counters.count(.ok, route: 0)
            counters.count(.requiresRecentLogin, route: 0)
            counters.count(.routeNotFound, route: -1)
        }
        #expect(
            lines.filter { $0.hasPrefix("gatehouse_requests_total") } == [
                #"gatehouse_requests_total{route="/a/{id}",code="ok"} 1"#,
                #"gatehouse_requests_total{route="/a/{id}",code="auth/requires-recent-login"} 1"#,
                #"gatehouse_requests_total{route="none",code="route/not-found"} 1"#,
            ])
    }

    @Test func `routes with the same name share one series`() {
        let lines = lines { counters, readings in
            readings.routes = ["/a", "/a"]
            counters.count(.ok, route: 0)
            counters.count(.ok, route: 1)
        }
        #expect(lines.contains(#"gatehouse_requests_total{route="/a",code="ok"} 2"#))
    }

    @Test func `clients of introspection that are not authenticated are counted by result`() {
        let lines = lines { counters, _ in
            counters.add(3, to: .introspectionClientsRefused)
            counters.add(5, to: .introspectionClientsLimited)
        }
        #expect(
            lines.filter { $0.hasPrefix("gatehouse_introspection_client_failures_total") } == [
                #"gatehouse_introspection_client_failures_total{result="refused"} 3"#,
                #"gatehouse_introspection_client_failures_total{result="limited"} 5"#,
            ])
    }

    @Test func `latencies are reported by route`() {
        let lines = lines { counters, _ in
            counters.record(.decision, route: 0, nanoseconds: 1_500)
            counters.record(.decision, route: 0, nanoseconds: 1_500)
            counters.record(.decision, route: -1, nanoseconds: 500)
        }
        #expect(lines.contains(#"gatehouse_decision_duration_seconds_bucket{route="/a/{id}",le="0.000001"} 0"#))
        #expect(lines.contains(#"gatehouse_decision_duration_seconds_bucket{route="/a/{id}",le="0.000002"} 2"#))
        #expect(lines.contains(#"gatehouse_decision_duration_seconds_sum{route="/a/{id}"} 3e-06"#))
        #expect(
            lines.filter { $0.hasPrefix("gatehouse_decision_duration_seconds_count") } == [
                #"gatehouse_decision_duration_seconds_count{route="/a/{id}"} 2"#,
                #"gatehouse_decision_duration_seconds_count{route="none"} 1"#,
            ])
    }

    @Test func `the routes beyond the limit share a histogram`() {
        let counters = WorkerCounters(routes: 300, upstreams: 0)
        for route in -1..<300 { counters.record(.request, route: route, nanoseconds: 1) }
        let readings = GatewayReadings(
            counters: counters.snapshot(), routes: (0..<300).map { "/\($0)" }, upstreams: [], workers: 1, startTime: 0)
        let counts = readings.snapshot().prometheusText().split(separator: "\n")
            .filter { $0.hasPrefix("gatehouse_request_duration_seconds_count") }
        #expect(counts.count == 130)
        #expect(counts.contains(#"gatehouse_request_duration_seconds_count{route="/127"} 1"#))
        #expect(counts.contains(#"gatehouse_request_duration_seconds_count{route="other"} 172"#))
    }

    @Test func `the build and the process are reported`() throws {
        let lines = lines { _, readings in
            readings.version = "1.2.3"
            readings.usage = ProcessUsage(
                stat: ProcessUsageTests.stat, units: .init(ticksPerSecond: 100, pageSize: 4096, bootTime: 1000))
        }
        let build = try #require(lines.first { $0.hasPrefix("gatehouse_build_info{") })
        #expect(build.wholeMatch(of: /gatehouse_build_info\{version="1.2.3",commit="\w+",swift="6\.\d.*"\} 1/) != nil)
        #expect(
            lines.filter { $0.hasPrefix("process_") } == [
                "process_cpu_seconds_total 2.5", "process_resident_memory_bytes 8192",
                "process_virtual_memory_bytes 123456789", "process_open_fds 0", "process_max_fds 0",
                "process_start_time_seconds 1050.25",
            ])
        #expect(lines.contains("# TYPE process_cpu_seconds_total counter"))
    }

    @Test func `a key set that was never fetched has an infinite age`() {
        let lines = lines { _, readings in
            readings.keySets = [.init(url: "https://k", age: nil, keys: 0, fetches: 0, failures: 3)]
        }
        #expect(lines.contains(#"gatehouse_key_set_age_seconds{key_set="https://k"} +Inf"#))
        #expect(lines.contains(#"gatehouse_key_set_fetches_total{key_set="https://k",result="failed"} 3"#))
        #expect(lines.contains("gatehouse_store_age_seconds +Inf"))
    }

    @Test func `an insecure option is reported`() {
        let lines = lines { $1.insecureOptions = ["identity.firebase.insecure_emulator"] }
        #expect(lines.contains(#"gatehouse_insecure_option{option="identity.firebase.insecure_emulator"} 1"#))
    }

    @Test func `connections and responses are reported by upstream`() {
        let lines = lines { counters, _ in
            counters.adjust(.connectionsBusy, by: 2, upstream: 0)
            counters.countStatus(404, upstream: 0)
        }
        #expect(lines.contains(#"gatehouse_upstream_connections{upstream="api",state="busy"} 2"#))
        #expect(lines.contains(#"gatehouse_upstream_responses_total{upstream="api",class="4xx"} 1"#))
    }

    @Test func `every family and every series is unique`() {
        let lines = lines { counters, readings in
            counters.count(.ok, route: 0)
            readings.keySets = [.init(url: "k", age: 1, keys: 1, fetches: 1, failures: 0)]
        }
        let types = lines.filter { $0.hasPrefix("# TYPE") }
        #expect(Set(types).count == types.count)
        let series = lines.filter { !$0.hasPrefix("#") }.map { $0.prefix { $0 != " " } }
        #expect(Set(series).count == series.count)
    }
}
