/// Times in the format of RFC 3339: `2026-11-21T02:55:29Z`.
package enum RFC3339 {
    /// Parses `YYYY-MM-DDTHH:MM:SS`, an optional fraction, and `Z` or an offset such as `+02:00`. Returns seconds
    /// since 1970 without the fraction. `nil` if the text is malformed, for a date that does not exist, and for a
    /// leap second.
    package static func seconds(_ text: String) -> Int64? {
        var reader = DigitReader(text)
        guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
            let day = reader.number(2), reader.take("T") || reader.take("t"), let clock = reader.clock(),
            reader.skipFraction(), let offset = reader.offset(), reader.isAtEnd,
            let time = CivilTime(
                year: year, month: month, day: day, hour: clock.hour, minute: clock.minute, second: clock.second)
        else { return nil }
        return time.unix - offset
    }

    /// Formats seconds since 1970 in UTC.
    ///
    /// - Parameter fraction: A dot and digits, or an empty string.
    package static func text(_ unix: Int64, fraction: String = "") -> String {
        let time = CivilTime(unix: unix)
        let date = "\(time.date.year.digits(4))-\(time.date.month.digits(2))-\(time.date.day.digits(2))"
        return "\(date)T\(time.clock)\(fraction)Z"
    }
}

extension DigitReader {
    /// Skips an optional fraction. Returns `false` for a dot without a digit.
    fileprivate mutating func skipFraction() -> Bool {
        guard take(".") else { return true }
        guard number(1) != nil else { return false }
        while number(1) != nil {}
        return true
    }

    /// Reads `Z` or an offset and returns seconds east of UTC.
    fileprivate mutating func offset() -> Int64? {
        if take("Z") || take("z") { return 0 }
        let sign: Int64
        if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return nil }
        guard let hours = number(2), hours < 24, take(":"), let minutes = number(2), minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}
