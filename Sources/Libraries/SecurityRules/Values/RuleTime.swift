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
