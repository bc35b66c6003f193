internal import CivilCalendar

/// A time with nanoseconds in the years 1 to 9999 (as `google.protobuf.Timestamp`).
public struct RuleTimestamp: Sendable, Hashable {
    /// Seconds since 1970-01-01T00:00:00Z without leap seconds: `-62_135_596_800 ... 253_402_300_799`.
    public let seconds: Int64
    /// Nanoseconds after `seconds`, 0 to 999,999,999.
    public let nanoseconds: Int32

    /// Creates a time. `nil` outside the bounds.
    public init?(seconds: Int64, nanoseconds: Int32 = 0) {
        guard (-62_135_596_800...253_402_300_799).contains(seconds), (0..<1_000_000_000).contains(nanoseconds) else {
            return nil
        }
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }
}

/// A duration with nanoseconds, at most 10,000 years in either direction (as `google.protobuf.Duration`).
public struct RuleDuration: Sendable, Hashable {
    /// Seconds: `-315_576_000_000 ... 315_576_000_000`.
    public let seconds: Int64
    /// Nanoseconds in addition to `seconds`, 0 to 999,999,999. A negative duration has its seconds rounded down.
    public let nanoseconds: Int32

    /// Creates a duration. `nil` outside the bounds.
    public init?(seconds: Int64, nanoseconds: Int32 = 0) {
        guard (-315_576_000_000...315_576_000_000).contains(seconds), (0..<1_000_000_000).contains(nanoseconds),
            seconds < 315_576_000_000 || nanoseconds == 0
        else { return nil }
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }
}

private let perSecond: Int128 = 1_000_000_000

/// Returns whole seconds, rounded down, and the remainder.
private func split(_ nanoseconds: Int128) -> (seconds: Int64, nanoseconds: Int32)? {
    let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: perSecond)
    let isBelow = remainder < 0
    guard let seconds = Int64(exactly: isBelow ? quotient - 1 : quotient) else { return nil }
    return (seconds, Int32(isBelow ? remainder + perSecond : remainder))
}

extension RuleTimestamp {
    /// Nanoseconds since 1970.
    var totalNanoseconds: Int128 { Int128(seconds) * perSecond + Int128(nanoseconds) }

    /// `nil` outside the bounds. Any 64-bit number multiplied by a unit of time fits into 128 bits.
    init?(totalNanoseconds: Int128) {
        guard let (seconds, nanoseconds) = split(totalNanoseconds) else { return nil }
        self.init(seconds: seconds, nanoseconds: nanoseconds)
    }

    /// Returns the time after a duration, which may be negative.
    func adding(_ duration: RuleDuration) throws(RuleFailure) -> RuleTimestamp {
        guard let sum = RuleTimestamp(totalNanoseconds: totalNanoseconds + duration.totalNanoseconds) else {
            throw RuleFailure(.overflow)
        }
        return sum
    }

    /// Returns the time before a duration.
    func subtracting(_ duration: RuleDuration) throws(RuleFailure) -> RuleTimestamp {
        try adding(duration.negated())
    }

    /// Returns the duration from another time to this one.
    func since(_ other: RuleTimestamp) throws(RuleFailure) -> RuleDuration {
        try .exactly(totalNanoseconds - other.totalNanoseconds)
    }
}

extension RuleDuration {
    /// Nanoseconds, negative for a negative duration.
    var totalNanoseconds: Int128 { Int128(seconds) * perSecond + Int128(nanoseconds) }

    /// `nil` outside the bounds.
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

    /// Whole seconds and the remainder, both with the sign of the duration.
    var signedParts: (seconds: Int64, nanoseconds: Int32) {
        seconds < 0 && nanoseconds > 0 ? (seconds + 1, nanoseconds - 1_000_000_000) : (seconds, nanoseconds)
    }
}

extension RuleTimestamp {
    /// The time in RFC 3339 format in UTC, with the necessary decimals: `2024-02-29T12:00:00.5Z`.
    public var text: String { RFC3339.text(seconds, fraction: fraction(UInt32(nanoseconds))) }
}

extension RuleDuration {
    /// Seconds with the necessary decimals: `300s`, `-0.5s` (as `google.protobuf.Duration` in JSON).
    public var text: String {
        let (seconds, nanoseconds) = signedParts
        let isNegative = seconds < 0 || nanoseconds < 0
        return (isNegative ? "-" : "") + String(seconds.magnitude) + fraction(nanoseconds.magnitude) + "s"
    }
}

/// Returns `.5` for 500,000,000 and an empty string for 0.
private func fraction(_ nanoseconds: UInt32) -> String {
    guard nanoseconds > 0 else { return "" }
    var digits = Array(String(nanoseconds + 1_000_000_000).utf8.dropFirst())
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    return "." + String(decoding: digits, as: UTF8.self)
}
