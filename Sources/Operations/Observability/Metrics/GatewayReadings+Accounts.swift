package import Authorization

extension GatewayReadings {
    /// What Identity Toolkit is asked about Firebase's accounts.
    package struct AccountLookups: Sendable {
        /// Calls that were started, and those that failed.
        package var calls: UInt64 = 0, failed: UInt64 = 0
        /// Calls that run, users that wait for one, and answers that are remembered.
        package var running = 0, waiting = 0, remembered = 0
        /// Whether the last call failed.
        package var isFailing = false

        /// Nothing happened yet.
        package init() {}
    }

    var accountFamilies: [MetricFamily] {
        guard let lookups = accountLookups else { return [] }
        let ended = lookups.calls - min(lookups.calls, lookups.failed + UInt64(lookups.running))
        return [
            MetricFamily(
                "gatehouse_account_lookups_total", help: "Calls of Identity Toolkit by their result.",
                .counters([
                    MetricSample([("result", "ok")], ended), MetricSample([("result", "failed")], lookups.failed),
                ])),
            accountGauge("gatehouse_account_lookup_running", help: "Calls of Identity Toolkit.", lookups.running),
            accountGauge(
                "gatehouse_account_lookup_waiting", help: "Users that wait for a call of Identity Toolkit.",
                lookups.waiting),
            accountGauge(
                "gatehouse_account_lookup_failing", help: "1 while the last call of Identity Toolkit failed.",
                lookups.isFailing ? 1 : 0),
            accountGauge(
                "gatehouse_accounts_remembered", help: "Answers of Identity Toolkit that are kept.",
                lookups.remembered),
        ]
    }

    private func accountGauge(_ name: StaticString, help: StaticString, _ value: Int) -> MetricFamily {
        MetricFamily(name, help: help, .gauges([MetricSample([], Double(value))]))
    }
}

extension GatewayReadings.AccountLookups {
    package init(_ status: AccountLookupStatus) {
        self.init()
        calls = status.counters.calls
        failed = status.counters.failed
        running = status.running
        waiting = status.waiting
        remembered = status.remembered
        isFailing = status.failing != nil
    }
}
