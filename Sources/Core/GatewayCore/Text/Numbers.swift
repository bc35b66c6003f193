/// Integers in configurations: digits without leading zeros. A `-` is accepted, so that the value is reported as out
/// of range.
package enum WholeNumber {
    package static func parse(_ text: some StringProtocol) -> Int? {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
            digits.utf8.count == 1 || digits.utf8.first != UInt8(ascii: "0")
        else { return nil }
        if let number = Int(text) { return number }
        return text.utf8.first == UInt8(ascii: "-") ? .min : .max
    }
}

/// Decimal numbers: digits, optionally with a point and more digits.
package enum DecimalNumber {
    package static func parse(_ text: String) -> Double? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let whole = parts.first, WholeNumber.parse(whole) != nil else { return nil }
        if parts.count == 2 {
            guard !parts[1].isEmpty, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        }
        return Double(text)
    }
}

/// Durations in configurations: `50ms`, `30s`, `5m`, `12h`, `14d`.
package enum DurationText {
    private static let units: [(name: String, milliseconds: Int)] = [
        ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    /// Parses a duration. `nil` if the text is invalid.
    package static func parse(_ text: String) -> Duration? {
        guard let unit = units.first(where: { text.hasSuffix($0.name) && isAllDigits(text.dropLast($0.name.count)) }),
            let count = WholeNumber.parse(text.dropLast(unit.name.count))
        else { return nil }
        let (milliseconds, overflow) = count.multipliedReportingOverflow(by: unit.milliseconds)
        return .milliseconds(overflow ? .max : milliseconds)
    }

    /// Formats a duration in the largest unit that divides it.
    package static func write(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
        guard milliseconds != 0, let unit = units.last(where: { milliseconds % $0.milliseconds == 0 }) else {
            return "\(seconds)s"
        }
        return "\(milliseconds / unit.milliseconds)\(unit.name)"
    }

    private static func isAllDigits(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}

/// Sizes in configurations: bytes, `64KiB`, `1MiB`, `2GiB`.
package enum SizeText {
    private static let units: [(name: String, bytes: Int)] = [
        ("KiB", 1_024), ("MiB", 1_048_576), ("GiB", 1_073_741_824), ("TiB", 1_099_511_627_776),
    ]

    package static func parse(_ text: String) -> Int? {
        let unit = units.first { text.hasSuffix($0.name) }
        let digits = text.dropLast(unit?.name.count ?? 0)
        guard let count = WholeNumber.parse(digits) else { return nil }
        let (bytes, overflow) = count.multipliedReportingOverflow(by: unit?.bytes ?? 1)
        return overflow ? .max : bytes
    }

    /// Formats a size in the largest unit that divides it.
    package static func write(_ size: Int) -> String {
        guard size != 0, let unit = units.last(where: { size % $0.bytes == 0 }) else { return "\(size)" }
        return "\(size / unit.bytes)\(unit.name)"
    }
}
