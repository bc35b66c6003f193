import GatewayCore
import Testing

@testable import RevocationStores

/// How long reads wait.
@Suite struct ReplicaTimingTests {
    @Test(arguments: [(60, 5000), (20, 5000), (4, 1000), (1, 250)])
    func aTableThatMayNotGetOldIsAskedForMoreOften(_ staleness: Int, _ block: Int) {
        let timing = ReplicaTiming(maximumStaleness: .seconds(staleness))
        #expect(timing.block == .milliseconds(block))
        #expect(timing.check <= .milliseconds(250))
        let script = ReplicaScript.following(.at(10, added: 4), timing: timing)
        #expect(script.asked == [.changes(after: .at(10), count: 1000, block: UInt64(block))])
    }

    /// While nothing happens the age is at most what a read waits, and the time that the answers take.
    @Test(arguments: [1, 4, 60])
    func theAgeStaysWellBelowItsBound(_ staleness: Int) {
        let timing = ReplicaTiming(maximumStaleness: .seconds(staleness))
        let information = ReplicaStreamInformation.at(10, added: 4)
        var script = ReplicaScript.following(information, timing: timing)
        var oldest: UInt64 = 0
        for _ in 0..<20 {
            script.now += timing.block.nanoseconds
            oldest = max(oldest, script.now - (script.confirmed.last ?? 0))
            script.answerRound(information)
            script.answerRound(information)
        }
        #expect(oldest <= UInt64(staleness) * 300_000_000)
    }
}
