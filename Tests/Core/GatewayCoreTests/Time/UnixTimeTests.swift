import GatewayCore
import Testing

@Suite struct UnixTimeTests {
    private static let extremes: [Int64] = [.min, -.max, -1, 0, 1, 100_000_000_000, 100_000_000_001, .max - 1, .max]

    @Test(arguments: [Int64.min, -1, 100_000_000_001, .max])
    func `a parser returns no time beyond the bounds`(seconds: Int64) {
        #expect(UnixTime(seconds) == nil)
    }

    @Test(arguments: [Int64(0), 1, 1_700_000_000, 100_000_000_000]) func `a time keeps its seconds`(seconds: Int64) {
        #expect(UnixTime(seconds)?.seconds == seconds)
        #expect(UnixTime(claim: seconds) == UnixTime(seconds))
        #expect(UnixTime(clamping: seconds) == UnixTime(seconds))
        #expect(UnixTime(clamping: seconds).description == "\(seconds)")
    }

    @Test func `a claim before 1970 has no time, and one after the latest time is the latest`() {
        #expect(UnixTime(claim: -1) == nil)
        #expect(UnixTime(claim: .min) == nil)
        #expect(UnixTime(claim: .max) == .latest)
    }

    @Test(arguments: extremes, extremes) func `arithmetic has a result for all numbers`(one: Int64, other: Int64) {
        let (time, bounds) = (UnixTime(clamping: one), UnixTime(clamping: 0)...UnixTime.latest)
        #expect(bounds.contains(time.adding(other)))
        #expect(bounds.contains(time.notAfter(other)))
        #expect(abs(time.age(at: other)) <= UnixTime.latest.seconds)
        #expect(abs(time.seconds(since: UnixTime(clamping: other))) <= UnixTime.latest.seconds)
        #expect(abs(time.milliseconds(after: other)) <= UnixTime.latest.seconds * 1000)
        #expect(time.isAfter(other, skew: one) == (time > UnixTime(clamping: other).adding(one)))
    }

    @Test func `a time is after another only by more than the skew`() {
        let time: UnixTime = 1000
        #expect(time.isAfter(999) && !time.isAfter(1000))
        #expect(time.isAfter(994, skew: 5) && !time.isAfter(995, skew: 5))
        #expect(time.age(at: 1010) == 10 && time.age(at: 990) == -10)
        #expect(time.notAfter(990) == 990 && time.notAfter(1010) == 1000)
        #expect(time.adding(5) == 1005 && time.adding(-2000) == 0)
        #expect(time.milliseconds(after: 999_250) == 750)
    }

    @Test func `the unknown time is before all others`() {
        #expect(PossibleTime.unknown.known == nil)
        #expect(PossibleTime.unknown.isBefore(0))
        #expect(PossibleTime(0).known == 0)
        #expect(!PossibleTime(0).isBefore(0) && PossibleTime(0).isBefore(1))
        #expect(MemoryLayout<PossibleTime>.size == 8)
    }
}

@Suite struct DateLineTests {
    @Test func `the line follows the second`() {
        var line = DateLine()
        #expect(line.bytes(now: 0) == Array("Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n".utf8))
        #expect(line.bytes(now: 1) == Array("Date: Thu, 01 Jan 1970 00:00:01 GMT\r\n".utf8))
        #expect(line.bytes(now: 1) == Array("Date: Thu, 01 Jan 1970 00:00:01 GMT\r\n".utf8))
    }
}
