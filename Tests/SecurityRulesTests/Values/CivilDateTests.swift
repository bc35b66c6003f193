import Foundation
import Testing

@testable import SecurityRules

@Suite struct CivilDateTests {
    @Test(
        arguments: [
            (-62_135_596_800, "0001-01-01T00:00:00Z", 1, 1), (253_402_300_799, "9999-12-31T23:59:59Z", 5, 365),
            (0, "1970-01-01T00:00:00Z", 4, 1), (-1, "1969-12-31T23:59:59Z", 3, 365),
            (951_782_400, "2000-02-29T00:00:00Z", 2, 60), (-2_203_891_200, "1900-03-01T00:00:00Z", 4, 60),
            (1_709_251_199, "2024-02-29T23:59:59Z", 4, 60), (1_735_603_200, "2024-12-31T00:00:00Z", 2, 366),
            (-12_219_292_800, "1582-10-15T00:00:00Z", 5, 288), (-12_219_379_200, "1582-10-14T00:00:00Z", 4, 287),
            (4_102_444_800, "2100-01-01T00:00:00Z", 5, 1),
        ] as [(Int64, String, Int64, Int64)])
    func aKnownMomentHasItsDate(seconds: Int64, text: String, dayOfWeek: Int64, dayOfYear: Int64) throws {
        let time = try #require(RuleTimestamp(seconds: seconds))
        #expect(time.text == text)
        #expect(time.dayOfWeek == dayOfWeek)
        #expect(time.date.dayOfYear == dayOfYear)
    }

    /// Foundation's calendar leaves ten days out in October 1582; an ISO 8601 one does not.
    @Test func daysOfEightThousandYearsHaveTheDatesOfFoundation() throws {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        var differences: [Int64] = []
        // Days before 1582-10-15 are Julian in Foundation: the sweep begins there.
        for days in stride(from: Int64(-141_427), through: 2_932_896, by: 97) {
            let parts = calendar.dateComponents(
                [.year, .month, .day, .weekday], from: Date(timeIntervalSince1970: Double(days) * 86_400))
            let date = CivilDate(daysSince1970: days)
            let time = try #require(RuleTimestamp(date))
            let weekday = try Int64((#require(parts.weekday) + 5) % 7 + 1)
            let isSame =
                parts.year == Int(date.year) && parts.month == Int(date.month) && parts.day == Int(date.day)
                && weekday == time.dayOfWeek
            if !isSame { differences.append(days) }
        }
        #expect(differences.isEmpty)
    }

    /// Four hundred years: then the calendar repeats.
    @Test func everyDayFollowsTheOneBefore() {
        var previous = CivilDate(daysSince1970: -60_001)
        var breaks: [Int64] = []
        for days in Int64(-60_000)...86_098 {
            let date = CivilDate(daysSince1970: days)
            let isNextDay = date.year == previous.year && date.month == previous.month && date.day == previous.day + 1
            let isNewMonth =
                date.day == 1 && CivilDate(year: previous.year, month: previous.month, day: previous.day + 1) == nil
            let dayOfYear = date.year == previous.year ? previous.dayOfYear + 1 : 1
            let isThere = CivilDate(year: date.year, month: date.month, day: date.day) == date
            if !(isNextDay || isNewMonth) || !isThere || date.daysSince1970 != days || date.dayOfYear != dayOfYear {
                breaks.append(days)
            }
            previous = date
        }
        #expect(breaks.isEmpty)
    }

    @Test func everyYearBeginsWhereTheOneBeforeEnds() {
        var days: Int64 = -719_162
        var breaks: [Int64] = []
        for year in Int64(1)...9999 {
            guard let first = CivilDate(year: year, month: 1, day: 1),
                let last = CivilDate(year: year, month: 12, day: 31), first.daysSince1970 == days,
                CivilDate(daysSince1970: days) == first, CivilDate(daysSince1970: last.daysSince1970) == last
            else {
                breaks.append(year)
                continue
            }
            days += last.dayOfYear
        }
        #expect(breaks.isEmpty)
        #expect(RuleTimestamp(seconds: days * 86_400 - 1) != nil)
        #expect(RuleTimestamp(seconds: days * 86_400) == nil)
    }

    @Test(
        arguments: [
            (0, 0, "0s"), (300, 0, "300s"), (1, 500_000_000, "1.5s"), (-1, 500_000_000, "-0.5s"),
            (-2, 1, "-1.999999999s"),
            (315_576_000_000, 0, "315576000000s"), (-315_576_000_000, 0, "-315576000000s"), (0, 1, "0.000000001s"),
        ] as [(Int64, Int32, String)])
    func aDurationIsWrittenInSeconds(seconds: Int64, nanoseconds: Int32, text: String) {
        #expect(RuleDuration(seconds: seconds, nanoseconds: nanoseconds)?.text == text)
    }

    @Test(arguments: [(1, "00.000000001"), (120_000_000, "00.12"), (0, "00")] as [(Int32, String)])
    func decimalsOfAMomentAreAsManyAsItTakes(nanoseconds: Int32, text: String) {
        #expect(RuleTimestamp(seconds: 0, nanoseconds: nanoseconds)?.text == "1970-01-01T00:00:\(text)Z")
    }
}
