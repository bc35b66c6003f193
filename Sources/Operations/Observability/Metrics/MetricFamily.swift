/// All metrics at one time, in order of output.
package struct MetricsSnapshot: Sendable {
    /// The families, with unique names.
    package var families: [MetricFamily]

    /// Creates a snapshot of these families.
    package init(families: [MetricFamily] = []) {
        self.families = families
    }
}

/// Metrics with the same name and type, distinguished by labels.
package struct MetricFamily: Sendable {
    /// The samples of a family.
    package enum Samples: Sendable {
        /// Values that only increase. The family's name ends in `_total`.
        case counters([MetricSample<UInt64>])
        /// Amounts that only increase, such as seconds. The family's name ends in `_total`.
        case amounts([MetricSample<Double>])
        /// Values that rise and fall.
        case gauges([MetricSample<Double>])
        /// Latencies.
        case histograms([MetricSample<LatencyHistogram>])
    }

    /// The name, for example `gatehouse_requests_total`: letters, digits and underscores.
    package let name: StaticString
    /// The description, in one line.
    package let help: StaticString
    /// The samples.
    package let samples: Samples

    /// Creates a family.
    package init(_ name: StaticString, help: StaticString, _ samples: Samples) {
        self.name = name
        self.help = help
        self.samples = samples
    }
}

/// One value with its labels.
package struct MetricSample<Value: Sendable>: Sendable {
    /// The labels. Names are literals of the program; values may be any text.
    package let labels: [(name: StaticString, value: String)]
    /// The value.
    package let value: Value

    /// Creates a sample.
    package init(_ labels: [(name: StaticString, value: String)] = [], _ value: Value) {
        self.labels = labels
        self.value = value
    }
}

/// The counts per bucket of `LatencyBuckets`, and the sum of latencies.
package struct LatencyHistogram: Sendable, Equatable {
    /// The `LatencyBuckets.count` counts, not cumulative.
    package let buckets: [UInt64]
    /// In nanoseconds.
    package let sumNanoseconds: UInt64

    /// Creates a histogram of counted buckets.
    package init(buckets: [UInt64], sumNanoseconds: UInt64) {
        self.buckets = buckets
        self.sumNanoseconds = sumNanoseconds
    }

    /// Returns the histogram of the values of both.
    static func + (one: Self, other: Self) -> Self {
        Self(
            buckets: zip(one.buckets, other.buckets).map { $0 &+ $1 },
            sumNanoseconds: one.sumNanoseconds &+ other.sumNanoseconds)
    }
}
