import GatewayCore

extension MetricsSnapshot {
    /// The `Content-Type` of `prometheusText`.
    package static let prometheusContentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Returns the metrics in the Prometheus text exposition format, version 0.0.4.
    package func prometheusText() -> String {
        var text = PrometheusText()
        for family in families { text.append(family) }
        return text.output
    }
}

private struct PrometheusText {
    /// The upper bounds of all buckets of a histogram.
    private static let bounds = (0..<LatencyBuckets.count).map {
        LatencyBuckets.upperBound(of: $0).map(seconds) ?? "+Inf"
    }

    var output = ""

    mutating func append(_ family: MetricFamily) {
        switch family.samples {
        case .counters(let samples):
            begin(family, type: "counter")
            for sample in samples { line("\(family.name)", sample.labels, "\(sample.value)") }
        case .amounts(let samples):
            begin(family, type: "counter")
            for sample in samples { line("\(family.name)", sample.labels, number(sample.value)) }
        case .gauges(let samples):
            begin(family, type: "gauge")
            for sample in samples { line("\(family.name)", sample.labels, number(sample.value)) }
        case .histograms(let samples):
            begin(family, type: "histogram")
            for sample in samples { append(sample, name: "\(family.name)") }
        }
    }

    private mutating func begin(_ family: MetricFamily, type: String) {
        output += "# HELP \(family.name) \(escaped("\(family.help)", quotes: false))\n# TYPE \(family.name) \(type)\n"
    }

    private mutating func append(_ sample: MetricSample<LatencyHistogram>, name: String) {
        var total: UInt64 = 0
        // Written once: a gateway with many routes has thousands of buckets.
        let start = "\(name)_bucket{\(sample.labels.isEmpty ? "" : text(of: sample.labels) + ",")le=\""
        for (bound, count) in zip(Self.bounds, sample.value.buckets) {
            total &+= count
            output += start
            output += bound
            output += "\"} \(total)\n"
        }
        line(name + "_sum", sample.labels, number(Double(sample.value.sumNanoseconds) / 1e9))
        line(name + "_count", sample.labels, "\(total)")
    }

    private mutating func line(_ name: String, _ labels: [(name: StaticString, value: String)], _ value: String) {
        output += name
        if !labels.isEmpty {
            output += "{"
            output += text(of: labels)
            output += "}"
        }
        output += " \(value)\n"
    }

    private func text(of labels: [(name: StaticString, value: String)]) -> String {
        labels.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }.joined(separator: ",")
    }

    private func escaped(_ text: String, quotes: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
    }

    /// Returns microseconds as exact seconds: `0.000012`, `1.5`, `134.217728`.
    private static func seconds(_ microseconds: UInt64) -> String {
        let fraction = microseconds % 1_000_000
        guard fraction > 0 else { return "\(microseconds / 1_000_000)" }
        var digits = String(String(1_000_000 + fraction).dropFirst())
        while digits.last == "0" { digits.removeLast() }
        return "\(microseconds / 1_000_000).\(digits)"
    }
}
