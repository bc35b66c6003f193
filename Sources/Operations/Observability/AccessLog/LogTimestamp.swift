import GatewayCore

/// Spells the time of log lines, and remembers the second that it spelled last: most lines differ only in their milliseconds.
struct LogTimestamp {
    private var second = Int64.min
    /// `YYYY-MM-DDTHH:MM:SS.`
    private var prefix: [UInt8] = []

    /// Writes `2026-11-21T02:55:29.123Z`.
    mutating func write(milliseconds: Int64, to line: inout LogLineWriter) {
        let second = milliseconds / 1000
        if second != self.second { spell(second) }
        prefix.withUnsafeBytes { line.raw($0) }
        let fraction = UInt64(bitPattern: milliseconds - second * 1000)
        line.byte(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: fraction / 100 % 10))
        line.byte(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: fraction / 10 % 10))
        line.byte(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: fraction % 10))
        line.byte(UInt8(ascii: "Z"))
    }

    @inline(never)
    private mutating func spell(_ second: Int64) {
        self.second = second
        prefix = Array(RFC3339.text(second).utf8.dropLast())
        prefix.append(UInt8(ascii: "."))
    }
}
