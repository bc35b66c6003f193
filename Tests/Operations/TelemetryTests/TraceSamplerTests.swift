import GatewayConfiguration
import Testing

@testable import Telemetry

@Suite struct TraceSamplerTests {
    private func sampler(_ sampler: Configuration.Telemetry.Sampler, ratio: Double = 1) -> TraceSampler {
        var traces = Configuration.Telemetry.Traces()
        (traces.sampler, traces.ratio) = (sampler, ratio)
        return TraceSampler(traces)
    }

    @Test(arguments: [
        (Configuration.Telemetry.Sampler.alwaysOn, [true, true, true]), (.alwaysOff, [false, false, false]),
        (.traceIDRatio, [true, true, true]), (.parentBasedAlwaysOn, [true, true, false]),
        (.parentBasedAlwaysOff, [false, true, false]), (.parentBasedTraceIDRatio, [true, true, false]),
    ])
    func `a sampler decides without a parent, with a sampled and with an unsampled one`(
        kind: Configuration.Telemetry.Sampler, expected: [Bool]
    ) {
        let sampler = sampler(kind)
        #expect([nil, true, false].map { sampler.samples((1, 2), parentIsSampled: $0) } == expected)
    }

    @Test func `a ratio selects by the lowest bits of the trace id`() {
        // A ratio of 1/4: the shifted low half is below 2^61.
        let quarter = sampler(.traceIDRatio, ratio: 0.25)
        let bound: UInt64 = 1 << 62
        #expect(quarter.samples((.max, bound - 1), parentIsSampled: nil))
        #expect(!quarter.samples((0, bound), parentIsSampled: nil))
        #expect(!quarter.samples((0, .max), parentIsSampled: nil))
    }

    @Test(arguments: [0, 0.1, 0.5, 1]) func `about the ratio of random traces is selected`(ratio: Double) {
        var generator = SystemRandomNumberGenerator()
        let sampler = sampler(.parentBasedTraceIDRatio, ratio: ratio)
        let count = (0..<20_000).count { _ in
            sampler.samples((generator.next(), generator.next()), parentIsSampled: nil)
        }
        #expect(abs(Double(count) / 20_000 - ratio) < 0.03)
    }

    @Test func `a higher ratio selects all traces of a lower one`() {
        let (low, high) = (sampler(.traceIDRatio, ratio: 0.1), sampler(.traceIDRatio, ratio: 0.2))
        for step in 0..<1_000 as Range<UInt64> {
            let trace = (UInt64(0), step &* (UInt64.max / 1_000))
            #expect(!low.samples(trace, parentIsSampled: nil) || high.samples(trace, parentIsSampled: nil))
        }
    }

    @Test func `traces that are disabled have no settings`() {
        var telemetry = Configuration.Telemetry(endpoint: "http://127.0.0.1:4318")
        #expect(TraceSettings(nil) == nil, "without the section")
        #expect(TraceSettings(telemetry) != nil)
        telemetry.traces = nil
        #expect(TraceSettings(telemetry) == nil)
    }
}
