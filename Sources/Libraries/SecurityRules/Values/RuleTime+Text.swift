extension RuleTimestamp {
    /// As RFC 3339 writes it, in UTC, with as many decimals as it takes: `2024-02-29T12:00:00.5Z`.
    public var text: String {
        let date = date
        let time = secondOfDay
        var text = Self.digits(date.year, 4) + "-" + Self.digits(date.month, 2) + "-" + Self.digits(date.day, 2)
        text += "T" + Self.digits(time / 3600, 2) + ":" + Self.digits(time / 60 % 60, 2) + ":"
        text += Self.digits(time % 60, 2)
        return text + fraction(UInt32(nanoseconds)) + "Z"
    }

    private static func digits(_ number: Int64, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}

extension RuleDuration {
    /// Seconds with as many decimals as it takes: `300s`, `-0.5s` (as `google.protobuf.Duration` in JSON).
    public var text: String {
        let (seconds, nanoseconds) = signedParts
        let isNegative = seconds < 0 || nanoseconds < 0
        return (isNegative ? "-" : "") + String(seconds.magnitude) + fraction(nanoseconds.magnitude) + "s"
    }
}

/// `.5` for 500,000,000, nothing for 0.
private func fraction(_ nanoseconds: UInt32) -> String {
    guard nanoseconds > 0 else { return "" }
    var digits = Array(String(nanoseconds + 1_000_000_000).utf8.dropFirst())
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    return "." + String(decoding: digits, as: UTF8.self)
}
