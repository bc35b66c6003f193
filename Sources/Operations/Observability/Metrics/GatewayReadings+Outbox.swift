import Revocation

extension GatewayReadings {
    var outboxFamilies: [MetricFamily] {
        guard let outbox else { return [] }
        let lanes = outbox.lanes.sorted { $0.key < $1.key }
        let deliveries = lanes.flatMap { name, lane -> [MetricSample<UInt64>] in
            [
                ("delivered", lane.delivered), ("failed", lane.failed), ("parked", lane.parkedCount),
                ("unknown_token", lane.unknown), ("discarded", lane.discarded),
            ].map { MetricSample([("destination", name), ("result", $0.0)], $0.1) }
        }
        func gauges(
            _ name: StaticString, help: StaticString, _ value: (OutboxStatus.Lane) -> Int64
        ) -> MetricFamily {
            let samples = lanes.map { MetricSample([("destination", $0.key)], Double(value($0.value))) }
            return MetricFamily(name, help: help, .gauges(samples))
        }
        return [
            MetricFamily(
                "gatehouse_outbox_deliveries_total",
                help: "Deliveries of revocations to providers and of events to the webhook, by result.",
                .counters(deliveries)),
            MetricFamily(
                "gatehouse_outbox_unsettled_total", help: "Results of deliveries that could not be stored at once.",
                .counters(lanes.map { MetricSample([("destination", $0.key)], $0.value.unsettled) })),
            MetricFamily(
                "gatehouse_outbox_dropped_total", help: "Messages that the outbox did not accept.",
                .counters([MetricSample([], outbox.dropped)])),
            gauges("gatehouse_outbox_messages", help: "Waiting messages of the outbox.") { Int64($0.count) },
            gauges("gatehouse_outbox_oldest_seconds", help: "The age of the oldest waiting message.") { $0.age ?? 0 },
            gauges("gatehouse_outbox_parked", help: "Parked messages of the outbox.") { Int64($0.parked) },
            gauges("gatehouse_outbox_lease", help: "1 if this gateway delivers the messages.") { $0.isHolder ? 1 : 0 },
            gauges("gatehouse_outbox_failing", help: "1 while the last delivery failed.") {
                $0.failing == nil ? 0 : 1
            },
        ]
    }
}
