import GatewayCore

extension GatewayReadings {
    /// How long parts of a request's way take that the other histograms do not show by themselves.
    var stageFamilies: [MetricFamily] {
        let stages: [(String, WorkerCounters.Timing)] = [
            ("tls_handshake", .handshake), ("queue", .queue), ("connect", .connect),
        ]
        return [
            MetricFamily(
                "gatehouse_stage_seconds", help: "Time spent in parts of a request's way.",
                .histograms(stages.map { MetricSample([("stage", $0)], latencies($1)) }))
        ]
    }

    private func latencies(_ timing: WorkerCounters.Timing) -> LatencyHistogram {
        LatencyHistogram(buckets: Array(counters.buckets(timing)), sumNanoseconds: counters.sumNanoseconds(timing))
    }
}
