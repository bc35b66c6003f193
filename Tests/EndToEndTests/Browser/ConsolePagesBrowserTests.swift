import DevelopmentIdentity
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

// Part of the suite of the console, because its browsers run one at a time.
extension ConsoleBrowserTests {
    /// The pages that show the gateway, with real data.
    @Suite struct ConsolePagesBrowserTests {
        private func shownRows(_ visit: ConsoleVisit) throws -> [String] {
            try visit.browser.evaluate(
                "return [...document.querySelectorAll('#view tbody tr')].map((row) => row.textContent)")
        }

        @Test func `the overview shows the state, and charts of the history`() async throws {
            try await ConsoleBrowserTests.visit { visit in
                try visit.open("#users")
                try await visit.signIn(ConsoleVisit.viewerToken)
                try await visit.wait(for: "#field-uid")
                let _: Bool? = try visit.browser.evaluate(Self.history)
                try visit.open("#overview")
                try await visit.wait(for: "figure path")
                #expect(try visit.browser.evaluate("return scrollY") as Int == 0, "the navigation stays visible")
                #expect(try visit.browser.text("#view section dd .badge") == "Ready")
                let paths: [String] = try visit.browser.evaluate(
                    "return [...document.querySelectorAll('figure path')].map((path) => path.getAttribute('d'))")
                #expect(paths.first == "M0.0 60.0L200.0 2.0L400.0 118.0")
                #expect(paths.contains("M0.0 60.0M400.0 2.0"), "an unknown value is a gap")
                let label: String = try visit.browser.evaluate(
                    "return document.querySelector('figure [role=img]').getAttribute('aria-label')")
                #expect(label.hasPrefix("Requests by decision. Now: ok 0/s, ") && label.hasSuffix(" Maximum: 2/s."))
                let legend: String = try visit.browser.evaluate("return document.querySelector('.legend').textContent")
                #expect(legend.contains(ConsoleBrowserTests.attack))
                try visit.expectAccessible("overview")
                try await visit.press("Pause refreshing", confirming: false)
                #expect(try visit.browser.evaluate("return document.activeElement.ariaPressed") as String == "true")
            }
        }

        /// Replaces the response with the history by a fixed one with a hostile name. No test waits for samples.
        private static let history = """
            const original = window.fetch;
            const quantiles = { p50: [1, 2, 3], p90: [1, 2, 3], p99: [4, 2, 3] };
            const ones = [1, 1, 1];
            const body = {
              now: 120, interval: 10, capacity: 720, started_at: 0, times: [100, 110, 120],
              codes: { ok: [10, 20, 0], [`\(ConsoleBrowserTests.attack)`]: [1, 0, 0] }, routes: { "/me/**": [10, 20, 0] },
              latency: { request: quantiles, decision: quantiles },
              token_cache: { hits: ones, misses: ones, evictions: ones, entries: ones },
              key_sets: {}, store: { age_ms: [1, null, 2], connected: ones, writable: ones }, upstreams: {},
              connections: ones, in_flight: ones, streams: ones, memory_bytes: ones, cpu_us: ones,
            };
            window.fetch = async (address, options) => String(address).includes("v1/history")
              ? new Response(JSON.stringify(body), { headers: { "Content-Type": "application/json" } })
              : original(address, options);
            """

        @Test func `live decisions are masked unless an operator asks, and show paths and claims as text`() async throws
        {
            try await ConsoleBrowserTests.visit { visit in
                let (uid, path) = ("<img src=x onerror=attacked=1>", "/me/'%3Cimg%20src=x%3E'")
                let token = try visit.scenario.token(.named(uid))
                try visit.open("#live")
                try await visit.signIn()
                try await visit.wait(for: "#field-code")
                for isMasked in [true, false] {
                    if !isMasked {
                        try await visit.press("Stop", confirming: false)
                        try visit.browser.click("#field-unmask")
                    }
                    try await visit.press("Start", confirming: false)
                    try await eventually("the stream") {
                        try visit.browser.text("#view > .hint").hasPrefix("At most 20 decisions a second") ? true : nil
                    }
                    let fields = ["User-Agent: \(uid)", "Referer: \(uid)"]
                    _ = try visit.scenario.send(.bearer(token, path, fields[0], fields[1]))
                    _ = try visit.scenario.send(.get("/me/anonymous"))
                    let shown = try await eventually("two decisions") {
                        let rows = try shownRows(visit)
                        return rows.count == 2 ? rows : nil
                    }
                    #expect(shown.contains { $0.contains("401 auth/missing-credential") })
                    let ok = try #require(shown.first { $0.contains("200 ok") })
                    #expect(ok.contains("~") == isMasked && ok.contains(uid) == !isMasked)
                    #expect(ok.contains(isMasked ? "127.0.0.0/24" : "127.0.0.1"))
                    #expect(ok.contains(isMasked ? "GET /me/**" : "GET \(path)"))
                }
                try await visit.press("Show", confirming: false)
                try await visit.wait(for: "#steps li")
                #expect(try !visit.browser.text("#steps li").isEmpty)
                try visit.expectAccessible("live")
                try await visit.scenario.gateway.untilLogged("event=unmask_decisions")
            }
        }

        @Test func `the configuration shows routes and warnings, and a broken file is reported as text`() async throws {
            try await ConsoleBrowserTests.visit(arrange: { $0["reload"] = "{ watch: null }" }) { visit in
                try visit.open("#configuration")
                try await visit.signIn()
                try await visit.wait(for: "#view table")
                let rows = try shownRows(visit)
                #expect(rows.contains { $0.hasPrefix("/recent/**") && $0.contains("a sign-in at most 5m ago") })
                try visit.expectAccessible("configuration")
                try await visit.press("Reload")
                try await visit.wait(for: "The configuration was read again and is active.", in: "#status")
                try visit.scenario.gateway.rewrite("<img src=x onerror=attacked=1>: 1\n")
                try await visit.press("Reload")
                try await eventually("the errors") {
                    try visit.browser.text("#error").contains("unknown key '<img src=x onerror=attacked=1>'")
                        ? true : nil
                }
            }
        }

        @Test func `the fleet shows the gateways with the same store`() async throws {
            let redis = try await RedisServer()
            try await Fleet.run(2, store: redis.store, arrange: { $0["admin"] = ConsoleVisit.admin }) { fleet in
                let visit = try await ConsoleVisit(fleet.first)
                try visit.open("#fleet")
                try await visit.signIn(ConsoleVisit.viewerToken)
                try await eventually("two gateways") { try shownRows(visit).count == 2 ? true : nil }
                try visit.expectAccessible("fleet")
                try ConsoleBrowserTests.expectNoComplaints(of: visit)
            }
        }
    }
}
