/// The id of an entry of a stream: when it was added, and its number among those of the same millisecond.
struct StreamID: Sendable, Hashable {
    /// Milliseconds since 1970, by the server's clock.
    var milliseconds: UInt64
    /// Counts within the millisecond.
    var sequence: UInt64

    /// Before every entry: what an empty stream's last id is.
    static let zero = StreamID(milliseconds: 0, sequence: 0)
}

extension StreamID {
    /// Reads `MILLISECONDS-SEQUENCE`.
    init?(_ bytes: some Collection<UInt8>) {
        let parts = bytes.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 2, let milliseconds = Self.number(parts[0]), let sequence = Self.number(parts[1]) else {
            return nil
        }
        self.init(milliseconds: milliseconds, sequence: sequence)
    }

    private static func number(_ digits: some Collection<UInt8>) -> UInt64? {
        guard !digits.isEmpty else { return nil }
        var number: UInt64 = 0
        for digit in digits {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
            let (shifted, isTooLong) = number.multipliedReportingOverflow(by: 10)
            let (sum, isTooLarge) = shifted.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
            guard !isTooLong, !isTooLarge else { return nil }
            number = sum
        }
        return number
    }
}

extension StreamID: Comparable {
    /// Whether the one was added before the other.
    static func < (one: StreamID, other: StreamID) -> Bool {
        (one.milliseconds, one.sequence) < (other.milliseconds, other.sequence)
    }
}

extension StreamID: CustomStringConvertible {
    /// `MILLISECONDS-SEQUENCE`, as Redis spells it.
    var description: String { "\(milliseconds)-\(sequence)" }
}
