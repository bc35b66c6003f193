/// The streams of decisions of the admin API.
package struct DecisionFeedReading: Sendable, Equatable {
    /// The current number of viewers.
    package var viewers = 0
    /// Queued events; decisions above the rate of their viewer; events that a full queue did not accept.
    package var sent: UInt64 = 0, sampled: UInt64 = 0, dropped: UInt64 = 0

    package init() {}

    /// Adds the events of a viewer.
    package mutating func add(_ other: DecisionFeedReading) {
        sent &+= other.sent
        sampled &+= other.sampled
        dropped &+= other.dropped
    }
}

extension GatewayReadings {
    /// Empty without a feed.
    var decisionFeedFamilies: [MetricFamily] {
        guard let decisionFeed else { return [] }
        return [
            MetricFamily(
                "gatehouse_decision_viewers", help: "Open streams of decisions of the admin API.",
                .gauges([MetricSample([], Double(decisionFeed.viewers))])),
            MetricFamily(
                "gatehouse_decision_events_total", help: "Decisions for viewers of the admin API, by result.",
                .counters([
                    MetricSample([("result", "queued")], decisionFeed.sent),
                    MetricSample([("result", "sampled")], decisionFeed.sampled),
                    MetricSample([("result", "dropped")], decisionFeed.dropped),
                ])),
        ]
    }
}
