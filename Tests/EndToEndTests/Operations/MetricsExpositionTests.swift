import Foundation
import Testing

@testable import SystemFixtures

/// The text of `/metrics`, as Prometheus reads it.
@Suite(.sharedScenario) struct MetricsExpositionTests: SharedScenarioSuite {
    /// The text after permitted and denied requests.
    private func exposition() throws -> String {
        _ = try scenario.passes(.bearer(scenario.token(), "/me/metered"))
        _ = try scenario.send(.get("/me/metered"))
        _ = try scenario.send(.get("/no-such-path"))
        return try RawClient.exchange(
            scenario.gateway.adminPort, WireRequest(target: "/metrics", host: "localhost")
        ).text
    }

    @Test(.enabled(if: Promtool.isInstalled, Comment(rawValue: Promtool.absence)))
    func `promtool accepts the metrics`() throws {
        let folder = try ScratchFolder()
        let text = try exposition()
        #expect(text.contains("gatehouse_requests_total{"))
        try folder.write(text, to: "metrics.txt")
        let output = try Promtool.run("check", "metrics", input: folder.path("metrics.txt"))
        #expect(output.isEmpty, "\(output)")
    }

    @Test func `every metric is on its page, with exactly its labels`() throws {
        let page = try MetricsPage()
        let sample = #/(?<name>[a-z_0-9]+)(?:\{(?<labels>.*)\})? (?<value>\S+)/#
        for line in try exposition().split(separator: "\n") where !line.hasPrefix("#") {
            let match = try #require(line.wholeMatch(of: sample), "\(line)")
            let names = (match.labels ?? "").matches(of: #/(\w+)="/#).map { String($0.1) }
            #expect(page.labels(ofSeries: String(match.name)) == Set(names), "\(line)")
        }
    }
}
