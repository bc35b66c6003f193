package import Authentication

extension GatewayReadings {
    /// What is asked of a provider about its opaque tokens.
    package struct Introspection: Sendable {
        /// The provider's id.
        package var provider: String
        /// Calls that ended, by what came of them.
        package var accepted: UInt64 = 0, refused: UInt64 = 0, failed: UInt64 = 0
        /// Questions that needed no call of their own: answered from memory, or with another's call.
        package var remembered: UInt64 = 0, shared: UInt64 = 0
        /// Questions that got no answer: for want of places or time, or while the provider was left alone.
        package var overflowed: UInt64 = 0, paused: UInt64 = 0
        /// Calls that run, and that wait for their turn.
        package var running = 0, waiting = 0
        /// Whether the last call failed.
        package var isFailing = false

        /// Nothing happened yet.
        package init(provider: String) {
            self.provider = provider
        }
    }

    var introspectionFamilies: [MetricFamily] {
        guard !introspections.isEmpty else { return [] }
        return [
            MetricFamily(
                "gatehouse_introspection_calls_total", help: "Calls about opaque tokens by their result.",
                .counters(
                    samples("result") { [("accepted", $0.accepted), ("refused", $0.refused), ("failed", $0.failed)] })),
            MetricFamily(
                "gatehouse_introspection_without_call_total",
                help: "Questions about opaque tokens without a call of their own, by why.",
                .counters(
                    samples("why") {
                        [
                            ("remembered", $0.remembered), ("shared", $0.shared), ("overflowed", $0.overflowed),
                            ("paused", $0.paused),
                        ]
                    })),
            gauges("gatehouse_introspection_running", help: "Calls about opaque tokens that run.") { $0.running },
            gauges("gatehouse_introspection_waiting", help: "Calls about opaque tokens that wait for their turn.") {
                $0.waiting
            },
            gauges("gatehouse_introspection_failing", help: "1 while the last call to the provider failed.") {
                $0.isFailing ? 1 : 0
            },
        ]
    }

    private func samples(
        _ label: StaticString, _ values: (Introspection) -> [(String, UInt64)]
    ) -> [MetricSample<UInt64>] {
        introspections.flatMap { provider in
            values(provider).map { MetricSample([("provider", provider.provider), (label, $0.0)], $0.1) }
        }
    }

    private func gauges(
        _ name: StaticString, help: StaticString, _ value: (Introspection) -> Int
    ) -> MetricFamily {
        MetricFamily(
            name, help: help,
            .gauges(introspections.map { MetricSample([("provider", $0.provider)], Double(value($0))) }))
    }
}

extension GatewayReadings.Introspection {
    package init(_ status: OpaqueStatus) {
        self.init(provider: status.provider)
        accepted = status.counters.accepted
        refused = status.counters.refused
        failed = status.counters.failed
        remembered = status.counters.hits
        shared = status.counters.shared
        overflowed = status.counters.overflowed
        paused = status.counters.paused
        running = status.running
        waiting = status.waiting
        isFailing = status.failing != nil
    }
}
