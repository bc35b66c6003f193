import CivilCalendar

/// Human-readable times and durations.
package enum HumanTime {
    /// Returns a time with its distance: `2026-11-21T03:00:00Z, 5 min ago`.
    package static func moment(_ time: Int64, now: Int64) -> String {
        guard isDisplayable(time) else { return String(time) }
        let distance = time > now ? "in \(span(time - now))" : time == now ? "now" : "\(span(now - time)) ago"
        return "\(RFC3339.text(time)), \(distance)"
    }

    /// Returns the two largest units of a duration in seconds, for example `2 h 5 min`.
    package static func span(_ seconds: Int64) -> String {
        let units: [(name: String, length: Int64)] = [("d", 86_400), ("h", 3600), ("min", 60), ("s", 1)]
        var rest = seconds
        let parts = units.compactMap { unit -> String? in
            let count = rest / unit.length
            rest %= unit.length
            return count == 0 ? nil : "\(count) \(unit.name)"
        }
        return parts.isEmpty ? "0 s" : parts.prefix(2).joined(separator: " ")
    }

    /// Returns whether a time is in the years 1970 to 9999. A token may contain any integer.
    private static func isDisplayable(_ time: Int64) -> Bool { (0...253_402_300_799).contains(time) }
}
