import Testing

@testable import RevocationStores

/// The times at which changing credentials are fetched again.
@Suite struct CredentialScheduleTests {
    private static let second: UInt64 = 1_000_000_000

    @Test(arguments: [(nil, 600), (3600, 600), (400, 300), (4, 3), (1, 1), (0, 1)] as [(UInt64?, UInt64)])
    func `credentials are fetched again before three quarters of their lifetime`(lifetime: UInt64?, delay: UInt64) {
        var schedule = CredentialSchedule(interval: 600 * Self.second)
        schedule.began(at: 0)
        #expect(schedule.succeeded(lifetime: lifetime.map { $0 * Self.second }) == delay * Self.second)
    }

    @Test func `gateways renew at different times, and never later than without jitter`() {
        let delays = (UInt64(0)..<100).map { seed in
            var schedule = CredentialSchedule(interval: 3600 * Self.second, seed: seed)
            return schedule.succeeded(lifetime: 900 * Self.second)
        }
        #expect(Set(delays).count > 90)
        #expect(delays.allSatisfy { (607 * Self.second...675 * Self.second).contains($0) })
        let failures = (UInt64(0)..<100).map { seed in
            var schedule = CredentialSchedule(interval: 3600 * Self.second, seed: seed)
            return schedule.failed()
        }
        #expect(Set(failures).count > 90)
        #expect(failures.allSatisfy { (Self.second / 2...Self.second).contains($0) })
    }

    @Test func `delays after failures grow to a bound and restart after a success`() {
        var schedule = CredentialSchedule(interval: 600 * Self.second)
        let delays = (0..<20).map { _ in schedule.failed() / Self.second }
        #expect(delays.prefix(7) == [1, 2, 4, 8, 16, 32, 60])
        #expect(delays.allSatisfy { $0 <= 60 })
        _ = schedule.succeeded(lifetime: nil)
        #expect(schedule.failed() == Self.second)
        var short = CredentialSchedule(interval: Self.second / 10)
        #expect(short.failed() == Self.second / 10)
    }

    @Test func `a rejection causes one fetch in five seconds`() {
        var schedule = CredentialSchedule(interval: 600 * Self.second)
        #expect(!schedule.fetchesOnRejection(at: 0))
        schedule.began(at: 10 * Self.second)
        #expect(!schedule.fetchesOnRejection(at: 100 * Self.second))
        _ = schedule.succeeded(lifetime: nil)
        #expect(!schedule.fetchesOnRejection(at: 15 * Self.second - 1))
        #expect(schedule.fetchesOnRejection(at: 15 * Self.second))
    }
}
