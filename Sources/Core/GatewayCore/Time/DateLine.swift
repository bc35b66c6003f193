/// The `Date` field line (RFC 9110 section 6.6.1), rendered once a second.
package struct DateLine {
    private var second: Int64 = .min
    private var line: [UInt8] = []

    package init() {}

    /// The complete line with its CRLF.
    package mutating func bytes(now: Int64) -> [UInt8] {
        if now != second {
            second = now
            line = Array("Date: \(Self.format(now))\r\n".utf8)
        }
        return line
    }

    /// An IMF-fixdate, such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 5.6.7).
    static func format(_ time: Int64) -> String {
        let days = time >= 0 ? time / 86_400 : (time - 86_399) / 86_400
        let second = Int(time - days * 86_400)
        let (year, month, day) = civil(days)
        let weekday = Int(((days % 7) + 11) % 7)
        let names = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let clock = "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))"
        return "\(names[weekday]), \(two(day)) \(months[month - 1]) \(year) \(clock) GMT"
    }

    /// The date of a day counted from 1970-01-01, in the proleptic Gregorian calendar.
    private static func civil(_ days: Int64) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
        let month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
        return (Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0), month, day)
    }

    private static func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
