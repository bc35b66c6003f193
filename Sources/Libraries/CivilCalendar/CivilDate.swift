/// A day of the proleptic Gregorian calendar (ISO 8601), also before 1582.
package struct CivilDate: Sendable, Hashable {
    package let year: Int64
    /// The month, 1 to 12.
    package let month: Int64
    /// The day of the month, 1 to 31.
    package let day: Int64

    /// Creates the day that is `days` days after 1970-01-01.
    ///
    /// Years are counted from March, so that the leap day is last, in eras of 400 years of equal length (H. Hinnant,
    /// chrono-Compatible Low-Level Date Algorithms).
    package init(daysSince1970 days: Int64) {
        let (era, dayOfEra) = (days + 719_468).flooredQuotientAndRemainder(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Creates a date. `nil` if the day does not exist or the year is not in 1 to 9999.
    package init?(year: Int64, month: Int64, day: Int64) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
            day <= Self.length(ofMonth: month, year: year)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// The number of days since 1970-01-01.
    package var daysSince1970: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = shiftedYear.flooredQuotientAndRemainder(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The day of the year; January 1 is 1.
    package var dayOfYear: Int64 {
        (1..<month).reduce(day) { $0 + Self.length(ofMonth: $1, year: year) }
    }

    /// The day of the week (ISO 8601): 1 for Monday to 7 for Sunday. 1970-01-01 was a Thursday.
    package var dayOfWeek: Int64 { (daysSince1970 + 3).flooredQuotientAndRemainder(by: 7).remainder + 1 }

    private static func length(ofMonth month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

/// A second of UTC, without leap seconds.
package struct CivilTime: Sendable, Hashable {
    package static let secondsPerDay: Int64 = 86_400

    package let date: CivilDate
    /// The second of the day, 0 to 86,399.
    package let secondOfDay: Int64

    /// Creates a time from seconds since 1970.
    package init(unix: Int64) {
        let (days, second) = unix.flooredQuotientAndRemainder(by: Self.secondsPerDay)
        date = CivilDate(daysSince1970: days)
        secondOfDay = second
    }

    /// Creates the time of midnight at the start of `date`.
    package init(_ date: CivilDate) {
        self.date = date
        secondOfDay = 0
    }

    /// Creates a time. `nil` for a date or a time of day that does not exist, and for a leap second.
    init?(year: Int64, month: Int64, day: Int64, hour: Int64, minute: Int64, second: Int64) {
        guard let date = CivilDate(year: year, month: month, day: day), 0..<24 ~= hour, 0..<60 ~= minute,
            0..<60 ~= second
        else { return nil }
        self.date = date
        secondOfDay = hour * 3600 + minute * 60 + second
    }

    /// Seconds since 1970.
    package var unix: Int64 { date.daysSince1970 * Self.secondsPerDay + secondOfDay }
    package var hour: Int64 { secondOfDay / 3600 }
    package var minute: Int64 { secondOfDay / 60 % 60 }
    package var second: Int64 { secondOfDay % 60 }

    /// The time of day as `HH:MM:SS`.
    var clock: String { "\(hour.digits(2)):\(minute.digits(2)):\(second.digits(2))" }
}

extension Int64 {
    /// Divides by a positive number and rounds the quotient down.
    fileprivate func flooredQuotientAndRemainder(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    /// Returns the decimal digits, padded with zeros to `width`.
    func digits(_ width: Int) -> String {
        let text = String(self)
        return String(repeating: "0", count: Swift.max(0, width - text.utf8.count)) + text
    }
}
