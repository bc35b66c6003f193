import Revocation

extension GatewayReadings {
    var outboxFamilies: [MetricFamily] {
        guard let status = outbox else { return [] }
        let deliveries = OutboxMessage.Kind.allCases.flatMap { kind -> [MetricSample<UInt64>] in
            let counts = status[kind: kind]
            return [("delivered", counts.delivered), ("failed", counts.failed), ("parked", counts.parked)].map {
                MetricSample([("kind", kind.rawValue), ("result", $0.0)], $0.1)
            }
        }
        return [
            MetricFamily(
                "gatehouse_outbox_deliveries_total",
                help: "Deliveries of revocations to providers and of events to the webhook, by result.",
                .counters(deliveries)),
            MetricFamily(
                "gatehouse_outbox_dropped_total", help: "Messages that the outbox did not accept.",
                .counters([MetricSample([], status.dropped)])),
            gauge("gatehouse_outbox_messages", help: "Waiting messages of the outbox.", Int64(status.count)),
            gauge(
                "gatehouse_outbox_oldest_seconds", help: "The age of the oldest waiting message.", status.age ?? 0),
            gauge("gatehouse_outbox_parked", help: "Parked messages of the outbox.", Int64(status.parked)),
            gauge(
                "gatehouse_outbox_lease", help: "1 if this gateway delivers the messages.", status.isHolder ? 1 : 0),
            gauge(
                "gatehouse_outbox_failing", help: "1 while the last delivery failed.", status.failing == nil ? 0 : 1),
        ]
    }
}
