import GatewayCore

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

/// Dates as HTTP sends them (RFC 9110 section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Seconds since 1970; nil for anything else than the preferred form. The name of the day is not looked at.
    static func seconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count == 29, bytes[3...4].elementsEqual(", ".utf8), bytes[25...].elementsEqual(" GMT".utf8),
            bytes[7] == 0x20, bytes[11] == 0x20, bytes[16] == 0x20, bytes[19] == 0x3A, bytes[22] == 0x3A,
            let month = months.firstIndex(where: { $0.utf8.elementsEqual(bytes[8...10]) }),
            let day = number(bytes[5...6]), let year = number(bytes[12...15]), let hour = number(bytes[17...18]),
            let minute = number(bytes[20...21]), let second = number(bytes[23...24]), hour < 24, minute < 60,
            second < 60
        else { return nil }
        let time = hour * 3600 + minute * 60 + second
        return CivilTime(year: year, month: Int64(month) + 1, day: day, second: time)?.unix
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        var value: Int64 = 0
        for byte in digits {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            value = value * 10 + Int64(byte - 0x30)
        }
        return value
    }
}
