import CivilCalendar

/// The delay that a server requests (RFC 9110 section 10.2.3).
enum RetryAfter {
    /// The bounds of the delay in seconds, against both a storm of calls and an endless outage.
    static let bounds: ClosedRange<Int> = 1...60

    /// Parses a `Retry-After` and returns its seconds within the bounds. `nil` if it is neither a number nor a date.
    ///
    /// - Parameter now: The current time in seconds since 1970.
    static func seconds(_ text: String, now: Int64) -> Int? {
        guard !text.isEmpty else { return nil }
        if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            return clamped(Int64(text) ?? .max)
        }
        return HTTPDate.seconds(text).map { clamped($0 &- now) }
    }

    private static func clamped(_ seconds: Int64) -> Int {
        Int(min(max(seconds, Int64(bounds.lowerBound)), Int64(bounds.upperBound)))
    }
}
