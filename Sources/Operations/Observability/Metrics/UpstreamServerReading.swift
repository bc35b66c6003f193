/// One server of an upstream, as seen by the workers.
package struct UpstreamServerReading: Sendable {
    /// The name of the upstream, and the URL of the server.
    package let upstream, server: String
    /// The number of addresses, and how many of them are healthy, ejected, or in a slow start. Sums over all workers,
    /// except `addresses` and `healthy`.
    package var addresses = 0
    package var healthy = 0
    package var ejected = 0
    package var slow = 0
    /// The number of current requests.
    package var requests = 0
    package var ejections: UInt64 = 0
    /// `nil` without health checks.
    package var checksPassed: UInt64?
    package var checksFailed: UInt64?

    package init(upstream: String, server: String) {
        self.upstream = upstream
        self.server = server
    }

    package func isOf(_ upstream: String, _ server: String) -> Bool {
        self.upstream == upstream && self.server == server
    }
}

extension [UpstreamServerReading] {
    /// Returns the readings combined with another worker's.
    package func mergedWith(_ others: [UpstreamServerReading]) -> [UpstreamServerReading] {
        guard others.count == count else { return self }
        return zip(self, others).map { mine, other in
            var sum = mine
            sum.healthy = Swift.min(mine.healthy, other.healthy)
            sum.ejected += other.ejected
            sum.slow += other.slow
            sum.requests += other.requests
            sum.ejections &+= other.ejections
            return sum
        }
    }
}

extension GatewayReadings {
    var upstreamServerFamilies: [MetricFamily] {
        [
            serverGauge(
                "gatehouse_upstream_server_healthy",
                help: "1 while the server's health checks succeed or are disabled."
            ) { $0.healthy > 0 ? 1 : 0 },
            serverGauge("gatehouse_upstream_server_addresses", help: "Addresses of the server.") { $0.addresses },
            serverGauge(
                "gatehouse_upstream_server_ejected",
                help: "Ejected addresses of the server, summed over all workers."
            ) { $0.ejected },
            serverGauge(
                "gatehouse_upstream_server_slow_start",
                help: "Addresses of the server in slow start, summed over all workers."
            ) { $0.slow },
            serverGauge("gatehouse_upstream_server_requests", help: "Requests in progress at the server.") {
                $0.requests
            },
            MetricFamily(
                "gatehouse_upstream_server_ejections_total", help: "Ejections of the server.",
                .counters(upstreamServers.map { MetricSample(labels($0), $0.ejections) })),
            MetricFamily(
                "gatehouse_upstream_server_checks_total", help: "Health checks of the server by result.",
                .counters(upstreamServers.flatMap(checkSamples))),
        ]
    }

    private func checkSamples(_ server: UpstreamServerReading) -> [MetricSample<UInt64>] {
        guard let passed = server.checksPassed, let failed = server.checksFailed else { return [] }
        return [
            MetricSample(labels(server) + [("result", "passed")], passed),
            MetricSample(labels(server) + [("result", "failed")], failed),
        ]
    }

    private func serverGauge(
        _ name: StaticString, help: StaticString, _ value: (UpstreamServerReading) -> Int
    ) -> MetricFamily {
        MetricFamily(
            name, help: help, .gauges(upstreamServers.map { MetricSample(labels($0), Double(value($0))) }))
    }

    private func labels(_ server: UpstreamServerReading) -> [(name: StaticString, value: String)] {
        [("upstream", server.upstream), ("server", server.server)]
    }
}
