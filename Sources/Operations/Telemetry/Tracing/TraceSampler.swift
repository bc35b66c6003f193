package import GatewayConfiguration

/// The selection of recorded traces, as a pure value.
///
/// The ratio is applied to the trace ID, so that all services with the same ratio select the same traces
/// (`TraceIdRatioBased` of the OpenTelemetry specification, with the 63 bits of the Go SDK).
package struct TraceSampler: Sendable, Equatable {
    private let followsParent: Bool
    /// A trace is selected if the lowest 64 bits of its ID, shifted by one, are below this bound, at most 2^63.
    private let bound: UInt64

    /// Creates the sampler of a configuration.
    package init(_ traces: Configuration.Telemetry.Traces) {
        switch traces.sampler {
        case .alwaysOn, .alwaysOff, .traceIDRatio: followsParent = false
        case .parentBasedAlwaysOn, .parentBasedAlwaysOff, .parentBasedTraceIDRatio: followsParent = true
        }
        switch traces.sampler {
        case .alwaysOn, .parentBasedAlwaysOn: bound = Self.all
        case .alwaysOff, .parentBasedAlwaysOff: bound = 0
        case .traceIDRatio, .parentBasedTraceIDRatio: bound = Self.bound(of: traces.ratio)
        }
    }

    private static let all: UInt64 = 1 << 63

    private static func bound(of ratio: Double) -> UInt64 {
        guard ratio < 1 else { return all }
        return ratio > 0 ? UInt64(ratio * Double(all)) : 0
    }

    /// Returns whether a trace is recorded.
    ///
    /// - Parameter parentIsSampled: The sampled flag of the parent. `nil` if the trace begins here.
    package func samples(_ trace: (UInt64, UInt64), parentIsSampled: Bool?) -> Bool {
        if followsParent, let parentIsSampled { return parentIsSampled }
        return trace.1 >> 1 < bound
    }
}

/// The settings of traces on the request path.
package struct TraceSettings: Sendable {
    package let sampler: TraceSampler
    /// Whether spans contain the uid.
    package let recordsUser: Bool

    /// Creates the settings. `nil` if traces are disabled.
    package init?(_ telemetry: Configuration.Telemetry?) {
        guard let traces = telemetry?.traces else { return nil }
        sampler = TraceSampler(traces)
        recordsUser = traces.recordsUser
    }
}
