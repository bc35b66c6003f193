package import CivilCalendar

/// A time in whole seconds since 1970, from 0 to ``latest``.
///
/// All times from tokens, responses, stores and calls have this type from the parser on. Its arithmetic saturates, so
/// that no claim can cause an overflow.
package struct UnixTime: Sendable, Hashable {
    /// Seconds since 1970, for output. `script/test` rejects arithmetic on it.
    package let seconds: Int64

    /// The latest time, in the year 5138. A greater number is likely a time in milliseconds.
    package static let latest = UnixTime(valid: 100_000_000_000)

    private init(valid seconds: Int64) {
        self.seconds = seconds
    }

    /// Creates a parsed time. `nil` before 1970 and after ``latest``.
    @inlinable
    package init?(_ seconds: Int64) {
        guard seconds >= 0, seconds <= 100_000_000_000 else { return nil }
        self.seconds = seconds
    }

    /// Creates a time of a credential. `nil` before 1970.
    ///
    /// A later time becomes ``latest``: a start in the future, or an end that never comes.
    package init?(claim seconds: Int64) {
        guard seconds >= 0 else { return nil }
        self.init(clamping: seconds)
    }

    /// Creates the nearest valid time for a reading of the system clock.
    package init(clamping seconds: Int64) {
        self.seconds = min(max(seconds, 0), Self.latest.seconds)
    }
}

extension UnixTime: Comparable {
    /// Returns whether `one` is earlier.
    package static func < (one: UnixTime, other: UnixTime) -> Bool { one.seconds < other.seconds }
}

extension UnixTime: ExpressibleByIntegerLiteral {
    /// Creates the nearest valid time.
    package init(integerLiteral seconds: Int64) {
        self.init(clamping: seconds)
    }
}

extension UnixTime: CustomStringConvertible {
    /// The seconds since 1970, in decimal.
    package var description: String { String(seconds) }
}

// MARK: - Arithmetic

extension UnixTime {
    /// Returns the time after `interval` seconds, clamped to 0 and ``latest``. The interval may be negative.
    package func adding(_ interval: Int64) -> UnixTime {
        // The sum of two numbers of at most 10^11 does not overflow.
        UnixTime(clamping: seconds + min(max(interval, -Self.latest.seconds), Self.latest.seconds))
    }

    /// Returns the seconds from `other` to this time; negative if `other` is later.
    package func seconds(since other: UnixTime) -> Int64 { seconds - other.seconds }
}

// MARK: - Comparison with the system clock, in seconds since 1970

extension UnixTime {
    /// Returns the seconds since this time; negative if it is in the future.
    package func age(at now: Int64) -> Int64 { UnixTime(clamping: now).seconds(since: self) }

    /// Returns whether the time is later than `skew` seconds from now.
    package func isAfter(_ now: Int64, skew: Int64 = 0) -> Bool { self > UnixTime(clamping: now).adding(skew) }

    /// Returns the milliseconds from `wall`, in milliseconds since 1970, to this time; negative if it has passed.
    package func milliseconds(after wall: Int64) -> Int64 {
        let bound = Self.latest.seconds * 1000
        return seconds * 1000 - min(max(wall, 0), bound)
    }

    /// Returns the earlier of this time and now.
    package func notAfter(_ now: Int64) -> UnixTime { min(self, UnixTime(clamping: now)) }
}

/// An optional time in one word. An unknown time is before all others: it is never recent, and any revocation covers
/// it.
package struct PossibleTime: Sendable, Equatable {
    private let seconds: Int64

    package static let unknown = PossibleTime(nil)

    package init(_ time: UnixTime?) {
        seconds = time?.seconds ?? -1
    }

    /// The time. `nil` if it is unknown.
    package var known: UnixTime? { UnixTime(seconds) }

    package func isBefore(_ time: UnixTime) -> Bool { seconds < time.seconds }
}

extension RFC3339 {
    /// Formats a time in UTC.
    package static func text(_ time: UnixTime) -> String { text(time.seconds) }
}
