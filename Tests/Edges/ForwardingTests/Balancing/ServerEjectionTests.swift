import Testing

@testable import Forwarding

@Suite struct ServerEjectionTests {
    private static let rule = ServerEjection.Rule(failures: 3, time: 10, maxTime: 60, maxShare: 50)
    private var ejection = ServerEjection()

    private mutating func fail(_ now: UInt64, mayEject: Bool = true) -> UInt64? {
        ejection.failed(now: now, rule: Self.rule, mayEject: mayEject)
    }

    @Test mutating func failuresInARowLeaveItOut() {
        #expect(fail(1) == nil)
        #expect(fail(2) == nil)
        #expect(fail(3) == 10)
        #expect(ejection.isEjected)
    }

    @Test mutating func aSuccessBetweenThemCounts() {
        _ = fail(1)
        _ = fail(2)
        ejection.succeeded(now: 3, rule: Self.rule)
        #expect(fail(4) == nil)
        #expect(!ejection.isEjected)
    }

    @Test mutating func itStaysWhereNoMoreMayBeLeftOut() {
        for now in 1...9 { #expect(fail(UInt64(now), mayEject: false) == nil) }
        #expect(!ejection.isEjected)
    }

    @Test mutating func itComesBackOnTrialWhenItsTimeIsOver() {
        for now in 1...3 { _ = fail(UInt64(now)) }
        #expect(ejection.returns(now: 12) == false)
        #expect(ejection.returns(now: 13) == true)
        #expect(!ejection.isEjected && ejection.isOnTrial)
        ejection.succeeded(now: 14, rule: Self.rule)
        #expect(!ejection.isOnTrial)
    }

    @Test mutating func eachFurtherTimeIsTwiceAsLongUpToTheLongest() {
        var now: UInt64 = 0
        var times: [UInt64] = []
        for _ in 1...3 { _ = fail(now) }
        for _ in 1...5 {
            times.append(ejection.until - now)
            now = ejection.until
            #expect(ejection.returns(now: now) == true)
            // On trial the first failure suffices.
            _ = fail(now)
        }
        #expect(times == [10, 20, 40, 60, 60])
    }

    @Test mutating func whatWasLongAgoIsForgotten() {
        for now in 1...3 { _ = fail(UInt64(now)) }
        _ = ejection.returns(now: 13)
        ejection.succeeded(now: 20, rule: Self.rule)
        ejection.succeeded(now: 80, rule: Self.rule)
        _ = fail(81)
        _ = fail(82)
        #expect(fail(83) == 10)
    }

    @Test mutating func whatRunsThereWhileItIsOutChangesNothing() {
        for now in 1...3 { _ = fail(UInt64(now)) }
        #expect(fail(4) == nil)
        ejection.succeeded(now: 5, rule: Self.rule)
        #expect(ejection.isEjected && ejection.until == 13)
    }
}
