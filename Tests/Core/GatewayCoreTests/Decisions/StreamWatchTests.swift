import Testing

@testable import GatewayCore

@Suite final class StreamWatchTests {
    private static let second: UInt64 = 1_000_000_000
    private static let start: UInt64 = 1_000 * second
    private static let wall: Int64 = 1_700_000_000

    private var watch = StreamWatch(
        bounds: StreamBounds(maximum: 3600 * second, grace: 5, idle: 60 * second), began: start,
        expiresAt: UnixTime(clamping: wall + 100))

    /// What ends the stream after so many seconds, bytes having passed `idle` seconds ago.
    private func end(after seconds: Double, idle: Double = 0, draining: Bool = false, bound: UInt64? = nil)
        -> StreamWatch.End?
    {
        let now = Self.start + UInt64(seconds * Double(Self.second))
        let moment = StreamWatch.Moment(
            now: now, lastProgress: now - UInt64(idle * Double(Self.second)), isDraining: draining, idle: bound)
        return watch.end(at: moment, wall: Self.wall + Int64(seconds))
    }

    private func mustAsk(_ changes: UInt64) -> Bool { watch.mustAsk(changes: changes) }

    @Test func aStreamEndsWithItsTokenAndTheGrace() {
        #expect(end(after: 104) == nil)
        #expect(end(after: 105) == .expired)
    }

    @Test func theTimeOfDayIsLookedAtAFewTimesASecondOnly() {
        var looks = 0
        for step in 0..<100 {
            let now = Self.start + UInt64(step) * 10_000_000
            _ = watch.end(
                at: .init(now: now, lastProgress: now),
                wall: {
                    looks += 1
                    return Self.wall
                }())
        }
        #expect(looks == 4)
    }

    @Test func aStreamWithoutATokenEndsByTimeAlone() {
        watch = StreamWatch(bounds: watch.bounds, began: Self.start, expiresAt: nil)
        #expect(end(after: 3599) == nil)
        #expect(end(after: 3600) == .maximum)
    }

    @Test func aTokenWithoutAnEndHasNone() {
        watch = StreamWatch(bounds: watch.bounds, began: Self.start, expiresAt: .latest)
        #expect(end(after: 3599) == nil)
    }

    @Test func aStreamEndsWithoutBytes() {
        #expect(end(after: 90, idle: 60) == nil)
        #expect(end(after: 90, idle: 60.1) == .idle)
        #expect(end(after: 90, idle: 10.1, bound: 10 * Self.second) == .idle)
    }

    @Test func drainingEndsIt() {
        #expect(end(after: 1, draining: true) == .drained)
    }

    @Test func aPermissionIsLookedAtOnceAndThenWhenSomethingChanged() {
        #expect(mustAsk(0))
        #expect(!mustAsk(0))
        #expect(mustAsk(7))
        #expect(!mustAsk(7))
    }
}
