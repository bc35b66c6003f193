/// The rate limits that all gateways share.
package struct RateLimitReading: Sendable {
    /// Whether the store can be charged.
    package var isShared: Bool
    /// The requests that only this gateway counted: without the store, or without memory for their buckets.
    package var local: (store: UInt64, memory: UInt64) = (0, 0)
    /// Requests that waited for a charge.
    package var waits: UInt64 = 0
    /// Charges of buckets.
    package var charges: (succeeded: UInt64, failed: UInt64) = (0, 0)

    package init(isShared: Bool) {
        self.isShared = isShared
    }
}

extension GatewayReadings {
    /// Empty before the first request with a shared limit.
    var rateLimitFamilies: [MetricFamily] {
        guard let rateLimits else { return [] }
        return [
            MetricFamily(
                "gatehouse_rate_limit_shared", help: "Whether limits with scope: fleet are shared through Redis.",
                .gauges([MetricSample([], rateLimits.isShared ? 1 : 0)])),
            MetricFamily(
                "gatehouse_rate_limit_local_total",
                help: "Requests to limits with scope: fleet that this gateway counted alone, by reason.",
                .counters([
                    MetricSample([("reason", "store")], rateLimits.local.store),
                    MetricSample([("reason", "memory")], rateLimits.local.memory),
                ])),
            MetricFamily(
                "gatehouse_rate_limit_waits_total", help: "Requests that waited for the charge of a shared bucket.",
                .counters([MetricSample([], rateLimits.waits)])),
            MetricFamily(
                "gatehouse_rate_limit_charges_total", help: "Charges of shared buckets, by result.",
                .counters([
                    MetricSample([("result", "succeeded")], rateLimits.charges.succeeded),
                    MetricSample([("result", "failed")], rateLimits.charges.failed),
                ])),
        ]
    }
}
