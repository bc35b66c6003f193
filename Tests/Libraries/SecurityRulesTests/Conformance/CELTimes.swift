import CivilCalendar

/// Times as CEL writes them, in our spelling: rules make them of numbers, not of texts.
enum CELTimes {
    static func respell(_ text: String) -> String {
        var text = text.replacing(/timestamp\('(\d+)-(\d+)-(\d+)T(\d+):(\d+):(\d+)(\.\d+)?Z'\)/) { time in
            let numbers = [time.1, time.2, time.3, time.4, time.5, time.6].map { Int64($0) ?? 0 }
            return timestamp(numbers, fraction: time.7.map { String($0.dropFirst()) } ?? "")
        }
        text = text.replacing(/timestamp\((\d+)\)/) { "timestamp.value(\($0.1))" }
        text = text.replacing(/duration\('(-?\d+)(s|ns)'\)/) { "duration.value(\($0.1), '\($0.2)')" }
        return selectors(text)
    }

    private static func timestamp(_ numbers: [Int64], fraction: String) -> String {
        // CEL's cases also write years that no date has; 400 years have 146,097 days.
        let shift: Int64 = numbers[0] < 1 ? 1 : numbers[0] > 9999 ? -1 : 0
        let date = CivilDate(year: numbers[0] + shift * 400, month: numbers[1], day: numbers[2])
        let days = (date?.daysSince1970 ?? 0) - shift * 146_097
        let seconds = ((days * 24 + numbers[3]) * 60 + numbers[4]) * 60 + numbers[5]
        let whole = "timestamp.value(\(seconds * 1000))"
        guard !fraction.isEmpty else { return whole }
        let digits = fraction + String(repeating: "0", count: 9 - fraction.count)
        return "(\(whole) + duration.value(\(Int64(digits) ?? 0), 'ns'))"
    }

    /// Rules count months and days from 1, and CEL from 0; rules have the parts of a duration in seconds only.
    private static func selectors(_ text: String) -> String {
        let isDuration = text.hasPrefix("duration.") || text.hasPrefix("(duration.")
        let spellings = [
            "getFullYear": "year()", "getMonth": "month() - 1", "getDate": "day()", "getDayOfMonth": "day() - 1",
            "getDayOfWeek": "dayOfWeek() % 7", "getDayOfYear": "dayOfYear() - 1", "getSeconds": "seconds()",
            "getHours": isDuration ? "seconds() / 3600" : "hours()",
            "getMinutes": isDuration ? "seconds() / 60" : "minutes()", "getMilliseconds": "nanos() / 1000000",
        ]
        return text.replacing(/(get[A-Z][A-Za-z]*)\(\)/) { spellings[String($0.1)] ?? String($0.0) }
    }
}
