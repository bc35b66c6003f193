internal import CivilCalendar

/// A moment, to the nanosecond, from the year 1 to the year 9999 (as `google.protobuf.Timestamp`).
public struct RuleTimestamp: Sendable, Hashable {
    /// Since 1970-01-01T00:00:00Z, without leap seconds; `-62_135_596_800 ... 253_402_300_799`.
    public let seconds: Int64
    /// 0 to 999,999,999, later.
    public let nanoseconds: Int32

    /// Nil outside the bounds.
    public init?(seconds: Int64, nanoseconds: Int32 = 0) {
        guard (-62_135_596_800...253_402_300_799).contains(seconds), (0..<1_000_000_000).contains(nanoseconds) else {
            return nil
        }
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }
}

/// A span of time, to the nanosecond; at most 10,000 years either way (as `google.protobuf.Duration`).
public struct RuleDuration: Sendable, Hashable {
    /// `-315_576_000_000 ... 315_576_000_000`.
    public let seconds: Int64
    /// 0 to 999,999,999, longer: a negative span has its seconds rounded down.
    public let nanoseconds: Int32

    /// Nil outside the bounds.
    public init?(seconds: Int64, nanoseconds: Int32 = 0) {
        guard (-315_576_000_000...315_576_000_000).contains(seconds), (0..<1_000_000_000).contains(nanoseconds),
            seconds < 315_576_000_000 || nanoseconds == 0
        else { return nil }
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }
}

private let perSecond: Int128 = 1_000_000_000

/// Whole seconds, rounded down, and what is left of them.
private func split(_ nanoseconds: Int128) -> (seconds: Int64, nanoseconds: Int32)? {
    let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: perSecond)
    let isBelow = remainder < 0
    guard let seconds = Int64(exactly: isBelow ? quotient - 1 : quotient) else { return nil }
    return (seconds, Int32(isBelow ? remainder + perSecond : remainder))
}

extension RuleTimestamp {
    /// Since 1970.
    var totalNanoseconds: Int128 { Int128(seconds) * perSecond + Int128(nanoseconds) }

    /// Nil outside the bounds; no number of 64 bits, however multiplied by a unit of time, overflows before that is known.
    init?(totalNanoseconds: Int128) {
        guard let (seconds, nanoseconds) = split(totalNanoseconds) else { return nil }
        self.init(seconds: seconds, nanoseconds: nanoseconds)
    }

    /// Later by that long, which may be negative.
    func adding(_ duration: RuleDuration) throws(RuleFailure) -> RuleTimestamp {
        guard let sum = RuleTimestamp(totalNanoseconds: totalNanoseconds + duration.totalNanoseconds) else {
            throw RuleFailure(.overflow)
        }
        return sum
    }

    /// Earlier by that long.
    func subtracting(_ duration: RuleDuration) throws(RuleFailure) -> RuleTimestamp {
        try adding(duration.negated())
    }

    /// How much later this is than another.
    func since(_ other: RuleTimestamp) throws(RuleFailure) -> RuleDuration {
        try .exactly(totalNanoseconds - other.totalNanoseconds)
    }
}

extension RuleDuration {
    /// Negative for a negative span.
    var totalNanoseconds: Int128 { Int128(seconds) * perSecond + Int128(nanoseconds) }

    /// Nil outside the bounds.
    init?(totalNanoseconds: Int128) {
        guard let (seconds, nanoseconds) = split(totalNanoseconds) else { return nil }
        self.init(seconds: seconds, nanoseconds: nanoseconds)
    }

    static func exactly(_ totalNanoseconds: Int128) throws(RuleFailure) -> RuleDuration {
        guard let duration = RuleDuration(totalNanoseconds: totalNanoseconds) else { throw RuleFailure(.overflow) }
        return duration
    }

    func adding(_ other: RuleDuration) throws(RuleFailure) -> RuleDuration {
        try .exactly(totalNanoseconds + other.totalNanoseconds)
    }

    func subtracting(_ other: RuleDuration) throws(RuleFailure) -> RuleDuration {
        try .exactly(totalNanoseconds - other.totalNanoseconds)
    }

    func negated() throws(RuleFailure) -> RuleDuration {
        try .exactly(-totalNanoseconds)
    }

    /// Whole seconds and what is left of them, both with the sign of the span.
    var signedParts: (seconds: Int64, nanoseconds: Int32) {
        seconds < 0 && nanoseconds > 0 ? (seconds + 1, nanoseconds - 1_000_000_000) : (seconds, nanoseconds)
    }
}

extension RuleTimestamp {
    /// As RFC 3339 writes it, in UTC, with as many decimals as it takes: `2024-02-29T12:00:00.5Z`.
    public var text: String { RFC3339.text(seconds, fraction: fraction(UInt32(nanoseconds))) }
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
