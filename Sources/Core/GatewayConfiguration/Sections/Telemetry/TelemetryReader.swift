import GatewayCore
import HTTPWire

extension MappingReader {
    /// Returns the section `telemetry` of the file, with the values of OpenTelemetry's environment variables for absent
    /// keys. `nil` if neither the file nor the environment enables it.
    func telemetry() -> Configuration.Telemetry? {
        let environment = TelemetryEnvironment(context)
        guard !environment.isDisabled else { return nil }
        switch setting("telemetry") {
        case .null: return nil
        case .absent:
            // Only a receiver enables it: the other variables are often set for all services of a machine.
            return environment.endpoint().map { endpoint in
                let telemetry = environment.defaults(endpoint: endpoint, ownsEndpoint: true)
                if telemetry.exposesHeaders { environment.warnOfPlainHTTP() }
                return telemetry
            }
        case .value(let value):
            return value.mapping(.telemetry).flatMap { Configuration.Telemetry($0, environment) }
        }
    }
}

extension Configuration.Telemetry {
    /// Reads the section. `nil` without an endpoint; the error has been reported.
    fileprivate init?(_ mapping: MappingReader, _ environment: TelemetryEnvironment) {
        let value = mapping.value("endpoint")
        let endpoint = value.map { $0.telemetryEndpoint() } ?? environment.endpoint()
        if endpoint == nil, value == nil {
            mapping.fail(
                "endpoint", "telemetry.endpoint is missing",
                "write the URL of an OpenTelemetry collector, as in http://127.0.0.1:4318")
        }
        // The other keys are read in any case, so that all errors are reported.
        self = environment.defaults(endpoint: endpoint ?? "", ownsEndpoint: value == nil)
        mapping.set(&headers, "headers", Self.headers)
        mapping.set(&timeout, "timeout") { $0.duration(in: Self.timeouts) }
        mapping.set(&serviceName, "service_name") { $0.string(atMost: TelemetryEnvironment.longestValue) }
        mapping.set(&resourceAttributes, "resource_attributes", Self.attributes)
        readSignals(mapping)
        if exposesHeaders {
            mapping.warn("headers", "telemetry.headers \(Self.exposure)", "use an https:// endpoint")
        }
        if endpoint == nil { return nil }
    }

    private mutating func readSignals(_ mapping: MappingReader) {
        let (traceDefaults, metricDefaults) = (traces ?? Traces(), metrics ?? Metrics())
        mapping.set(&traces, "traces") { value in value.mapping(.telemetryTraces).map { Traces($0, traceDefaults) } }
        mapping.set(&metrics, "metrics") { value in
            value.mapping(.telemetryMetrics).map { mapping in
                var metrics = metricDefaults
                mapping.set(&metrics.interval, "interval") { $0.duration(in: Metrics.intervals) }
                return metrics
            }
        }
    }

    /// Whether the headers are sent to another machine without TLS.
    fileprivate var exposesHeaders: Bool {
        guard !headers.isEmpty, let url = try? HTTPURL(parsing: endpoint) else { return false }
        return !url.isSecure && !IPAddress.isLoopback(host: url.host)
    }

    /// The consequence, for a warning that names the headers.
    static let exposure = "are sent to another machine without TLS, so that their secrets can be read"

    private static func headers(_ value: ConfigurationValue) -> [Header]? {
        guard let entries = value.entries().flatMap({ value.bounded($0, maximumHeaders, of: "fields") }) else {
            return nil
        }
        var seen: Set<String> = []
        return entries.compactMap { entry in
            guard isHeader(entry.key) else {
                entry.fail(
                    "\(Quoted(entry.key)) is not a field that telemetry can set",
                    "write the name of a request field, as in Authorization")
                return nil
            }
            guard seen.insert(entry.key.lowercased()).inserted else {
                entry.fail("duplicate field \(Quoted(entry.key)) in \(value.name)", "remove one of them")
                return nil
            }
            return entry.value.telemetryHeaderValue().map { Header(name: entry.key, value: $0) }
        }
    }

