extension GatewayReadings {
    /// A certificate that a listener serves.
    package struct Certificate: Sendable {
        /// The listener's address, as configured.
        package var listener: String
        /// Its first DNS name.
        package var subject: String
        /// When it ends, in seconds since 1970.
        package var expiry: Int64

        /// A certificate.
        package init(listener: String, subject: String, expiry: Int64) {
            self.listener = listener
            self.subject = subject
            self.expiry = expiry
        }
    }

    var certificateFamilies: [MetricFamily] {
        guard !certificates.isEmpty else { return [] }
        return [
            MetricFamily(
                "gatehouse_tls_certificate_expiry_seconds",
                help: "When a listener's certificate, or the first of its chain, ends, in seconds since 1970.",
                .gauges(
                    certificates.map {
                        MetricSample([("listener", $0.listener), ("subject", $0.subject)], Double($0.expiry))
                    })),
            MetricFamily(
                "gatehouse_tls_reloads_total", help: "How often certificates were read anew and served.",
                .counters([MetricSample([], certificateRenewals)])),
            MetricFamily(
                "gatehouse_tls_reload_failures_total",
                help: "How often certificates on disk were unfit, so that the old ones were kept.",
                .counters([MetricSample([], certificateFailures)])),
        ]
    }
}
