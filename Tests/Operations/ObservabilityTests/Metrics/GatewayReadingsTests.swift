import GatewayCore
import Observability
import Testing

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

    @Test func `routes of the same name are one series`() {
        let lines = lines { counters, readings in
            readings.routes = ["/a", "/a"]
            counters.count(.ok, route: 0)
            counters.count(.ok, route: 1)
        }
        #expect(lines.contains(#"gatehouse_requests_total{route="/a",code="ok"} 2"#))
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
