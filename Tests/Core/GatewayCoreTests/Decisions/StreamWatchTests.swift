import Testing

@testable import GatewayCore

@Suite final class StreamWatchTests {
    private static let second: UInt64 = 1_000_000_000
    private static let start: UInt64 = 1_000 * second
    private static let wall: Int64 = 1_700_000_000

    private var watch = StreamWatch(
        bounds: StreamBounds(maximum: 3600 * second, grace: 5, idle: 60 * second), began: start,
        expiresAt: UnixTime(clamping: wall + 100))

    /// The end of the stream after `seconds`, with the last bytes `idle` seconds ago.
    private func end(after seconds: Double, idle: Double = 0, draining: Bool = false, bound: UInt64? = nil)
        -> StreamWatch.End?
    {
        let now = Self.start + UInt64(seconds * Double(Self.second))
        let moment = StreamWatch.Moment(
            now: now, lastProgress: now - UInt64(idle * Double(Self.second)), isDraining: draining, idle: bound)
        return watch.end(at: moment, wall: Self.wall + Int64(seconds))
    }

    private func needsRecheck(_ changes: UInt64) -> Bool { watch.needsRecheck(changes: changes) }

    @Test func `a stream ends with its token and the grace`() {
        #expect(end(after: 104) == nil)
        #expect(end(after: 105) == .expired)
    }

    @Test func `the time of day is read a few times a second at most`() {
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

    @Test(arguments: [nil, UnixTime.latest])
    func `a stream without an expiry ends by its time limit only`(expiry: UnixTime?) {
        watch = StreamWatch(bounds: watch.bounds, began: Self.start, expiresAt: expiry)
        #expect(end(after: 3599) == nil)
        #expect(end(after: 3600) == .maximum)
    }

    @Test func `a stream ends without bytes and while draining`() {
        #expect(end(after: 90, idle: 60) == nil)
        #expect(end(after: 90, idle: 60.1) == .idle)
        #expect(end(after: 90, idle: 10.1, bound: 10 * Self.second) == .idle)
        #expect(end(after: 1, draining: true) == .drained)
    }

    @Test func `a permission is checked once and after each change`() {
        #expect(needsRecheck(0))
        #expect(!needsRecheck(0))
        #expect(needsRecheck(7))
        #expect(!needsRecheck(7))
    }
}
