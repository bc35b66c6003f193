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
