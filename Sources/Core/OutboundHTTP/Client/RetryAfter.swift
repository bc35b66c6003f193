import CivilCalendar

/// How long a server wants to be left alone (RFC 9110 section 10.2.3).
enum RetryAfter {
    /// What is honoured, in seconds: neither a storm of calls nor an outage without end.
    static let bounds: ClosedRange<Int> = 1...60

    /// The seconds that a `Retry-After` says, within the bounds; nil for what is neither a number nor a date.
    ///
    /// - Parameter now: seconds since 1970.
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
