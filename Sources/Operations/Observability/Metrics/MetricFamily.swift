/// The metrics of one moment, in the order in which they are shown.
package struct MetricsSnapshot: Sendable {
    /// The families, each name once.
    package var families: [MetricFamily]

    /// A snapshot of these families.
    package init(families: [MetricFamily] = []) {
        self.families = families
    }
}

/// Metrics of one name and one type, told apart by their labels.
package struct MetricFamily: Sendable {
    /// What a family holds; the type of its samples follows from its own.
    package enum Samples: Sendable {
        /// Numbers that only grow. The family's name ends in `_total`.
        case counters([MetricSample<UInt64>])
        /// Numbers that rise and fall.
        case gauges([MetricSample<Double>])
        /// Latencies.
        case histograms([MetricSample<LatencyHistogram>])
    }

    /// Such as `gatehouse_requests_total`; letters, digits and underscores.
    package let name: StaticString
    /// What it means, in one line.
    package let help: StaticString
    /// Its values.
    package let samples: Samples

    /// A family.
    package init(_ name: StaticString, help: StaticString, _ samples: Samples) {
        self.name = name
        self.help = help
        self.samples = samples
    }
}

/// One value with its labels.
package struct MetricSample<Value: Sendable>: Sendable {
    /// Names, which are the program's own, with values, which may be any text.
    package let labels: [(name: StaticString, value: String)]
    /// The value.
    package let value: Value

    /// A value without, or with, labels.
    package init(_ labels: [(name: StaticString, value: String)] = [], _ value: Value) {
        self.labels = labels
        self.value = value
    }
}

/// How often latencies fell into each of `LatencyBuckets`, and their sum.
package struct LatencyHistogram: Sendable, Equatable {
    /// Not cumulative; `LatencyBuckets.count` of them.
    package let buckets: [UInt64]
    /// In nanoseconds.
    package let sumNanoseconds: UInt64

    /// A histogram of counted buckets.
    package init(buckets: [UInt64], sumNanoseconds: UInt64) {
        self.buckets = buckets
        self.sumNanoseconds = sumNanoseconds
    }
}
