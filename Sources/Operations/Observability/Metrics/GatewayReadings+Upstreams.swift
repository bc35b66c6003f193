import GatewayCore

extension GatewayReadings {
    var upstreamFamilies: [MetricFamily] {
        [
            routeHistogram(
                "gatehouse_upstream_duration_seconds",
                help: "Time from the forwarded head to the first byte of the response, by route.", .upstream),
            upstreamCounter("gatehouse_upstream_requests_total", help: "Requests forwarded.", .requests),
            MetricFamily(
                "gatehouse_upstream_responses_total", help: "Responses by status class.",
                .counters(
                    upstreamCounters(
                        by: "class",
                        [
                            (.status1xx, "1xx"), (.status2xx, "2xx"), (.status3xx, "3xx"), (.status4xx, "4xx"),
                            (.status5xx, "5xx"),
                        ]))),
            upstreamCounter("gatehouse_upstream_connects_total", help: "Connections opened.", .connects),
            upstreamCounter(
                "gatehouse_upstream_connect_failures_total", help: "Connections that could not be opened.",
                .connectFailures),
            upstreamCounter("gatehouse_upstream_retries_total", help: "Retried requests.", .retries),
            MetricFamily(
                "gatehouse_upstream_retry_reasons_total", help: "Retried requests by reason.",
                .counters(
                    upstreamCounters(
                        by: "reason",
                        [(.retriesReset, "reset"), (.retriesStatus, "status"), (.retriesTimeout, "timeout")]))),
            upstreamCounter(
                "gatehouse_upstream_retries_refused_total",
                help: "Retries denied by the retry budget.",
                .retriesRefused),
            upstreamCounter("gatehouse_upstream_timeouts_total", help: "Responses that timed out.", .timeouts),
            MetricFamily(
                "gatehouse_upstream_connections", help: "Connections of the pool by state.",
                .gauges(
                    upstreamGauges(.connectionsIdle, [("state", "idle")])
                        + upstreamGauges(.connectionsBusy, [("state", "busy")]))),
            MetricFamily(
                "gatehouse_upstream_streams", help: "Open streams of HTTP/2 connections.",
                .gauges(upstreamGauges(.streamsOpen, []))),
            MetricFamily(
                "gatehouse_upstream_connection_errors_total",
                help: "HTTP/2 connections that ended with an error, by reason.",
                .counters(
                    upstreamCounters(
                        by: "reason",
                        [
                            (.goAways, "goaway"), (.protocolErrors, "protocol"), (.lostConnections, "closed"),
                            (.pingTimeouts, "ping_timeout"),
                        ]))),
            MetricFamily(
                "gatehouse_upstream_waiting", help: "Requests waiting for a connection.",
                .gauges(upstreamGauges(.requestsWaiting, []))),
        ]
    }

    /// Returns the samples of counters that differ in one label.
    private func upstreamCounters(
        by label: StaticString, _ values: [(counter: WorkerCounters.UpstreamCounter, value: String)]
    ) -> [MetricSample<UInt64>] {
        knownUpstreams.flatMap { index, name in
            values.map { MetricSample([("upstream", name), (label, $0.value)], counters[$0.counter, upstream: index]) }
        }
    }

    private func upstreamCounter(
        _ name: StaticString, help: StaticString, _ counter: WorkerCounters.UpstreamCounter
    ) -> MetricFamily {
        MetricFamily(
            name, help: help,
            .counters(
                knownUpstreams.map { MetricSample([("upstream", $1)], counters[counter, upstream: $0]) }))
    }

    private func upstreamGauges(
        _ gauge: WorkerCounters.UpstreamGauge, _ labels: [(name: StaticString, value: String)]
    ) -> [MetricSample<Double>] {
        knownUpstreams.map { index, name in
            MetricSample([("upstream", name)] + labels, Double(counters[gauge, upstream: index]))
        }
    }

    private var knownUpstreams: [(Int, String)] {
        Array(upstreams.prefix(counters.upstreams).enumerated()).map { ($0.offset, $0.element) }
    }
}
