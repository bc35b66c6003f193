internal import CivilCalendar

extension RuleTimestamp {
    /// Midnight at the start of a day, UTC.
    init?(_ date: CivilDate) {
        self.init(seconds: CivilTime(date).unix)
    }

    /// The date and time of day in UTC.
    var civil: CivilTime { CivilTime(unix: seconds) }

    /// Milliseconds since 1970, rounded down.
    var milliseconds: Int64 { seconds * 1000 + Int64(nanoseconds / 1_000_000) }
}
