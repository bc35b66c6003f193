/// The content types of gRPC requests.
public enum GRPCType {
    /// Returns whether a content type is `application/grpc`, optionally with a suffix after `+` or `;`, in any case.
    /// gRPC-Web is another protocol.
    public static func matches(_ type: some Collection<UInt8>) -> Bool {
        var rest = type[...]
        for wanted in "application/grpc".utf8 {
            guard let byte = rest.popFirst(), byte == wanted || (byte | 0x20 == wanted && byte & 0x40 != 0) else {
                return false
            }
        }
        guard let next = rest.first else { return true }
        return next == UInt8(ascii: "+") || next == UInt8(ascii: ";")
    }
}

/// The value of `grpc-timeout` (gRPC over HTTP2, "Requests").
public enum GRPCTimeout {
    /// Returns the timeout in nanoseconds, at most `UInt64.max`. `nil` if it is not one to eight digits and a unit.
    public static func nanoseconds(_ value: some BidirectionalCollection<UInt8>) -> UInt64? {
        guard let unit = value.last, let scale = nanoseconds(ofUnit: unit), (2...9).contains(value.count) else {
            return nil
        }
        var number: UInt64 = 0
        for byte in value.dropLast() {
            guard byte &- 0x30 < 10 else { return nil }
            number = number * 10 + UInt64(byte &- 0x30)
        }
        let (result, overflow) = number.multipliedReportingOverflow(by: scale)
        return overflow ? .max : result
    }

    /// Returns the value for a timeout in nanoseconds, rounded down to eight digits of a unit, and at least 1 ns.
    public static func text(nanoseconds: UInt64) -> String {
        for unit in "numSMH".utf8 {
            guard let scale = self.nanoseconds(ofUnit: unit), nanoseconds / scale < 100_000_000 else { continue }
            return "\(max(1, nanoseconds / scale))\(Character(UnicodeScalar(unit)))"
        }
        return "99999999H"
    }

    private static func nanoseconds(ofUnit unit: UInt8) -> UInt64? {
        switch unit {
        case UInt8(ascii: "H"): 3_600_000_000_000
        case UInt8(ascii: "M"): 60_000_000_000
        case UInt8(ascii: "S"): 1_000_000_000
        case UInt8(ascii: "m"): 1_000_000
        case UInt8(ascii: "u"): 1_000
        case UInt8(ascii: "n"): 1
        default: nil
        }
    }
}
