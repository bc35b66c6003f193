/// Times as RFC 3339 spells them, without fractions: `2026-11-21T02:55:29Z`.
package enum RFC3339 {
    /// Seconds since 1970 of `YYYY-MM-DDTHH:MM:SS` followed by an optional fraction, which is dropped, and `Z` or an offset such as
    /// `+02:00`. Nil for anything else, for a date that the calendar lacks and for a leap second.
    package static func seconds(_ text: String) -> Int64? {
        var reader = Reader(bytes: Array(text.utf8))
        guard let year = reader.digits(4), reader.take("-"), let month = reader.digits(2), reader.take("-"),
            let day = reader.digits(2), reader.take("T") || reader.take("t"),
            let hour = reader.digits(2), hour < 24, reader.take(":"),
            let minute = reader.digits(2), minute < 60, reader.take(":"),
            let second = reader.digits(2), second < 60, reader.skipFraction(),
            let offset = reader.offset(), reader.isAtEnd,
            let civil = CivilTime(year: year, month: month, day: day, second: hour * 3600 + minute * 60 + second)
        else { return nil }
        return civil.unix - offset
    }

    /// The time in UTC.
    package static func text(_ time: UnixTime) -> String { text(time.seconds) }

    /// The time `unix` seconds since 1970 in UTC.
    package static func text(_ unix: Int64) -> String {
        let civil = CivilTime(unix: unix)
        return "\(padded(civil.year, 4))-\(padded(civil.month, 2))-\(padded(civil.day, 2))T"
            + "\(padded(civil.second / 3600, 2)):\(padded(civil.second / 60 % 60, 2)):\(padded(civil.second % 60, 2))Z"
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

private struct Reader {
    let bytes: [UInt8]
    var position = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    mutating func digits(_ count: Int) -> Int64? {
        guard bytes.count - position >= count else { return nil }
        var value: Int64 = 0
        for byte in bytes[position..<position + count] {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            value = value * 10 + Int64(byte - 0x30)
        }
        position += count
        return value
    }

    /// A dot and at least one digit, or nothing.
    mutating func skipFraction() -> Bool {
        guard take(".") else { return true }
        let start = position
        while digits(1) != nil {}
        return position > start
    }

    /// Seconds east of UTC.
    mutating func offset() -> Int64? {
        if take("Z") || take("z") { return 0 }
        let sign: Int64
        if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return nil }
        guard let hours = digits(2), hours < 24, take(":"), let minutes = digits(2), minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}
