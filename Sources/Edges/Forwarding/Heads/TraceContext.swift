package import GatewayCore
import HTTPWire

/// The trace context of a client's request (W3C Trace Context, levels 1 and 2). It is passed on unchanged.
package struct TraceContext {
    /// The maximum size and number of members of a forwarded `tracestate`. Section 3.3.1.5 requires at least these. A
    /// larger one is dropped.
    static let maximumState = 512
    static let maximumMembers = 32
    /// The maximum size of a `traceparent` of a later version.
    private static let longestParent = 128
    private static let parentLength = 55

    /// The trace ID.
    package let trace: (UInt64, UInt64)
    private let parent: ByteRange
    private let passesState: Bool

    /// Returns `nil` unless the request has exactly one valid `traceparent`.
    package init?(of request: RequestView) {
        guard request.fields.count(of: .traceparent) == 1, let field = request.fields.first(.traceparent),
            let trace = Self.trace(in: field.value.bytes(in: request.bytes))
        else { return nil }
        self.trace = trace
        parent = field.value
        passesState = Self.isState(of: request)
    }

    /// Writes the lines of both fields.
    func write(_ request: RequestView, _ writer: inout HeadWriter) {
        writer.append("traceparent: ")
        writer.keep(parent)
        writer.append("\r\n")
        guard passesState else { return }
        // Several fields form one list, so that separate lines in the same order are equivalent.
        for index in 0..<request.fields.count where request.fields[index].kind == .tracestate {
            writer.append("tracestate: ")
            writer.keep(request.fields[index].value)
            writer.append("\r\n")
        }
    }

    /// Returns the trace ID of a valid `version-trace-parent-flags` in lower case, without all-zero IDs. Version ff is
    /// invalid. Later versions may append further parts to the format of version 00 (section 3.2.4).
    static func trace(in value: UnsafeRawBufferPointer) -> (UInt64, UInt64)? {
        guard value.count >= parentLength, value.count <= longestParent,
            [2, 35, 52].allSatisfy({ value[$0] == UInt8(ascii: "-") }),
            let version = number(value[0..<2]), version != 0xFF,
            value.count == parentLength || version > 0 && value[parentLength] == UInt8(ascii: "-"),
            let high = number(value[3..<19]), let low = number(value[19..<35]), high | low != 0,
            let span = number(value[36..<52]), span != 0, number(value[53..<55]) != nil
        else { return nil }
        return (high, low)
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

    /// Returns whether `tracestate` is present, and valid and short enough to be passed on.
    private static func isState(of request: RequestView) -> Bool {
        var bytes = 0
        var members = 0
        for index in 0..<request.fields.count where request.fields[index].kind == .tracestate {
            let value = request.fields[index].value.bytes(in: request.bytes)
            bytes += value.count + 1
            guard bytes <= maximumState + 1 else { return false }
            for member in ListMembers(value) {
                members += 1
                guard members <= maximumMembers, isMember(member) else { return false }
            }
        }
        return members > 0
    }

    /// Returns whether a member is `key=value`. The key is in lower case, possibly `tenant@system`. The value is
    /// visible ASCII without `,` and `=` (section 3.3.1.3).
    static func isMember(_ member: UnsafeRawBufferPointer) -> Bool {
        guard let equals = member.firstIndex(of: UInt8(ascii: "=")), (1...256).contains(equals),
            member.count - equals - 1 >= 1, member.count - equals - 1 <= 256
        else { return false }
        let isKey = member[..<equals].allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "_-*/@".utf8.contains(byte)
            }
        }
        return isKey && member[(equals + 1)...].allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "=") }
    }
}
