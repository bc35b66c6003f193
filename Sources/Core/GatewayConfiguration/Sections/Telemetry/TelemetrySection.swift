package import GatewayCore

extension Configuration {
    /// The export of traces and metrics by OTLP/HTTP (`telemetry`).
    package struct Telemetry: Sendable, Equatable {
        /// A request field of the receiver, such as an API key.
        package struct Header: Sendable, Equatable {
            package var name: String
            package var value: Secret

            package init(name: String, value: Secret) {
                self.name = name
                self.value = value
            }
        }

        /// An attribute of the resource that sends the telemetry.
        package struct Attribute: Sendable, Hashable {
            package var name: String
            package var value: String

            package init(name: String, value: String) {
                self.name = name
                self.value = value
            }
        }

        /// The maximum number of headers, and of resource attributes.
        package static let maximumHeaders = 32
        package static let maximumAttributes = 64
        /// The bounds of `timeout`.
        static let timeouts: ClosedRange<Duration> = .milliseconds(100) ... .minutes(1)

        /// The base URL of the receiver without a `/` at its end (`endpoint`). `/v1/traces` and `/v1/metrics` are
        /// appended.
        package var endpoint: String
        /// Additional fields of each request (`headers`), at most 32. Default: none.
        package var headers: [Header] = []
        /// The timeout of one request (`timeout`), 100 ms to 1 min. Default: 10 s.
        package var timeout = Duration.seconds(10)
        /// The attribute `service.name` (`service_name`). Default: `gatehouse`.
        package var serviceName = "gatehouse"
        /// Further attributes of the resource (`resource_attributes`), at most 64. Default: none.
        package var resourceAttributes: [Attribute] = []
        /// Traces (`traces`). `nil` disables them.
        package var traces: Traces? = Traces()
        /// Metrics (`metrics`). `nil` disables them.
        package var metrics: Metrics? = Metrics()

        /// Creates the defaults for a receiver.
        package init(endpoint: String) {
            self.endpoint = endpoint
        }
    }
}

extension Configuration.Telemetry {
    /// The selection and the export of traces (`telemetry.traces`).
    package struct Traces: Sendable, Hashable {
        /// The sampler (`sampler`). Default: `parentbased_traceidratio`.
        package var sampler = Sampler.parentBasedTraceIDRatio
        /// The share of traces that the ratio samplers select (`ratio`), 0 to 1. Default: 1.
        package var ratio = 1.0
        /// Whether spans contain the uid as `enduser.id` (`enduser_id`). Default: `false`.
        package var recordsUser = false
        /// The maximum number of spans that wait for export (`queue`), 64 to 65,536. Default: 2,048.
        package var queue = 2_048
        /// The maximum number of spans in one request (`batch`), 1 to 4,096 and at most `queue`. Default: 512.
        package var batch = 512
        /// The maximum time until waiting spans are exported (`interval`), 100 ms to 1 min. Default: 5 s.
        package var interval = Duration.seconds(5)

        /// Creates the defaults.
        package init() {}
    }

    /// The samplers by their names in OpenTelemetry.
    package enum Sampler: String, Sendable, Hashable, CaseIterable {
        case alwaysOn = "always_on"
        case alwaysOff = "always_off"
        case traceIDRatio = "traceidratio"
        /// The samplers with `parentbased_` follow the sampled flag of a parent.
        case parentBasedAlwaysOn = "parentbased_always_on"
        case parentBasedAlwaysOff = "parentbased_always_off"
        case parentBasedTraceIDRatio = "parentbased_traceidratio"

        /// Whether the sampler uses the ratio.
        var usesRatio: Bool { self == .traceIDRatio || self == .parentBasedTraceIDRatio }
    }

    /// The export of metrics (`telemetry.metrics`).
    package struct Metrics: Sendable, Hashable {
        /// The bounds of `interval`.
        static let intervals: ClosedRange<Duration> = .seconds(1) ... .hours(1)

        /// The interval between exports (`interval`), 1 s to 1 h. Default: 1 min.
        package var interval = Duration.seconds(60)

        /// Creates the defaults.
        package init() {}
    }
}
