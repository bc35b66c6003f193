import GatewayConfiguration
import GatewayCore
import Testing

@testable import Authentication
@testable import CoreFixtures

@Suite struct KeySetTimingTests {
    let timing = KeySetTiming(Configuration.KeyPolicy())

    @Test(
        "a lifetime is max-age within min_ttl and max_ttl",
        arguments: [(0, 60), (59, 60), (60, 60), (3600, 3600), (86_400, 86_400), (86_401, 86_400), (.max, 86_400)]
            as [(UInt64, Double)])
    func clampsLifetimes(maxAge: UInt64, seconds: Double) {
        #expect(timing.lifetime(maxAge: maxAge) == .seconds(seconds))
    }

    @Test func aRefreshNeverComesAfterRefreshAtAndAtMostATenthBefore() {
        for seed in 0..<200 as Range<UInt64> {
            var jitter = KeyJitter(seed: seed)
            let delay = timing.refreshDelay(lifetime: .seconds(1000), jitter: &jitter)
            #expect(delay >= .seconds(720) && delay <= .seconds(800))
        }
    }

    @Test func aRetryWaitsTwiceAsLongEachTimeFromOneSecondUpToAMinute() {
        let ranges: [ClosedRange<Double>] = [1...2, 2...4, 4...8, 8...16, 16...32, 30...60, 30...60, 30...60]
        for (failures, range) in zip(1..., ranges) {
            for seed in 0..<50 as Range<UInt64> {
                var jitter = KeyJitter(seed: seed)
                let delay = timing.retryDelay(failures: failures, jitter: &jitter)
                #expect(range.contains(Double(delay) / 1e9), "failure \(failures)")
            }
        }
    }

    @Test func countlessFailuresDoNotOverflowTheWait() {
        var jitter = KeyJitter(seed: 1)
        #expect(timing.retryDelay(failures: .max, jitter: &jitter) <= KeySetTiming.lastRetry)
    }

    @Test func twoGatewaysDoNotAskAtTheSameMoment() {
        var first = KeyJitter(seed: 1)
        var second = KeyJitter(seed: 2)
        #expect(
            timing.refreshDelay(lifetime: .seconds(1000), jitter: &first)
                != timing.refreshDelay(lifetime: .seconds(1000), jitter: &second))
        #expect(timing.retryDelay(failures: 1, jitter: &first) != timing.retryDelay(failures: 1, jitter: &second))
    }

    @Test func aPolicyOfZeroesStillPausesBetweenFetches() {
        var policy = Configuration.KeyPolicy()
        policy.minTTL = .zero
        policy.maxTTL = .zero
        policy.refreshAt = 0
        policy.unknownKeyCooldown = .zero
        let timing = KeySetTiming(policy)
        var jitter = KeyJitter(seed: 1)
        #expect(timing.refreshDelay(lifetime: timing.lifetime(maxAge: 0), jitter: &jitter) == KeySetTiming.leastPause)
        #expect(timing.cooldown == KeySetTiming.leastPause)
    }

    @Test func absurdDurationsDoNotOverflow() {
        var policy = Configuration.KeyPolicy()
        policy.maxTTL = .seconds(Int64.max)
        policy.staleFor = .seconds(Int64.max)
        policy.unknownKeyCooldown = .seconds(-1)
        let timing = KeySetTiming(policy)
        let sum = timing.lifetime(maxAge: .max).addingReportingOverflow(timing.staleFor)
        #expect(!sum.overflow)
    }
}
