/// A day of the proleptic Gregorian calendar, as ISO 8601 counts: also before 1582.
struct CivilDate: Sendable, Hashable {
    let year: Int64
    /// 1 to 12.
    let month: Int64
    /// 1 to 31.
    let day: Int64

    /// The day that lies that many days after 1970-01-01.
    ///
    /// Years are counted from March, so that the leap day is the last, in eras of 400 years, which all have the same days
    /// (H. Hinnant, chrono-Compatible Low-Level Date Algorithms).
    init(daysSince1970 days: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Nil where there is no such day, and outside the years 1 to 9999.
    init?(year: Int64, month: Int64, day: Int64) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
            day <= Self.length(ofMonth: month, year: year)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// How many days after 1970-01-01 it lies.
    var daysSince1970: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// 1 for January 1.
    var dayOfYear: Int64 {
        (1..<month).reduce(day) { $0 + Self.length(ofMonth: $1, year: year) }
    }

    private static func length(ofMonth month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension RuleTimestamp {
    static let secondsPerDay: Int64 = 86_400

    /// Midnight of a day, UTC.
    init?(_ date: CivilDate) {
        self.init(seconds: date.daysSince1970 * Self.secondsPerDay)
    }

    /// Whole days since 1970-01-01, rounded down.
    var days: Int64 {
        (seconds - secondOfDay) / Self.secondsPerDay
    }

    /// 0 to 86,399.
    var secondOfDay: Int64 {
        let remainder = seconds % Self.secondsPerDay
        return remainder < 0 ? remainder + Self.secondsPerDay : remainder
    }

    var date: CivilDate { CivilDate(daysSince1970: days) }

    /// 1 for Monday to 7 for Sunday, as ISO 8601 counts.
    var dayOfWeek: Int64 {
        // 1970-01-01 was a Thursday.
        let remainder = (days + 3) % 7
        return (remainder < 0 ? remainder + 7 : remainder) + 1
    }

    /// Since 1970, rounded down.
    var milliseconds: Int64 { seconds * 1000 + Int64(nanoseconds / 1_000_000) }
}
