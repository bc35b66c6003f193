import GatewayCore
import Testing

@testable import CoreFixtures
@testable import GatewayConfiguration

@Suite struct TelemetrySectionTests {
    private func telemetry(_ section: String, _ environment: [String: String] = [:]) throws
        -> Configuration.Telemetry?
    {
        try ConfigurationTesting.load(section: section, environment: environment).telemetry
    }

    private func warnings(_ section: String, _ environment: [String: String] = [:]) throws -> [String] {
        try ConfigurationTesting.load(section: section, environment: environment).warnings.map(\.description)
    }

    private static let endpoint = "http://127.0.0.1:4318"
    private static let variables = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318/"]

    @Test func `telemetry is disabled by default`() throws {
        #expect(try telemetry("") == nil)
        #expect(try telemetry("telemetry: null", Self.variables) == nil)
        // These variables do not configure a receiver.
        #expect(try telemetry("", ["OTEL_SERVICE_NAME": "a", "OTEL_TRACES_SAMPLER": "always_on"]) == nil)
    }

    @Test func `an endpoint enables traces and metrics with the defaults`() throws {
        #expect(try telemetry("telemetry: { endpoint: '\(Self.endpoint)/' }") == .init(endpoint: Self.endpoint))
    }

    @Test func `every key is read`() throws {
        let telemetry = try #require(
            try telemetry(
                """
                telemetry:
                  endpoint: https://otel.example/v2
                  headers: { X-Api-Key: "${KEY}" }
                  timeout: 3s
                  service_name: edge
                  resource_attributes: { deployment.environment.name: production }
                  traces: { sampler: traceidratio, ratio: 0.25, enduser_id: true, queue: 100, batch: 50, interval: 1s }
                  metrics: { interval: 15s }
                """, ["KEY": "s3cret"]))
        var expected = Configuration.Telemetry(endpoint: "https://otel.example/v2")
        expected.headers = [.init(name: "X-Api-Key", value: Secret("s3cret"))]
        (expected.timeout, expected.serviceName) = (.seconds(3), "edge")
        expected.resourceAttributes = [.init(name: "deployment.environment.name", value: "production")]
        var traces = Configuration.Telemetry.Traces()
        (traces.sampler, traces.ratio, traces.recordsUser) = (.traceIDRatio, 0.25, true)
        (traces.queue, traces.batch, traces.interval) = (100, 50, .seconds(1))
        expected.traces = traces
        expected.metrics?.interval = .seconds(15)
        #expect(telemetry == expected)
        #expect(!"\(telemetry)".contains("s3cret"))
    }

    @Test func `a signal can be disabled`() throws {
        let telemetry = try telemetry("telemetry: { endpoint: '\(Self.endpoint)', traces: null }")
        #expect(telemetry?.traces == nil && telemetry?.metrics != nil)
    }

    @Test func `the variables of OpenTelemetry configure it without the section`() throws {
        let telemetry = try #require(
            try telemetry(
                "",
                Self.variables.merging([
                    "OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%20b, x=1", "OTEL_EXPORTER_OTLP_TIMEOUT": "2500",
                    "OTEL_SERVICE_NAME": "edge", "OTEL_METRICS_EXPORTER": "none",
                    "OTEL_RESOURCE_ATTRIBUTES": "service.name=other,k8s.pod.name=pod-1",
                    "OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.1",
                ]) { $1 }))
        #expect(telemetry.endpoint == "http://collector:4318" && telemetry.timeout == .milliseconds(2_500))
        #expect(telemetry.headers.map(\.name) == ["api-key", "x"] && telemetry.headers[0].value == Secret("a b"))
        #expect(telemetry.serviceName == "edge")
        #expect(telemetry.resourceAttributes == [.init(name: "k8s.pod.name", value: "pod-1")])
        #expect(telemetry.traces?.ratio == 0.1 && telemetry.metrics == nil)
    }

    @Test func `a key of the file precedes its variable`() throws {
        let telemetry = try telemetry(
            "telemetry: { endpoint: '\(Self.endpoint)', service_name: edge, traces: { ratio: 0.5 } }",
            Self.variables.merging(["OTEL_SERVICE_NAME": "other", "OTEL_TRACES_SAMPLER_ARG": "0.1"]) { $1 })
        #expect(telemetry?.endpoint == Self.endpoint && telemetry?.serviceName == "edge")
        #expect(telemetry?.traces?.ratio == 0.5)
    }

    @Test func `a variable completes the section`() throws {
        let telemetry = try telemetry("telemetry: { traces: { ratio: 0.5 } }", Self.variables)
        #expect(telemetry?.endpoint == "http://collector:4318" && telemetry?.traces?.ratio == 0.5)
    }

    @Test func `OTEL_SDK_DISABLED disables it`() throws {
        #expect(try telemetry("telemetry: { endpoint: '\(Self.endpoint)' }", ["OTEL_SDK_DISABLED": "True"]) == nil)
    }

    @Test(arguments: [
        ("OTEL_TRACES_SAMPLER", "jaeger_remote"), ("OTEL_TRACES_SAMPLER_ARG", "2"), ("OTEL_EXPORTER_OTLP_TIMEOUT", "1"),
        ("OTEL_METRIC_EXPORT_INTERVAL", "soon"), ("OTEL_RESOURCE_ATTRIBUTES", "a"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "host=a"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
    ])
    func `an invalid variable is ignored with a warning`(name: String, value: String) throws {
        let environment = Self.variables.merging([name: value]) { $1 }
        #expect(try telemetry("", environment) == .init(endpoint: "http://collector:4318"))
        #expect(try warnings("", environment).count { $0.contains(name) } == 1)
    }

    @Test func `an empty variable counts as unset`() throws {
        #expect(try telemetry("", ["OTEL_EXPORTER_OTLP_ENDPOINT": ""]) == nil)
    }

    static let broken: [BrokenConfiguration] = [
        .section("telemetry:\n  service_name: a", "2:3 telemetry.endpoint is missing"),
        .section("telemetry:\n  endpoint: …", "2:13 telemetry.endpoint is", values: ["a", "ftp://a", "http://a?b"]),
        .section(
            "telemetry:\n  endpoint: http://a/v1/traces",
            "2:13 telemetry.endpoint is the URL of one signal; remove /v1/traces or /v1/metrics"),
        .section(
            "telemetry:\n  endpoint: http://a\n  headers: { …: b }", "3:14 is not a field that telemetry can set",
            values: ["Host", "content-type", "\"a b\"", "Connection"]),
        .section(
            "telemetry:\n  endpoint: http://a\n  headers: { a: b, A: c }", "3:20 duplicate field 'A'"),
        .section(
            "telemetry:\n  endpoint: http://a\n  headers: { a: é }", "3:17 telemetry.headers.a has characters"),
        .section(
            "telemetry:\n  endpoint: http://a\n  traces: { ratio: … }", "3:20 traces.ratio", values: ["1.1", "-1"]),
        .section("telemetry:\n  endpoint: http://a\n  traces: { sampler: on }", "3:22 traces.sampler cannot be 'on'"),
        .section(
            "telemetry:\n  endpoint: http://a\n  traces: { queue: 64, batch: 65 }",
            "3:24 telemetry.traces.batch is larger than queue"),
        .section("telemetry:\n  endpoint: http://a\n  metrics: { interval: 100ms }", "3:24 metrics.interval"),
        .section("telemetry:\n  endpoint: http://a\n  otlp: 1", "3:3 unknown key 'otlp' in telemetry"),
    ]

    @Test(arguments: broken) func `an invalid value is an error`(_ broken: BrokenConfiguration) { broken.check() }

    @Test func `an invalid endpoint in a variable is ignored with a warning`() throws {
        let environment = ["OTEL_EXPORTER_OTLP_ENDPOINT": "collector:4317"]
        #expect(try telemetry("", environment) == nil)
        #expect(try warnings("", environment).count { $0.contains("OTEL_EXPORTER_OTLP_ENDPOINT") } == 1)
    }

    @Test func `the headers of the environment are not for the receiver of the file`() throws {
        let environment = Self.variables.merging(["OTEL_EXPORTER_OTLP_HEADERS": "api-key=a"]) { $1 }
        #expect(try telemetry("telemetry: { endpoint: '\(Self.endpoint)' }", environment)?.headers.isEmpty == true)
        #expect(try telemetry("telemetry: { service_name: a }", environment)?.headers.map(\.name) == ["api-key"])
    }

    @Test func `headers of the environment without TLS to another machine cause a warning`() throws {
        let environment = Self.variables.merging(["OTEL_EXPORTER_OTLP_HEADERS": "api-key=a"]) { $1 }
        #expect(try warnings("", environment).count { $0.contains("OTEL_EXPORTER_OTLP_HEADERS") } == 1)
    }

    @Test(arguments: [("http://collector:4318", 1), ("https://collector", 0), ("http://127.0.0.1:4318", 0)])
    func `secrets without TLS to another machine cause a warning`(endpoint: String, count: Int) throws {
        let section = "telemetry: { endpoint: '\(endpoint)', headers: { a: b } }"
        #expect(try warnings(section).count == count)
    }

    @Test func `a ratio that the sampler does not use causes a warning`() throws {
        let section = "telemetry: { endpoint: '\(Self.endpoint)', traces: { sampler: always_on, ratio: 0.5 } }"
        #expect(try warnings(section).count { $0.contains("does not use ratio") } == 1)
    }
}
