/// A moment of UTC by calendar and clock (proleptic Gregorian, no leap seconds), to and from seconds since 1970.
package struct CivilTime: Sendable, Equatable {
    /// Such as 2026.
    package var year: Int64
    /// 1 to 12.
    package var month: Int64
    /// 1 to 31.
    package var day: Int64
    /// The second of the day, 0 to 86399.
    package var second: Int64

    /// The moment that is `unix` seconds after 1970 began.
    package init(unix: Int64) {
        second = unix - Self.floor(unix, 86_400) * 86_400
        // Counted from a 1 March, leap days come last in a year, and years repeat every 400.
        let sinceMarch = Self.floor(unix, 86_400) + Self.marchToEpoch
        let era = Self.floor(sinceMarch, Self.daysOf400Years)
        let dayOfEra = sinceMarch - era * Self.daysOf400Years
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - Self.days(beforeYearOfEra: yearOfEra)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - Self.days(beforeMonthFromMarch: monthFromMarch) + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }

    /// Nil when the date is none of the calendar, or `second` is not of a day.
    package init?(year: Int64, month: Int64, day: Int64, second: Int64) {
        self.year = year
        self.month = month
        self.day = day
        self.second = second
        // A day that does not exist, such as 30 February, comes back as another one.
        guard (0...9999).contains(year), (1...12).contains(month), (1...31).contains(day),
            (0..<86_400).contains(second),
            Self(unix: unix) == self
        else { return nil }
    }

    /// Seconds since 1970.
    package var unix: Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let era = Self.floor(marchYear, 400)
        let monthFromMarch = month <= 2 ? month + 9 : month - 3
        let dayOfEra =
            Self.days(beforeYearOfEra: marchYear - era * 400) + Self.days(beforeMonthFromMarch: monthFromMarch) + day
            - 1
        return (era * Self.daysOf400Years + dayOfEra - Self.marchToEpoch) * 86_400 + second
    }

    private static var daysOf400Years: Int64 { 146_097 }
    /// Days from 1 March of the year 0 to 1 January 1970.
    private static var marchToEpoch: Int64 { 719_468 }

    private static func days(beforeYearOfEra year: Int64) -> Int64 { year * 365 + year / 4 - year / 100 }
    private static func days(beforeMonthFromMarch month: Int64) -> Int64 { (153 * month + 2) / 5 }

    private static func floor(_ value: Int64, _ divisor: Int64) -> Int64 {
        value >= 0 ? value / divisor : -((divisor - 1 - value) / divisor)
    }
}
