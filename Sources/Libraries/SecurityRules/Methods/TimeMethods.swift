internal import CivilCalendar

enum TimeMethods {
    static func call(_ builtin: Builtin, on time: RuleTimestamp) throws(RuleFailure) -> RuleValue {
        switch builtin {
        case .year: return .integer(time.civil.date.year)
        case .month: return .integer(time.civil.date.month)
        case .day: return .integer(time.civil.date.day)
        case .hours: return .integer(time.civil.hour)
        case .minutes: return .integer(time.civil.minute)
        case .seconds: return .integer(time.civil.second)
        case .nanos: return .integer(Int64(time.nanoseconds))
        case .dayOfWeek: return .integer(time.civil.date.dayOfWeek)
        case .dayOfYear: return .integer(time.civil.date.dayOfYear)
        case .toMillis: return .integer(time.milliseconds)
        case .date: return try value(RuleTimestamp(time.civil.date))
        case .time: return try value(RuleDuration(seconds: time.civil.secondOfDay, nanoseconds: time.nanoseconds))
        default: throw RuleFailure(.wrongKind)
        }
    }

    static func call(_ builtin: Builtin, on duration: RuleDuration) throws(RuleFailure) -> RuleValue {
        switch builtin {
        case .seconds: return .integer(duration.signedParts.seconds)
        case .nanos: return .integer(Int64(duration.signedParts.nanoseconds))
        default: throw RuleFailure(.wrongKind)
        }
    }

    static func callTimestamp(_ builtin: Builtin, _ arguments: borrowing Arguments) throws(RuleFailure) -> RuleValue {
        guard builtin == .timestampDate else {
            let milliseconds = try Int128(arguments.integer(0))
            return try value(RuleTimestamp(totalNanoseconds: milliseconds * 1_000_000))
        }
        let (year, month, day) = try (arguments.integer(0), arguments.integer(1), arguments.integer(2))
        guard let date = CivilDate(year: year, month: month, day: day) else { throw RuleFailure(.invalidArgument) }
        return try value(RuleTimestamp(date))
    }

    static func callDuration(_ builtin: Builtin, _ arguments: borrowing Arguments) throws(RuleFailure) -> RuleValue {
        switch builtin {
        case .durationAbs:
            let duration = try arguments.duration(0)
            return try .duration(duration.seconds < 0 ? duration.negated() : duration)
        case .durationTime:
            // The sum of four 64-bit numbers, each multiplied by at most an hour, fits into 128 bits.
            let hours = try Int128(arguments.integer(0)) * nanosecondsPerHour
            let minutes = try Int128(arguments.integer(1)) * (nanosecondsPerHour / 60)
            let seconds = try Int128(arguments.integer(2)) * (nanosecondsPerHour / 3600)
            return try .duration(.exactly(hours + minutes + seconds + Int128(arguments.integer(3))))
        default:
            guard let unit = nanoseconds(ofUnit: try arguments.string(1)) else {
                throw RuleFailure(.invalidArgument)
            }
            return try .duration(.exactly(Int128(arguments.integer(0)) * unit))
        }
    }

    private static let nanosecondsPerHour: Int128 = 3_600_000_000_000

    /// Returns the nanoseconds of a unit of `duration.value`. `nil` for an unknown unit.
    static func nanoseconds(ofUnit unit: String) -> Int128? {
        for (name, length) in units where RuleText.equal(name, unit) { return length }
        return nil
    }

    private static let units: [(name: String, length: Int128)] = [
        ("s", nanosecondsPerHour / 3600), ("m", nanosecondsPerHour / 60), ("h", nanosecondsPerHour),
        ("d", nanosecondsPerHour * 24), ("w", nanosecondsPerHour * 168), ("ms", 1_000_000), ("ns", 1),
    ]

    private static func value(_ time: RuleTimestamp?) throws(RuleFailure) -> RuleValue {
        guard let time else { throw RuleFailure(.overflow) }
        return .timestamp(time)
    }

    private static func value(_ duration: RuleDuration?) throws(RuleFailure) -> RuleValue {
        guard let duration else { throw RuleFailure(.overflow) }
        return .duration(duration)
    }
}
