/// Dates in the preferred form of HTTP (RFC 9110 section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
    private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Formats seconds since 1970.
    package static func text(_ unix: Int64) -> String {
        let time = CivilTime(unix: unix)
        let date = time.date
        let (weekday, month) = (days[Int(date.dayOfWeek - 1)], months[Int(date.month - 1)])
        return "\(weekday), \(date.day.digits(2)) \(month) \(date.year.digits(4)) \(time.clock) GMT"
    }

    /// Parses a date as seconds since 1970. `nil` if it is malformed. The name of the weekday is not checked.
    package static func seconds(_ text: String) -> Int64? {
        var reader = DigitReader(text)
        guard reader.name() != nil, reader.take(","), reader.take(" "), let day = reader.number(2), reader.take(" "),
            let name = reader.name(), let month = months.firstIndex(of: name), reader.take(" "),
            let year = reader.number(4), reader.take(" "), let clock = reader.clock(), reader.take(" "),
            reader.name() == "GMT", reader.isAtEnd
        else { return nil }
        return CivilTime(
            year: year, month: Int64(month) + 1, day: day, hour: clock.hour, minute: clock.minute,
            second: clock.second)?.unix
    }
}

/// A parser of the parts of a time, from the start of a text.
struct DigitReader {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) {
        rest = Array(text.utf8)[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    /// Reads a number of exactly `count` digits.
    mutating func number(_ count: Int) -> Int64? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        rest.removeFirst(count)
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    /// Reads three bytes.
    mutating func name() -> String? {
        guard rest.count >= 3 else { return nil }
        defer { rest.removeFirst(3) }
        return String(decoding: rest.prefix(3), as: UTF8.self)
    }

    /// Reads `HH:MM:SS` without checking the ranges.
    mutating func clock() -> (hour: Int64, minute: Int64, second: Int64)? {
        guard let hour = number(2), take(":"), let minute = number(2), take(":"), let second = number(2) else {
            return nil
        }
        return (hour, minute, second)
    }
}
