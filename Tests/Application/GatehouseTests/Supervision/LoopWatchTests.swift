import Testing

@testable import CoreFixtures
@testable import Gatehouse

@Suite struct LoopWatchTests {
    private let time = ManualClock()
    private let watch: LoopWatch

    init() {
        watch = LoopWatch(clock: time.clock, wait: { _ in throw CancellationError() })
    }

    @Test func `a loop that runs no task fails the check after the limit`() {
        time.advance(seconds: 30)
        #expect(watch.failure == nil)
        time.advance(seconds: 1)
        #expect(watch.failure?.hasPrefix("an event loop has run no task for more than 30 s") == true)
    }

    @Test func `each run of all loops begins the limit anew`() async {
        time.advance(seconds: 31)
        await watch.run {}
        #expect(watch.failure == nil)
    }

    @Test func `a run that does not end does not count`() async {
        time.advance(seconds: 31)
        await watch.run { throw CancellationError() }
        #expect(watch.failure != nil)
    }
}
