internal import CivilCalendar

extension RuleTimestamp {
    /// Midnight of a day, UTC.
    init?(_ date: CivilDate) {
        self.init(seconds: CivilTime(date).unix)
    }

    /// The second that it lies in, by calendar and clock of UTC.
    var civil: CivilTime { CivilTime(unix: seconds) }

    /// Since 1970, rounded down.
    var milliseconds: Int64 { seconds * 1000 + Int64(nanoseconds / 1_000_000) }
}