    /// Returns whether a request to the receiver may have this field.
    static func isHeader(_ name: String) -> Bool {
        let normalized = FieldName.normalized(name)
        return FieldName.isValid(name) && !FieldName.belongsToConnection(normalized)
            && !["content-type", "content-encoding", "user-agent"].contains(normalized)
    }

    private static func attributes(_ value: ConfigurationValue) -> [Attribute]? {
        guard let entries = value.entries().flatMap({ value.bounded($0, maximumAttributes, of: "attributes") }) else {
            return nil
        }
        return entries.compactMap { entry in
            guard FieldName.isValid(entry.key) else {
                entry.fail(
                    "\(Quoted(entry.key)) is not a name of an attribute",
                    "write a name without spaces, as in deployment.environment.name")
                return nil
            }
            guard entry.key.utf8.count <= TelemetryEnvironment.longestName else {
                entry.fail(
                    "\(value.name) has a name longer than \(TelemetryEnvironment.longestName) bytes", "shorten it")
                return nil
            }
            return entry.value.string(atMost: TelemetryEnvironment.longestValue)
                .map { Attribute(name: entry.key, value: $0) }
        }
    }
}

extension Configuration.Telemetry.Traces {
    fileprivate init(_ mapping: MappingReader, _ defaults: Self) {
        self = defaults
        mapping.set(&sampler, "sampler") { $0.choice() }
        mapping.set(&ratio, "ratio") { $0.number(in: 0...1) }
        mapping.set(&recordsUser, "enduser_id") { $0.boolean() }
        mapping.set(&queue, "queue") { $0.integer(in: 64...65_536) }
        mapping.set(&batch, "batch") { $0.integer(in: 1...4_096) }
        mapping.set(&interval, "interval") { $0.duration(in: .milliseconds(100) ... .minutes(1)) }
        if batch > queue {
            mapping.fail("batch", "telemetry.traces.batch is larger than queue", "lower it, or raise queue")
        }
        if mapping.value("ratio") != nil, !sampler.usesRatio {
            mapping.warn(
                "ratio", "the sampler \(sampler.rawValue) does not use ratio",
                "use parentbased_traceidratio or traceidratio, or remove ratio")
        }
    }
}

extension ConfigurationValue {
    /// Returns the base URL of a receiver, without a `/` at its end.
    fileprivate func telemetryEndpoint() -> String? {
        guard let text = string(atMost: 2_048) else { return nil }
        do throws(HTTPURL.Failure) {
            return try TelemetryEndpoint.parse(text)
        } catch {
            return fail("\(name) is \(error.what)", error.remedy)
        }
    }

    fileprivate func telemetryHeaderValue() -> Secret? {
        guard let secret = secret() else { return nil }
        guard secret.withBytes(TelemetryEndpoint.isFieldValue) else {
            return fail("\(name) has characters that are invalid in a header", "use visible ASCII")
        }
        return secret
    }
}

/// The syntax of a receiver.
enum TelemetryEndpoint {
    /// Returns the base URL without a `/` at its end.
    static func parse(_ text: String) throws(HTTPURL.Failure) -> String {
        let url = try HTTPURL(parsing: text)
        guard !url.target.contains("?") else {
            throw HTTPURL.Failure(what: "a URL with a query", remedy: "remove the query; use headers for keys")
        }
        guard !["/v1/traces", "/v1/metrics"].contains(where: { url.target.hasSuffix($0) }) else {
            throw HTTPURL.Failure(
                what: "the URL of one signal", remedy: "remove /v1/traces or /v1/metrics, which are appended")
        }
        var text = text
        while text.last == "/" { text.removeLast() }
        return text
    }

    /// Returns whether bytes are a field value: visible ASCII with inner spaces.
    static func isFieldValue(_ bytes: [UInt8]) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7F } && bytes.first != 0x20 && bytes.last != 0x20
    }
}
