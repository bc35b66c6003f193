import CivilCalendar

/// The `Date` field line (RFC 9110 section 6.6.1), rendered once per second.
package struct DateLine {
    private var second: Int64 = .min
    private var line: [UInt8] = []

    package init() {}

    /// Returns the line with its CRLF.
    package mutating func bytes(now: Int64) -> [UInt8] {
        if now != second {
            second = now
            line = Array("Date: \(HTTPDate.text(now))\r\n".utf8)
        }
        return line
    }
}
