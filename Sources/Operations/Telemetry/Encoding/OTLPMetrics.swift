import GatewayCore
import JOSE
import Observability

/// `ExportMetricsServiceRequest` in JSON, with the names, descriptions and labels of `/metrics`.
///
/// Counters and histograms are cumulative since the start of the process. A gauge without a finite value has no data
/// point, because OTLP represents an unknown value by its absence.
struct OTLPMetrics {
    /// A body and the number of its data points.
    struct Body {
        let bytes: [UInt8]
        let points: Int
    }

    /// The size of a body at which the next data point begins another one, in bytes.
    static let fullSize = 1 << 20

    private let origin: OTLPOrigin
    private let fullSize: Int
    /// `"startTimeUnixNano":"...","timeUnixNano":"..."`.
    private let times: [UInt8]
    private var output: [UInt8] = []
    private var points = 0
    private var bodies: [Body] = []

    /// Encodes metrics as one or more bodies.
    ///
    /// - Parameters:
    ///   - start: The start of the process in nanoseconds since 1970.
    ///   - time: The time of the metrics in nanoseconds since 1970.
    static func bodies(
        of metrics: MetricsSnapshot, from origin: OTLPOrigin, start: UInt64, time: UInt64, fullSize: Int = fullSize
    ) -> [Body] {
        var encoder = OTLPMetrics(from: origin, start: start, time: time, fullSize: fullSize)
        for family in metrics.families { encoder.append(family) }
        encoder.closeBody()
        return encoder.bodies
    }

    private init(from origin: OTLPOrigin, start: UInt64, time: UInt64, fullSize: Int) {
        self.origin = origin
        self.fullSize = fullSize
        var times: [UInt8] = []
        OTLPText.append(#""startTimeUnixNano":"#, to: &times)
        OTLPText.append(quoted: start, to: &times)
        OTLPText.append(#","timeUnixNano":"#, to: &times)
        OTLPText.append(quoted: time, to: &times)
        self.times = times
    }

    private mutating func append(_ family: MetricFamily) {
        switch family.samples {
        case .counters(let samples):
            append(samples, of: family, .sum) { value, output in
                OTLPText.append(#""asInt":"#, to: &output)
                OTLPText.append(quoted: Int64(clamping: value), to: &output)
            }
        case .amounts(let samples):
            append(samples.filter(\.value.isFinite), of: family, .sum, Self.append(double:to:))
        case .gauges(let samples):
            append(samples.filter(\.value.isFinite), of: family, .gauge, Self.append(double:to:))
        case .histograms(let samples):
            append(samples, of: family, .histogram, Self.append(histogram:to:))
        }
    }

    /// The type of a metric as its member of `Metric`.
    private enum Kind: String {
        case sum, gauge, histogram

        /// The members after the data points. 2 is `AGGREGATION_TEMPORALITY_CUMULATIVE`.
        var suffix: StaticString {
            switch self {
            case .sum: #"],"aggregationTemporality":2,"isMonotonic":true}}"#
            case .gauge: "]}}"
            case .histogram: #"],"aggregationTemporality":2}}"#
            }
        }
    }

    private mutating func append<Value: Sendable>(
        _ samples: [MetricSample<Value>], of family: MetricFamily, _ kind: Kind,
        _ write: (Value, inout [UInt8]) -> Void
    ) {
        var isOpen = false
        for sample in samples {
            if output.count >= fullSize {
                if isOpen { OTLPText.append(kind.suffix, to: &output) }
                isOpen = false
                closeBody()
            }
            if isOpen {
                output.append(UInt8(ascii: ","))
            } else {
                open(family, kind)
                isOpen = true
            }
            OTLPText.append(#"{"attributes":"#, to: &output)
            OTLPText.append(sample.labels, to: &output) { OTLPText.append("\($0.name)", $0.value, to: &$1) }
            output.append(UInt8(ascii: ","))
            output += times
            output.append(UInt8(ascii: ","))
            write(sample.value, &output)
            output.append(UInt8(ascii: "}"))
            points += 1
        }
        if isOpen { OTLPText.append(kind.suffix, to: &output) }
    }

    /// Begins a metric, and a body if necessary.
    private mutating func open(_ family: MetricFamily, _ kind: Kind) {
        if output.isEmpty {
            OTLPText.append(#"{"resourceMetrics":[{"#, to: &output)
            origin.appendResource(to: &output)
            OTLPText.append(#""scopeMetrics":[{"#, to: &output)
            origin.appendScope(to: &output)
            OTLPText.append(#""metrics":["#, to: &output)
        } else {
            output.append(UInt8(ascii: ","))
        }
        OTLPText.append(#"{"name":"#, to: &output)
        JSONWriter.appendString("\(family.name)", to: &output)
        OTLPText.append(#","description":"#, to: &output)
        JSONWriter.appendString("\(family.help)", to: &output)
        if let unit = Self.unit(of: "\(family.name)") {
            OTLPText.append(#","unit":"#, to: &output)
            JSONWriter.appendString(unit, to: &output)
        }
        output.append(UInt8(ascii: ","))
        JSONWriter.appendString(kind.rawValue, to: &output)
        OTLPText.append(#":{"dataPoints":["#, to: &output)
    }

    private mutating func closeBody() {
        guard !output.isEmpty else { return }
        OTLPText.append("]}]}]}", to: &output)
        bodies.append(Body(bytes: output, points: points))
        (output, points) = ([], 0)
    }

    /// Returns the unit that the name states, in UCUM. `nil` if it states none.
    private static func unit(of name: String) -> String? {
        let name = name.hasSuffix("_total") ? String(name.dropLast("_total".count)) : name
        if name.hasSuffix("_seconds") { return "s" }
        return name.hasSuffix("_bytes") ? "By" : nil
    }

    private static func append(double value: Double, to output: inout [UInt8]) {
        OTLPText.append(#""asDouble":"#, to: &output)
        output.append(contentsOf: "\(value)".utf8)
    }

    private static func append(histogram: LatencyHistogram, to output: inout [UInt8]) {
        OTLPText.append(#""count":"#, to: &output)
        OTLPText.append(quoted: histogram.buckets.reduce(0, &+), to: &output)
        OTLPText.append(#","sum":"#, to: &output)
        output.append(contentsOf: "\(Double(histogram.sumNanoseconds) / 1e9)".utf8)
        OTLPText.append(#","bucketCounts":"#, to: &output)
        OTLPText.append(histogram.buckets, to: &output) { OTLPText.append(quoted: $0, to: &$1) }
        output += bounds
    }

    /// `,"explicitBounds":[...]` in seconds, equal for all histograms. Bounds are inclusive, as in OTLP.
    private static let bounds: [UInt8] = {
        var output: [UInt8] = []
        OTLPText.append(#","explicitBounds":"#, to: &output)
        let bounds = (0..<LatencyBuckets.count).compactMap { LatencyBuckets.upperBound(of: $0) }
        OTLPText.append(bounds, to: &output) { $1.append(contentsOf: "\(Double($0) / 1e6)".utf8) }
        return output
    }()
}
