import GatewayConfiguration
import GatewayCore
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures

@Suite struct KeySetTimingTests {
    let timing = KeySetTiming(Configuration.KeyPolicy())

    @Test(
        arguments: [(0, 60), (59, 60), (60, 60), (3600, 3600), (86_400, 86_400), (86_401, 86_400), (.max, 86_400)]
            as [(UInt64, Double)])
    func `a lifetime is max-age within min_ttl and max_ttl`(maxAge: UInt64, seconds: Double) {
        #expect(timing.lifetime(maxAge: maxAge) == .seconds(seconds))
    }

    @Test(arguments: [UInt64(0), 60, 86_400])
    func `a key set of App Check is kept for six hours, whatever its source states`(maxAge: UInt64) {
        let source = KeySetSource.appCheck(url: "https://keys.example", apiKey: nil)
        #expect(KeySetTiming(Configuration.KeyPolicy(), of: source).lifetime(maxAge: maxAge) == .seconds(21_600))
        var policy = Configuration.KeyPolicy()
        policy.maxTTL = .seconds(600)
        #expect(KeySetTiming(policy, of: source).lifetime(maxAge: maxAge) == .seconds(600))
        #expect(KeySetTiming(policy, of: .url("https://keys.example")).lifetime(maxAge: 60) == .seconds(60))
    }

    @Test(arguments: [0, 3600, 86_400])
    func `stale_for is the only time beyond the lifetime, also of App Check`(staleFor: Int) throws {
        var policy = Configuration.KeyPolicy()
        policy.staleFor = .seconds(staleFor)
        let source = KeySetSource.appCheck(url: "https://keys.example", apiKey: nil)
        var machine = KeySetMachine(timing: KeySetTiming(policy, of: source), seed: 1)
        _ = machine.handle(.start, now: 0)
        let keys = try FetchedKeySet(TokenDraft.keys, maxAge: 86_400)
        _ = machine.handle(.fetched(keys), now: 0)
        let end = UInt64(21_600 + staleFor) * 1_000_000_000
        #expect(machine.view.isUsable(now: end - 1) && !machine.view.isUsable(now: end))
    }

    @Test func `a refresh is at most a tenth before refresh_at and never after it`() {
        for seed in 0..<200 as Range<UInt64> {
            var jitter = KeyJitter(seed: seed)
            let delay = timing.refreshDelay(lifetime: .seconds(1000), jitter: &jitter)
            #expect(delay >= .seconds(720) && delay <= .seconds(800))
        }
    }

    @Test func `the delay of a retry doubles from one second up to a minute`() {
        let ranges: [ClosedRange<Double>] = [1...2, 2...4, 4...8, 8...16, 16...32, 30...60, 30...60, 30...60]
        for (failures, range) in zip(1..., ranges) {
            for seed in 0..<50 as Range<UInt64> {
                var jitter = KeyJitter(seed: seed)
                let delay = timing.retryDelay(failures: failures, jitter: &jitter)
                #expect(range.contains(Double(delay) / 1e9), "failure \(failures)")
            }
        }
    }

    @Test func `many failures do not overflow the delay`() {
        var jitter = KeyJitter(seed: 1)
        #expect(timing.retryDelay(failures: .max, jitter: &jitter) <= KeySetTiming.lastRetry)
    }

    @Test func `two gateways do not fetch at the same time`() {
        var first = KeyJitter(seed: 1)
        var second = KeyJitter(seed: 2)
        #expect(
            timing.refreshDelay(lifetime: .seconds(1000), jitter: &first)
                != timing.refreshDelay(lifetime: .seconds(1000), jitter: &second))
        #expect(timing.retryDelay(failures: 1, jitter: &first) != timing.retryDelay(failures: 1, jitter: &second))
    }

    @Test func `a policy of zeroes still has a pause between fetches`() {
        var policy = Configuration.KeyPolicy()
        (policy.minTTL, policy.maxTTL, policy.refreshAt, policy.unknownKeyCooldown) = (.zero, .zero, 0, .zero)
        let timing = KeySetTiming(policy)
        var jitter = KeyJitter(seed: 1)
        #expect(timing.refreshDelay(lifetime: timing.lifetime(maxAge: 0), jitter: &jitter) == KeySetTiming.leastPause)
        #expect(timing.cooldown == KeySetTiming.leastPause)
    }

    @Test func `the largest durations do not overflow`() {
        var policy = Configuration.KeyPolicy()
        policy.maxTTL = .seconds(Int64.max)
        policy.staleFor = .seconds(Int64.max)
        policy.unknownKeyCooldown = .seconds(-1)
        let timing = KeySetTiming(policy)
        let sum = timing.lifetime(maxAge: .max).addingReportingOverflow(timing.staleFor)
        #expect(!sum.overflow)
    }
}

@Suite(.timeLimit(.minutes(5))) struct KeyEnvironmentTests {
    let environment: KeyEnvironment = {
        let time = KeyTestTime()
        return KeyEnvironment.live(fetcher: FakeKeyFetcher(), clock: time.clock, log: { _, _ in })
    }()

    @Test func `a sleep until a past deadline returns immediately`() async throws {
        try await environment.sleepUntil(environment.clock.monotonic())
        try await environment.sleepUntil(0)
    }

    @Test func `a sleep ends with its task`() async {
        let environment = environment
        let sleep = Task { try await environment.sleepUntil(.max) }
        sleep.cancel()
        await #expect(throws: CancellationError.self) { try await sleep.value }
    }
}
