import GatewayCore
import OutboundHTTP

extension GatewayReadings {
    var introspectionFamilies: [MetricFamily] {
        guard !introspections.isEmpty else { return [] }
        return [
            MetricFamily(
                "gatehouse_introspection_calls_total", help: "Introspection calls by result.",
                .counters(
                    samples("result") { [("accepted", $0.accepted), ("refused", $0.refused), ("failed", $0.failed)] })),
            MetricFamily(
                "gatehouse_introspection_without_call_total",
                help: "Opaque tokens checked without an introspection call, by reason.",
                .counters(
                    samples("why") {
                        [
                            ("remembered", $0.hits), ("shared", $0.shared), ("overflowed", $0.overflowed),
                            ("paused", $0.paused),
                        ]
                    })),
            gauges("gatehouse_introspection_running", help: "Running introspection calls.") { $0.running },
            gauges("gatehouse_introspection_waiting", help: "Waiting introspection calls.") {
                $0.waiting
            },
            gauges("gatehouse_introspection_failing", help: "1 while the last call to the provider failed.") {
                $0.failing == nil ? 0 : 1
            },
        ]
    }

    private func samples(
        _ label: StaticString, _ values: (LookupCounters) -> [(String, UInt64)]
    ) -> [MetricSample<UInt64>] {
        introspections.flatMap { provider in
            values(provider.counters).map { MetricSample([("provider", provider.provider), (label, $0.0)], $0.1) }
        }
    }

    private func gauges(
        _ name: StaticString, help: StaticString, _ value: (LookupStatus) -> Int
    ) -> MetricFamily {
        MetricFamily(
            name, help: help,
            .gauges(introspections.map { MetricSample([("provider", $0.provider)], Double(value($0))) }))
    }

    /// The numbers of checked App Check tokens. Absent until the first one.
    var appCheckFamilies: [MetricFamily] {
        let counts = counters.appChecks.counts
        guard !counts.isEmpty else { return [] }
        // Routes with the same pattern share a row; two names never do.
        let samples = counts.map { key, count in
            MetricSample(
                [
                    ("route", routes.indices.contains(key.route) ? routes[key.route] : ""),
                    ("app", apps.indices.contains(key.app) ? apps[key.app] : ""), ("result", "\(key.result.name)"),
                ], count)
        }
        let sorted = samples.sorted { one, other in
            one.labels.map(\.value).lexicographicallyPrecedes(other.labels.map(\.value))
        }
        return [
            MetricFamily(
                "gatehouse_app_check_requests_total", help: "Checked App Check tokens by route, app and result.",
                .counters(sorted))
        ]
    }

    var appConsumptionFamilies: [MetricFamily] {
        guard let calls = appConsumptions else { return [] }
        let counters = calls.counters
        return [
            MetricFamily(
                "gatehouse_app_check_consumptions_total", help: "Calls that consume App Check tokens by result.",
                .counters([
                    MetricSample([("result", "consumed")], counters.accepted),
                    MetricSample([("result", "refused")], counters.refused),
                    MetricSample([("result", "failed")], counters.failed),
                ])),
            gauge(
                "gatehouse_app_check_consumptions_running", help: "Running calls that consume App Check tokens.",
                Int64(calls.running)),
            gauge(
                "gatehouse_app_check_consumptions_waiting", help: "Requests waiting for such a call.",
                Int64(calls.waiting)),
            gauge(
                "gatehouse_app_check_consumptions_failing", help: "1 while the last such call failed.",
                calls.failing == nil ? 0 : 1),
        ]
    }

    var writeBackFamilies: [MetricFamily] {
        guard let status = writeBack else { return [] }
        let results = status.deliveries.sorted { $0.key < $1.key }.flatMap { destination, deliveries in
            [
                ("updated", deliveries.updated), ("unchanged", deliveries.unchanged),
                ("user_not_found", deliveries.missing), ("rejected", deliveries.rejected),
                ("forbidden", deliveries.forbidden), ("failed", deliveries.failed), ("parked", deliveries.parked),
            ].map { MetricSample([("destination", destination), ("result", $0.0)], $0.1) }
        }
        return [
            MetricFamily(
                "gatehouse_write_back_total",
                help: "Deliveries of changes of users to Firebase by destination and result.",
                .counters(results)),
            MetricFamily(
                "gatehouse_write_back_dropped_total", help: "Changes of users that the full queue did not accept.",
                .counters([MetricSample([], status.dropped)])),
            gauge("gatehouse_write_back_queue", help: "Queued changes of users.", Int64(status.count)),
            gauge(
                "gatehouse_write_back_oldest_seconds", help: "The age of the oldest queued change of a user.",
                status.age ?? 0),
            gauge(
                "gatehouse_write_back_parked", help: "Queued changes whose project or destination is not configured.",
                Int64(status.parked)),
            gauge(
                "gatehouse_write_back_lease", help: "1 if this gateway delivers the queued changes.",
                status.isHolder ? 1 : 0),
            gauge(
                "gatehouse_write_back_failing", help: "1 while the last delivery failed.", status.isFailing ? 1 : 0),
        ]
    }

