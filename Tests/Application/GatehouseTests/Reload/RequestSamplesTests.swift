import GatewayCore
import Testing

@testable import Gatehouse

/// The sample of one event loop's requests.
@Suite struct RequestSamplesTests {
    private func sample(_ number: Int) -> RequestSample {
        RequestSample(method: "GET", host: "a", path: "/\(number)", credential: .absent, time: 0)
    }

    @Test func `the first requests are recorded, then one a second replaces another one`() {
        var samples = RequestSamples()
        for number in 0..<RequestSamples.limit {
            #expect(samples.isDue(at: 5))
            samples.record(sample(number), at: 5)
        }
        #expect(samples.samples.map(\.path) == (0..<RequestSamples.limit).map { "/\($0)" })
        #expect(samples.isDue(at: 5))
        samples.record(sample(1_000), at: 5)
        #expect(!samples.isDue(at: 1_000_000_004) && samples.isDue(at: 1_000_000_005))
        #expect(samples.samples.count == RequestSamples.limit)
        #expect(samples.samples.count { $0.path == "/1000" } == 1)
        for number in 0..<2_000 { samples.record(sample(2_000 + number), at: 0) }
        // Every place is replaced at times.
        #expect(samples.samples.count { $0.path.count < 5 } == 0)
    }

    @Test func `a request is removed two hours after it was recorded`() {
        var samples = RequestSamples()
        samples.record(sample(1), at: 5)
        samples.record(sample(2), at: 6)
        samples.removeExpired(at: 5 + RequestSamples.lifetime)
        #expect(samples.samples.map(\.path) == ["/1", "/2"])
        samples.removeExpired(at: 6 + RequestSamples.lifetime)
        #expect(samples.samples.map(\.path) == ["/2"])
        samples.removeExpired(at: 7 + RequestSamples.lifetime)
        #expect(samples.samples.isEmpty)
    }
}
