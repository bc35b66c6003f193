@testable import SecurityRules

extension MethodRow {
    /// 2024-02-29T23:59:58.999999999Z, a Thursday.
    private static let leapDay = RuleValue.time(1_709_251_198, 999_999_999)
    /// 1969-12-31T23:59:59.5Z, a Wednesday.
    private static let beforeEpoch = RuleValue.time(-1, 500_000_000)

    static let timestamps = [
        MethodRow(leapDay, .year, is: 2024), MethodRow(beforeEpoch, .year, is: 1969),
        MethodRow(1, .year, fails: .wrongKind), MethodRow(leapDay, .month, is: 2),
        MethodRow(beforeEpoch, .month, is: 12), MethodRow("2", .month, fails: .wrongKind),
        MethodRow(leapDay, .day, is: 29), MethodRow(beforeEpoch, .day, is: 31), MethodRow(nil, .day, fails: .null),
        MethodRow(leapDay, .hours, is: 23), MethodRow(.time(0), .hours, is: 0),
        MethodRow(.span(7200), .hours, fails: .wrongKind), MethodRow(leapDay, .minutes, is: 59),
        MethodRow(.time(60), .minutes, is: 1), MethodRow(.span(60), .minutes, fails: .wrongKind),
        MethodRow(leapDay, .seconds, is: 58), MethodRow(beforeEpoch, .seconds, is: 59),
        MethodRow(.span(90), .seconds, is: 90), MethodRow(.span(-2, 500_000_000), .seconds, is: -1),
        MethodRow(1, .seconds, fails: .wrongKind), MethodRow(leapDay, .nanos, is: 999_999_999),
        MethodRow(.time(5), .nanos, is: 0), MethodRow(.span(-2, 500_000_000), .nanos, is: -500_000_000),
        MethodRow(.span(1, 5), .nanos, is: 5), MethodRow(1.5, .nanos, fails: .wrongKind),
        MethodRow(leapDay, .dayOfWeek, is: 4), MethodRow(beforeEpoch, .dayOfWeek, is: 3),
        MethodRow(.time(345_600), .dayOfWeek, is: 1), MethodRow(.time(259_200), .dayOfWeek, is: 7),
        MethodRow(1, .dayOfWeek, fails: .wrongKind), MethodRow(leapDay, .dayOfYear, is: 60),
        MethodRow(.time(0), .dayOfYear, is: 1), MethodRow(beforeEpoch, .dayOfYear, is: 365),
        MethodRow(.span(1), .dayOfYear, fails: .wrongKind), MethodRow(leapDay, .date, is: .time(1_709_164_800)),
        MethodRow(beforeEpoch, .date, is: .time(-86_400)), MethodRow(0, .date, fails: .wrongKind),
        MethodRow(leapDay, .time, is: .span(86_398, 999_999_999)),
        MethodRow(beforeEpoch, .time, is: .span(86_399, 500_000_000)), MethodRow(.span(1), .time, fails: .wrongKind),
        MethodRow(leapDay, .toMillis, is: 1_709_251_198_999), MethodRow(beforeEpoch, .toMillis, is: -500),
        MethodRow(.span(1), .toMillis, fails: .wrongKind),
    ]

    static let timestampFunctions = [
        MethodRow(.timestampDate, 1984, 1, 2, is: .time(441_849_600)),
        MethodRow(.timestampDate, 2024, 2, 29, is: .time(1_709_164_800)),
        MethodRow(.timestampDate, 2000, 2, 29, is: .time(951_782_400)),
        MethodRow(.timestampDate, 1, 1, 1, is: .time(-62_135_596_800)),
        MethodRow(.timestampDate, 2023, 2, 29, fails: .invalidArgument),
        MethodRow(.timestampDate, 1900, 2, 29, fails: .invalidArgument),
        MethodRow(.timestampDate, 2023, 13, 1, fails: .invalidArgument),
        MethodRow(.timestampDate, 2023, 0, 1, fails: .invalidArgument),
        MethodRow(.timestampDate, 2023, 4, 31, fails: .invalidArgument),
        MethodRow(.timestampDate, 2023, 4, 0, fails: .invalidArgument),
        MethodRow(.timestampDate, 0, 1, 1, fails: .invalidArgument),
        MethodRow(.timestampDate, 10_000, 1, 1, fails: .invalidArgument),
        MethodRow(.timestampDate, .integer(.min), .integer(.max), .integer(.min), fails: .invalidArgument),
        MethodRow(.timestampDate, 2023.0, 1, 1, fails: .wrongKind),
        MethodRow(.timestampValue, 1500, is: .time(1, 500_000_000)),
        MethodRow(.timestampValue, -1, is: .time(-1, 999_000_000)),
        MethodRow(.timestampValue, 253_402_300_799_999, is: .time(253_402_300_799, 999_000_000)),
        MethodRow(.timestampValue, 253_402_300_800_000, fails: .overflow),
        MethodRow(.timestampValue, .integer(.min), fails: .overflow),
        MethodRow(.timestampValue, 1.5, fails: .wrongKind),
        MethodRow(.timestampValue, .unreadable, fails: .unreadable),
    ]

    static let durationFunctions = [
        MethodRow(.durationValue, 2, "w", is: .span(1_209_600)), MethodRow(.durationValue, 1, "d", is: .span(86_400)),
        MethodRow(.durationValue, 1, "h", is: .span(3600)), MethodRow(.durationValue, -1, "m", is: .span(-60)),
        MethodRow(.durationValue, 5, "s", is: .span(5)),
        MethodRow(.durationValue, -1, "ms", is: .span(-1, 999_000_000)),
        MethodRow(.durationValue, .integer(.max), "ns", is: .span(9_223_372_036, 854_775_807)),
        MethodRow(.durationValue, 1, "y", fails: .invalidArgument),
        MethodRow(.durationValue, 1, "S", fails: .invalidArgument),
        MethodRow(.durationValue, .integer(1 << 62), "w", fails: .overflow),
        MethodRow(.durationValue, .integer(.min), "w", fails: .overflow),
        MethodRow(.durationValue, 315_576_000_000, "s", is: .span(315_576_000_000)),
        MethodRow(.durationValue, 315_576_000_001, "s", fails: .overflow),
        MethodRow(.durationValue, 1.0, "s", fails: .wrongKind), MethodRow(.durationValue, 1, 1, fails: .wrongKind),
        MethodRow(.durationTime, 1, 2, 3, 4, is: .span(3723, 4)),
        MethodRow(.durationTime, 0, 0, 0, -1, is: .span(-1, 999_999_999)),
        MethodRow(.durationTime, 1, -60, 0, 0, is: .span(0)),
        MethodRow(.durationTime, .integer(.max), .integer(.max), .integer(.max), .integer(.max), fails: .overflow),
        MethodRow(.durationTime, 1, 2, 3, "4", fails: .wrongKind),
        MethodRow(.durationAbs, .span(-10), is: .span(10)), MethodRow(.durationAbs, .span(10), is: .span(10)),
        MethodRow(.durationAbs, .span(-1, 999_999_999), is: .span(0, 1)),
        MethodRow(.durationAbs, .span(-315_576_000_000), is: .span(315_576_000_000)),
        MethodRow(.durationAbs, -10, fails: .wrongKind),
    ]
}
