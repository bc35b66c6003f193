/// Times as RFC 3339 writes them.
enum CalendarTime {
    /// Such as `2023-11-14T22:13:20Z`.
    ///
    /// - Parameter seconds: since 1970, not negative.
    static func text(of seconds: Int64) -> String {
        let (days, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
        // Howard Hinnant's `civil_from_days`: years that begin in March, in eras of 400 years.
        let shifted = days + 719_468
        let era = shifted / 146_097
        let day = shifted % 146_097
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let civilMonth = month < 10 ? month + 3 : month - 9
        let civilYear = year + era * 400 + (civilMonth <= 2 ? 1 : 0)
        let date = "\(civilYear)-\(padded(civilMonth))-\(padded(dayOfYear - (153 * month + 2) / 5 + 1))"
        return "\(date)T\(padded(second / 3600)):\(padded(second / 60 % 60)):\(padded(second % 60))Z"
    }

    private static func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
