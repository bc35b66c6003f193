/// The state of the export by OTLP.
package struct TelemetryReading: Sendable {
    /// The export of one signal.
    package struct Signal: Sendable {
        /// `traces` or `metrics`.
        package var name: String
        package var counts: Counts

        package init(name: String, counts: Counts) {
            self.name = name
            self.counts = counts
        }
    }

    /// Counters of one signal. An item is a span or a data point.
    package struct Counts: Sendable, Equatable {
        /// Requests that the receiver accepted, and requests that failed, retries included.
        package var accepted: UInt64 = 0
        package var failed: UInt64 = 0
        /// Items that the receiver accepted.
        package var exported: UInt64 = 0
        /// Items that the receiver rejected in a response with a partial success.
        package var rejected: UInt64 = 0
        /// Items of requests that were given up.
        package var lost: UInt64 = 0
        /// Items that were dropped because the queue was full.
        package var overflowed: UInt64 = 0

        package init() {}
    }

    package var signals: [Signal]
    /// The number of spans that wait for export.
    package var waitingSpans: Int

    package init(signals: [Signal], waitingSpans: Int) {
        self.signals = signals
        self.waitingSpans = waitingSpans
    }
}

extension GatewayReadings {
    var telemetryFamilies: [MetricFamily] {
        guard let telemetry else { return [] }
        return [
            MetricFamily(
                "gatehouse_otlp_requests_total", help: "Requests to the OTLP receiver by result.",
                .counters(telemetry.samples("result") { [("ok", $0.accepted), ("failed", $0.failed)] })),
            MetricFamily(
                "gatehouse_otlp_exported_total", help: "Spans and data points that the OTLP receiver accepted.",
                .counters(telemetry.signals.map { MetricSample([("signal", $0.name)], $0.counts.exported) })),
            MetricFamily(
                "gatehouse_otlp_dropped_total", help: "Spans and data points that were not exported, by reason.",
                .counters(
                    telemetry.samples("reason") {
                        [("queue_full", $0.overflowed), ("failed", $0.lost), ("rejected", $0.rejected)]
                    })),
            gauge(
                "gatehouse_otlp_waiting_spans", help: "Spans that wait for export.", Int64(telemetry.waitingSpans)),
        ]
    }
}

extension TelemetryReading {
    fileprivate func samples(
        _ label: StaticString, _ values: (Counts) -> [(String, UInt64)]
    ) -> [MetricSample<UInt64>] {
        signals.flatMap { signal in
            values(signal.counts).map { MetricSample([("signal", signal.name), (label, $0.0)], $0.1) }
        }
    }
}
