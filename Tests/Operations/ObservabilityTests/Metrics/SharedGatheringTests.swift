import GatewayCore
import Synchronization
import Testing

@testable import Observability

struct SharedGatheringTests {
    /// A clock that sleeping advances.
    private final class Clock: Sendable {
        let now = Atomic<UInt64>(1)
        let count = Atomic<Int>(0)

        var gathering: SharedGathering {
            let clock = GatewayClock(now: { 0 }, monotonic: { self.now.load(ordering: .relaxed) })
            return SharedGathering(clock: clock) { self.now.wrappingAdd($0, ordering: .relaxed) }
        }

        @Sendable func gather() async -> String {
            for _ in 0..<100 { await Task.yield() }
            return "\(count.wrappingAdd(1, ordering: .relaxed).newValue)"
        }
    }

    @Test func `concurrent callers share a gathering that begins after their calls`() async {
        let clock = Clock()
        let gathering = clock.gathering
        let texts = await withTaskGroup(of: String.self) { group in
            for _ in 0..<1000 { group.addTask { await gathering.text(clock.gather) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(texts.count == 1000)
        #expect(clock.count.load(ordering: .relaxed) < 100)
        let before = clock.count.load(ordering: .relaxed)
        #expect(await gathering.text(clock.gather) == "\(before + 1)")
    }

    @Test func `gatherings begin at least 0.1 s apart`() async {
        let clock = Clock()
        let gathering = clock.gathering
        for _ in 0..<11 { _ = await gathering.text(clock.gather) }
        #expect(clock.now.load(ordering: .relaxed) == 1 + 10 * SharedGathering.interval)
    }
}
