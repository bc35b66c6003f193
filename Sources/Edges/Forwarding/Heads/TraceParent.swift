/// A parsed `traceparent` (W3C Trace Context section 3.2).
package struct TraceParent {
    /// The maximum size of a `traceparent` of a later version.
    private static let maximumLength = 128
    private static let length = 55

    /// The trace ID, not zero.
    package let trace: (UInt64, UInt64)
    /// The ID of the parent span, not zero.
    package let span: UInt64
    /// The flags. Unknown ones are set or not.
    package let flags: UInt8

    /// Whether the caller may have recorded the trace.
    package var isSampled: Bool { flags & 1 != 0 }

    /// Parses `version-trace-parent-flags` in lower case, without all-zero IDs. Version ff is invalid. Later versions
    /// may append further parts to the format of version 00 (section 3.2.4). `nil` if it is invalid.
    init?(_ value: UnsafeRawBufferPointer) {
        guard value.count >= Self.length, value.count <= Self.maximumLength,
            [2, 35, 52].allSatisfy({ value[$0] == UInt8(ascii: "-") }),
            let version = Self.number(value[0..<2]), version != 0xFF,
            value.count == Self.length || version > 0 && value[Self.length] == UInt8(ascii: "-"),
            let high = Self.number(value[3..<19]), let low = Self.number(value[19..<35]), high | low != 0,
            let span = Self.number(value[36..<52]), span != 0, let flags = Self.number(value[53..<55])
        else { return nil }
        trace = (high, low)
        self.span = span
        self.flags = UInt8(truncatingIfNeeded: flags)
    }

    /// Parses at most 16 lower-case hexadecimal digits.
    private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }
}
