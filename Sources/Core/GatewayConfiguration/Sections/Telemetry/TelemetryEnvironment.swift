import GatewayCore
import TextCoding

/// OpenTelemetry's environment variables (OpenTelemetry specification, "Environment Variable Specification" and
/// "OpenTelemetry Protocol Exporter"), as defaults of the section `telemetry`.
///
/// An empty variable counts as unset. An invalid one is ignored with a warning, as the specification requires.
struct TelemetryEnvironment {
    /// The maximum sizes of an attribute's name and value, in bytes.
    static let longestName = 255
    static let longestValue = 1_024

    private let context: LoadingContext

    init(_ context: LoadingContext) {
        self.context = context
    }

    /// Whether `OTEL_SDK_DISABLED` disables all telemetry.
    var isDisabled: Bool { value("OTEL_SDK_DISABLED")?.lowercased() == "true" }

    /// Returns the base URL in `OTEL_EXPORTER_OTLP_ENDPOINT`. `nil` if it is unset or invalid.
    func endpoint() -> String? {
        let name = "OTEL_EXPORTER_OTLP_ENDPOINT"
        guard let text = value(name) else { return nil }
        do throws(HTTPURL.Failure) {
            return try TelemetryEndpoint.parse(text)
        } catch {
            ignore(name, "is \(error.what)", error.remedy)
            return nil
        }
    }

    /// Returns the section for a receiver with the values of all variables.
    ///
    /// - Parameter ownsEndpoint: Whether the receiver is that of ``endpoint()``. The headers of the environment contain
    ///   its secrets, which another receiver must not get.
    func defaults(endpoint: String, ownsEndpoint: Bool) -> Configuration.Telemetry {
        warnOfProtocol()
        var telemetry = Configuration.Telemetry(endpoint: endpoint)
        if ownsEndpoint { telemetry.headers = headers() }
        if let timeout = milliseconds("OTEL_EXPORTER_OTLP_TIMEOUT", in: Configuration.Telemetry.timeouts) {
            telemetry.timeout = timeout
        }
        readResource(&telemetry)
        telemetry.traces = value("OTEL_TRACES_EXPORTER") == "none" ? nil : traces()
        telemetry.metrics = value("OTEL_METRICS_EXPORTER") == "none" ? nil : metrics()
        return telemetry
    }

    private func traces() -> Configuration.Telemetry.Traces {
        var traces = Configuration.Telemetry.Traces()
        if let name = value("OTEL_TRACES_SAMPLER") {
            if let sampler = Configuration.Telemetry.Sampler(rawValue: name) {
                traces.sampler = sampler
            } else {
                ignore("OTEL_TRACES_SAMPLER", "is not a sampler that the gateway has", "write parentbased_traceidratio")
            }
        }
        if let text = value("OTEL_TRACES_SAMPLER_ARG"), traces.sampler.usesRatio {
            if let ratio = DecimalNumber.parse(text), (0...1).contains(ratio) {
                traces.ratio = ratio
            } else {
                ignore("OTEL_TRACES_SAMPLER_ARG", "is not a ratio", "write a number from 0 to 1, as in 0.1")
            }
        }
        return traces
    }

    private func metrics() -> Configuration.Telemetry.Metrics {
        var metrics = Configuration.Telemetry.Metrics()
        let intervals = Configuration.Telemetry.Metrics.intervals
        if let interval = milliseconds("OTEL_METRIC_EXPORT_INTERVAL", in: intervals) { metrics.interval = interval }
        return metrics
    }

    private func readResource(_ telemetry: inout Configuration.Telemetry) {
        let name = "OTEL_RESOURCE_ATTRIBUTES"
        let pairs = pairs(name) ?? []
        for (key, value) in pairs.prefix(Configuration.Telemetry.maximumAttributes) {
            guard key.utf8.count <= Self.longestName, value.utf8.count <= Self.longestValue else {
                ignore(name, "has an attribute that is too long", "shorten it")
                continue
            }
            if key == "service.name" {
                telemetry.serviceName = value
            } else {
                telemetry.resourceAttributes.append(.init(name: key, value: value))
            }
        }
        if let service = value("OTEL_SERVICE_NAME"), service.utf8.count <= Self.longestValue {
            telemetry.serviceName = service
        }
    }

    private func headers() -> [Configuration.Telemetry.Header] {
        let name = "OTEL_EXPORTER_OTLP_HEADERS"
        return (pairs(name) ?? []).prefix(Configuration.Telemetry.maximumHeaders).compactMap { key, value in
            guard Configuration.Telemetry.isHeader(key), TelemetryEndpoint.isFieldValue(Array(value.utf8)) else {
                ignore(name, "has an invalid field", "write NAME=VALUE,NAME=VALUE with percent-encoded values")
                return nil
            }
            return .init(name: key, value: Secret(value))
        }
    }

    private func warnOfProtocol() {
        guard value("OTEL_EXPORTER_OTLP_PROTOCOL") == "grpc" else { return }
        ignore(
            "OTEL_EXPORTER_OTLP_PROTOCOL", "is grpc, but the gateway sends OTLP/HTTP with JSON",
            "set the endpoint to the receiver's HTTP port, usually 4318")
    }

    private func value(_ name: String) -> String? {
        context.substitution.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    private func milliseconds(_ name: String, in bounds: ClosedRange<Duration>) -> Duration? {
        guard let text = value(name) else { return nil }
        guard let number = WholeNumber.parse(text), number >= 0, number <= 86_400_000,
            bounds.contains(.milliseconds(number))
        else {
            let (least, most) = (DurationText.write(bounds.lowerBound), DurationText.write(bounds.upperBound))
            ignore(name, "is not a time from \(least) to \(most)", "write it in milliseconds")
            return nil
        }
        return .milliseconds(number)
    }

    /// Returns the pairs of `KEY=VALUE,KEY=VALUE` with percent-encoded values. `nil` if unset or invalid.
    private func pairs(_ name: String) -> [(String, String)]? {
        guard let text = value(name) else { return nil }
        var pairs: [(String, String)] = []
        for member in text.split(separator: ",") {
            let parts = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { Self.trimmed($0) }
            guard parts.count == 2, !parts[0].isEmpty, let key = Self.decoded(parts[0]),
                let value = Self.decoded(parts[1])
            else {
                ignore(name, "is not a list of pairs", "write NAME=VALUE,NAME=VALUE with percent-encoded values")
                return nil
            }
            pairs.append((key, value))
        }
        return pairs
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return text
    }

    private static func decoded(_ text: Substring) -> String? {
        PercentEncoding.decoded(text.utf8).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Warns that the headers of the environment are sent without TLS.
    func warnOfPlainHTTP() {
        let name = "OTEL_EXPORTER_OTLP_HEADERS"
        context.warn(
            SourceLocation(origin: name), "the fields of \(name) \(Configuration.Telemetry.exposure)",
            "set an https:// endpoint")
    }

    private func ignore(_ name: String, _ what: String, _ remedy: String) {
        context.warn(SourceLocation(origin: name), "the environment variable \(name) \(what) and is ignored", remedy)
    }
}
