/// The metrics of one moment, in the order in which they are shown.
public struct MetricsSnapshot: Sendable {
    /// The families, each name once.
    public var families: [MetricFamily]

    /// A snapshot of these families.
    public init(families: [MetricFamily] = []) {
        self.families = families
    }
}

/// Metrics of one name and one type, told apart by their labels.
public struct MetricFamily: Sendable {
    /// What a family holds; the type of its samples follows from its own.
    public enum Samples: Sendable {
        /// Numbers that only grow. The family's name ends in `_total`.
        case counters([MetricSample<UInt64>])
        /// Numbers that rise and fall.
        case gauges([MetricSample<Double>])
        /// Latencies.
        case histograms([MetricSample<LatencyHistogram>])
    }

    /// Such as `gatehouse_requests_total`; letters, digits and underscores.
    public let name: StaticString
    /// What it means, in one line.
    public let help: StaticString
    /// Its values.
    public let samples: Samples

    /// A family.
    public init(_ name: StaticString, help: StaticString, _ samples: Samples) {
        self.name = name
        self.help = help
        self.samples = samples
    }
}

/// One value with its labels.
public struct MetricSample<Value: Sendable>: Sendable {
    /// Names, which are the program's own, with values, which may be any text.
    public let labels: [(name: StaticString, value: String)]
    /// The value.
    public let value: Value

    /// A value without, or with, labels.
    public init(_ labels: [(name: StaticString, value: String)] = [], _ value: Value) {
        self.labels = labels
        self.value = value
    }
}

/// How often latencies fell into each of `LatencyBuckets`, and their sum.
public struct LatencyHistogram: Sendable, Equatable {
    /// Not cumulative; `LatencyBuckets.count` of them.
    public let buckets: [UInt64]
    /// In nanoseconds.
    public let sumNanoseconds: UInt64

    /// A histogram of counted buckets.
    public init(buckets: [UInt64], sumNanoseconds: UInt64) {
        self.buckets = buckets
        self.sumNanoseconds = sumNanoseconds
    }
}
