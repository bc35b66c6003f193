import CivilCalendar
import Foundation
import Testing

struct CivilDateTests {
    /// Foundation's calendar skips ten days in October 1582. An ISO 8601 calendar does not.
    @Test func `days of 8,000 years have the dates of Foundation`() throws {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        var differences: [Int64] = []
        // Days before 1582-10-15 are Julian in Foundation, so the sweep begins there.
        for days in stride(from: Int64(-141_427), through: 2_932_896, by: 97) {
            let parts = calendar.dateComponents(
                [.year, .month, .day, .weekday], from: Date(timeIntervalSince1970: Double(days) * 86_400))
            let date = CivilDate(daysSince1970: days)
            let weekday = try Int64((#require(parts.weekday) + 5) % 7 + 1)
            let isSame =
                parts.year == Int(date.year) && parts.month == Int(date.month) && parts.day == Int(date.day)
                && weekday == date.dayOfWeek
            if !isSame { differences.append(days) }
        }
        #expect(differences.isEmpty)
    }

    /// The calendar repeats every 400 years.
    @Test func `every day follows the previous one`() {
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

    @Test func `every year begins at the end of the previous one`() {
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
    }
}