    /// One kind of calls for a configured project of Firebase.
    package struct FirebaseCalls: Sendable {
        package let project: String
        package let call: String
        package let isFailing: Bool

        /// Creates a reading.
        package init(project: String, call: String, isFailing: Bool) {
            (self.project, self.call, self.isFailing) = (project, call, isFailing)
        }
    }

    /// Which project's calls fail. Absent without calls.
    var firebaseFamilies: [MetricFamily] {
        guard !firebaseCalls.isEmpty else { return [] }
        let samples = firebaseCalls.map { calls in
            MetricSample([("project", calls.project), ("call", calls.call)], calls.isFailing ? 1.0 : 0)
        }
        return [
            MetricFamily(
                "gatehouse_firebase_failing", help: "1 while the last call of this kind for the project failed.",
                .gauges(samples))
        ]
    }

    /// The number of security events with the same transmitter, type and result.
    package struct SecurityEvents: Sendable {
        package let transmitter: String
        package let event: String
        package let result: String
        package let count: UInt64

        /// Creates a reading.
        package init(transmitter: String, event: String, result: String, count: UInt64) {
            self.transmitter = transmitter
            self.event = event
            self.result = result
            self.count = count
        }
    }

    /// The state of the polls of one transmitter.
    package struct EventPolls: Sendable {
        package let transmitter: String
        /// The numbers of polls by result.
        package let counts: [(result: String, count: UInt64)]
        package let isHolder: Bool
        package let isFailing: Bool

        /// Creates a reading.
        package init(transmitter: String, counts: [(result: String, count: UInt64)], isHolder: Bool, isFailing: Bool) {
            self.transmitter = transmitter
            self.counts = counts
            self.isHolder = isHolder
            self.isFailing = isFailing
        }
    }

    /// The polls of transmitters. Absent if none is polled.
    var eventPollFamilies: [MetricFamily] {
        guard !eventPolls.isEmpty else { return [] }
        let samples = eventPolls.flatMap { polls in
            polls.counts.map { MetricSample([("transmitter", polls.transmitter), ("result", $0.result)], $0.count) }
        }
        return [
            MetricFamily(
                "gatehouse_security_event_polls_total", help: "Polls of transmitters by result.", .counters(samples)),
            MetricFamily(
                "gatehouse_security_event_polls_lease", help: "1 if this gateway polls the transmitter.",
                .gauges(eventPolls.map { MetricSample([("transmitter", $0.transmitter)], $0.isHolder ? 1 : 0) })),
            MetricFamily(
                "gatehouse_security_event_polls_failing", help: "1 while the last poll failed.",
                .gauges(eventPolls.map { MetricSample([("transmitter", $0.transmitter)], $0.isFailing ? 1 : 0) })),
        ]
    }

    /// The numbers of received security events. Absent until the first one.
    var securityEventFamilies: [MetricFamily] {
        guard !securityEvents.isEmpty else { return [] }
        let samples = securityEvents.map { events in
            MetricSample(
                [("transmitter", events.transmitter), ("event", events.event), ("result", events.result)], events.count)
        }
        return [
            MetricFamily(
                "gatehouse_security_events_total", help: "Received security events by transmitter, event and result.",
                .counters(samples))
        ]
    }

    var accountFamilies: [MetricFamily] {
        guard let lookups = accountLookups else { return [] }
        let counters = lookups.counters
        let ended = counters.calls - min(counters.calls, counters.failed + UInt64(lookups.running))
        return [
            MetricFamily(
                "gatehouse_account_lookups_total", help: "Identity Toolkit calls by result.",
                .counters([
                    MetricSample([("result", "ok")], ended), MetricSample([("result", "failed")], counters.failed),
                ])),
            gauge("gatehouse_account_lookup_running", help: "Running Identity Toolkit calls.", Int64(lookups.running)),
            gauge(
                "gatehouse_account_lookup_waiting", help: "Users waiting for an Identity Toolkit call.",
                Int64(lookups.waiting)),
            gauge(
                "gatehouse_account_lookup_failing", help: "1 while the last call of Identity Toolkit failed.",
                lookups.failing == nil ? 0 : 1),
            gauge(
                "gatehouse_google_token_valid", help: "1 while there is a valid access token of Google.",
                lookups.hasCredentials ? 1 : 0),
            gauge(
                "gatehouse_accounts_remembered", help: "Cached Identity Toolkit results.",
                Int64(lookups.remembered)),
        ]
    }
}
