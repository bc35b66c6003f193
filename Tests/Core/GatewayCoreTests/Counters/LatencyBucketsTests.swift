import GatewayCore
import Testing

@Suite struct LatencyBucketsTests {
    @Test func theFirstBoundsAreWholeMicroseconds() {
        let bounds = (0..<13).map { LatencyBuckets.upperBound(of: $0) }
        #expect(bounds == [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20])
    }

    @Test func boundsRiseAndOnlyTheLastBucketHasNone() {
        let bounds = (0..<LatencyBuckets.count).map { LatencyBuckets.upperBound(of: $0) }
        #expect(bounds.last == .some(nil))
        let finite = bounds.compactMap { $0 }
        #expect(finite.count == LatencyBuckets.count - 1)
        #expect(zip(finite, finite.dropFirst()).allSatisfy(<))
        #expect(finite.last == 1 << 27)
    }

    @Test func aBoundIsInclusive() throws {
        for index in 0..<LatencyBuckets.count - 1 {
            let bound = try #require(LatencyBuckets.upperBound(of: index)) * 1000
            #expect(LatencyBuckets.index(nanoseconds: bound) == index)
            #expect(LatencyBuckets.index(nanoseconds: bound + 1) == index + 1)
        }
    }

    @Test(arguments: [(UInt64(0), 0), (1, 0), (1000, 0), (1001, 1), (UInt64.max, LatencyBuckets.count - 1)])
    func theEndsOfTheRangeFallIntoTheEndBuckets(nanoseconds: UInt64, bucket: Int) {
        #expect(LatencyBuckets.index(nanoseconds: nanoseconds) == bucket)
    }
}
