import GatewayCore
import Observability
import Testing

struct PrometheusTextTests {
    private func text(_ samples: MetricFamily.Samples, help: StaticString = "Help.") -> String {
        MetricsSnapshot(families: [MetricFamily("a_metric", help: help, samples)]).prometheusText()
    }

    @Test func `a counter has help, type and labels`() {
        let text = text(.counters([MetricSample([("route", "/a"), ("code", "ok")], 3)]))
        #expect(text == "# HELP a_metric Help.\n# TYPE a_metric counter\na_metric{route=\"/a\",code=\"ok\"} 3\n")
    }

    @Test func `a value without labels has no braces`() {
        #expect(text(.gauges([MetricSample([], 2.5)])).hasSuffix("\na_metric 2.5\n"))
    }

    @Test func `backslashes, quotes and line feeds of labels are escaped`() {
        let text = text(.counters([MetricSample([("l", "a\\b\"c\nd\r\né")], 1)]))
        #expect(text.hasSuffix("a_metric{l=\"a\\\\b\\\"c\\nd\r\\né\"} 1\n"))
    }

    @Test func `help keeps its quotes and escapes its line feeds`() {
        #expect(text(.counters([]), help: "a \"b\"\nc\\d").hasPrefix("# HELP a_metric a \"b\"\\nc\\\\d\n"))
    }

    @Test(arguments: [
        (Double.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"), (0, "0"), (1e20, "1e+20"), (-3, "-3"),
    ])
    func `numbers have Prometheus' format`(value: Double, spelled: String) {
        #expect(text(.gauges([MetricSample([], value)])).hasSuffix("a_metric \(spelled)\n"))
    }

    @Test func `a histogram is cumulative and ends with infinity`() {
        var buckets = [UInt64](repeating: 0, count: LatencyBuckets.count)
        buckets[0] = 2
        buckets[8] = 1
        buckets[LatencyBuckets.count - 1] = 4
        let lines = text(
            .histograms([MetricSample([], LatencyHistogram(buckets: buckets, sumNanoseconds: 1_500_000_000))])
        )
        .split(separator: "\n").map(String.init)
        #expect(lines[2] == "a_metric_bucket{le=\"0.000001\"} 2")
        #expect(lines[9] == "a_metric_bucket{le=\"0.000008\"} 2")
        #expect(lines[10] == "a_metric_bucket{le=\"0.00001\"} 3")
        #expect(
            Array(lines.suffix(4)) == [
                "a_metric_bucket{le=\"134.217728\"} 3", "a_metric_bucket{le=\"+Inf\"} 7", "a_metric_sum 1.5",
                "a_metric_count 7",
            ])
    }
}
