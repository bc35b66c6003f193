import GatewayCore
import Observability
import Synchronization
import Testing

@testable import Gatehouse

struct HistorySamplingTests {
    @Test func `a sample is taken after each interval of the clock, until the wait ends`() async {
        let history = GatewayHistory()
        let now = Mutex<Int64>(1_000)
        let clock = GatewayClock(now: { now.withLock { $0 } }, monotonic: { 0 })
        let sampling = HistorySampling(history, clock: clock) { duration in
            try now.withLock { now in
                guard now < 1_030 else { throw CancellationError() }
                now += duration.components.seconds
            }
        } readings: {
            GatewayReadings(
                counters: CountersSnapshot(routes: 0, upstreams: 0), routes: [], upstreams: [], workers: 1,
                startTime: 0)
        }
        await sampling.run()
        #expect(history.report().times == [1_010, 1_020, 1_030])
    }
}
