import Testing

@testable import Diagnostics

@Suite struct HumanTimeTests {
    @Test(arguments: [
        (0, "0 s"), (59, "59 s"), (60, "1 min"), (3_725, "1 h 2 min"), (90_061, "1 d 1 h"), (86_400 * 14, "14 d"),
    ])
    func aSpanHasItsTwoLargestUnits(seconds: Int64, text: String) {
        #expect(HumanTime.span(seconds) == text)
    }

    @Test func aMomentTellsItsDistance() {
        #expect(HumanTime.moment(60, now: 0) == "1970-01-01T00:01:00Z, in 1 min")
        #expect(HumanTime.moment(0, now: 90) == "1970-01-01T00:00:00Z, 1 min 30 s ago")
        #expect(HumanTime.moment(5, now: 5) == "1970-01-01T00:00:05Z, now")
    }

    @Test(arguments: [Int64.min, -1, 253_402_300_800, .max])
    func aTimeThatNoCalendarShowsStaysANumber(time: Int64) {
        #expect(HumanTime.moment(time, now: 0) == "\(time)")
    }
}
