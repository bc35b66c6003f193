import Testing

@testable import SecurityRules

@Suite struct TimeArithmeticTests {
    static let first = RuleTimestamp(seconds: -62_135_596_800)
    static let last = RuleTimestamp(seconds: 253_402_300_799, nanoseconds: 999_999_999)

    @Test func aMomentMovesByADurationAndBack() throws {
        let time = try #require(RuleTimestamp(seconds: 10, nanoseconds: 200_000_000))
        let duration = try #require(RuleDuration(seconds: 1, nanoseconds: 900_000_000))
        let later = try time.adding(duration)
        #expect(later == RuleTimestamp(seconds: 12, nanoseconds: 100_000_000))
        #expect(try later.subtracting(duration) == time)
        #expect(try later.since(time) == duration)
        #expect(try time.since(later) == duration.negated())
    }

    @Test func noMomentLiesOutsideOfItsBounds() throws {
        let (first, last) = try (#require(Self.first), #require(Self.last))
        let least = try #require(RuleDuration(seconds: 0, nanoseconds: 1))
        #expect(throws: RuleFailure.self) { try first.subtracting(least) }
        #expect(throws: RuleFailure.self) { try last.adding(least) }
        #expect(try last.since(first).text == "315537897599.999999999s")
    }

    @Test func noDurationLiesOutsideOfItsBounds() throws {
        let most = try #require(RuleDuration(seconds: 315_576_000_000))
        let least = try #require(RuleDuration(seconds: 0, nanoseconds: 1))
        #expect(throws: RuleFailure.self) { try most.adding(least) }
        #expect(throws: RuleFailure.self) { try most.negated().subtracting(least) }
        #expect(try most.negated().negated() == most)
        #expect(try most.subtracting(most).text == "0s")
    }
}
